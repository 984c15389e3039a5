/** After `npm pack -w signalbox`: the committed manifest stands in its place again. */
import { restore } from './restore.ts'

restore()
