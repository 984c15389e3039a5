/**
 * The demo. A user of it is on `signalbox`; it imports the packages that this one passes on, since `signalbox` itself loads the demo
 * as a command, and references of projects may not run in a circle.
 */
export { playDemo } from './play-demo.ts'
