/** A third of the pages: see `run-pages.ts`. */
import { runPages } from './run-pages.ts'

runPages(2)
