/** Program of `npm run demo`. */
import process from 'node:process'
import { playDemo } from './play-demo.ts'

process.exitCode = await playDemo()
