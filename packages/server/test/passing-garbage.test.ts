/** Contents that passed through a process leave it. Would catch: buffers that pile up until V8 has a look at the whole heap. */
import process from 'node:process'
import { expect, it } from 'vitest'
import { havePassed } from '../src/files/passing-garbage.ts'

const mib = 1024 * 1024

/** How much of 64 MiB that pass in pieces is there at most, in MiB. */
function mostOf(passed: (bytes: number) => void): number {
  const before = process.memoryUsage().arrayBuffers
  const grown = Array.from({ length: 128 }, () => {
    const piece = Buffer.allocUnsafeSlow(mib / 2)
    passed(piece.length)
    return process.memoryUsage().arrayBuffers - before
  })
  return Math.max(...grown) / mib
}

it('what has passed does not pile up, and the function that collects it is nobody else’s', () => {
  const hadOne = Reflect.has(globalThis, 'gc')
  expect(mostOf(havePassed)).toBeLessThan(12)
  expect(Reflect.has(globalThis, 'gc')).toBe(hadOne)
  // V8 by itself lets more of it pile up.
  expect(mostOf(() => undefined)).toBeGreaterThan(12)
})
