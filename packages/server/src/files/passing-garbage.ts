/**
 * Collects the buffers that contents leave on their way through this process: some four bytes for each byte, in the request and in the driver
 * of the database. V8 would let them grow by 30 MiB before it begins to mark, and go on growing until it has marked everything, which on busy
 * cores takes as long again. They are young, so a collection of the young generation alone frees them.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How much may pass between two collections. */
const bytesMax = 4 * 1024 * 1024

let collect: (() => void) | null = null
let passed = 0

/** To be called when so many bytes have passed, and are not held any more. */
export function havePassed(bytes: number): void {
  passed += bytes
  if (passed < bytesMax) return
  passed = 0
  collect ??= collector()
  collect()
}

/** Contexts that are made while the flag is set have the function; no other code of this process gets it. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  const gc: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  return () => {
    if (typeof gc === 'function') Reflect.apply(gc, undefined, [{ type: 'minor' }])
  }
}
