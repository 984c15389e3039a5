/** The unit of the machine's speed, and the limits that follow it. Would catch: a unit that changed, so that all limits did. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { frozenWork } from '../../scripts/ci/frozen-work.ts'
import { scaledLimit, speedOf } from '../../scripts/ci/machine-speed.ts'

it('the work that is measured is what it was, and knows nothing of the engine', async () => {
  expect(await frozenWork(3)).toBe(
    '0ec04de4ce0dd73f9b8e54aa1cc66135d881adb4ea7fd305722d480aaceec501',
  )
  const text = readFileSync(new URL('../../scripts/ci/frozen-work.ts', import.meta.url), 'utf8')
  const known = [...text.matchAll(/from '([^']+)'/g)].map(([, name]) => name)
  expect(known).toEqual(['node:crypto'])
})

it.each([
  [1_000, 1],
  [2_000, 0.5],
  [840, 1.19],
  [1e9, 0.01],
])('a lane that takes %d ms is a machine of speed %d', (ms, speed) => {
  expect(speedOf(ms)).toBe(speed)
})

it('a slower machine is given more time, and a faster one no less', () => {
  expect([0.5, 0.75, 1, 2].map((speed) => scaledLimit(600, speed))).toEqual([1200, 800, 600, 600])
})
