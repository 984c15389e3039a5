/** After `npm pack -w @signalbox/client`: the committed manifest stands in its place again. */
import { client } from './layout.ts'
import { restore } from './restore.ts'

restore(client)
