/** After `npm pack -w signalbox`: the committed manifest stands in its place again. */
import { engine } from './layout.ts'
import { restore } from './restore.ts'

restore(engine)
