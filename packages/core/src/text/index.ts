/** Words for people, from what logs and models hold. A door of its own: commands that need no schema load nothing else. */
export { duration } from './duration.ts'
export { at, listAt, textAt } from './payload.ts'
export { oneLine, printable } from './printable.ts'
