/** How long a look takes is counted by the monotonic clock: a wall clock that is set, in either direction, changes no look. */
import { expect, test } from 'vitest'
import { createEach } from '../src/roles/each-of.ts'

const hourMs = 3_600_000

/** Ends only when it is aborted. */
const sleep = (_ms: number, signal?: AbortSignal) =>
  new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))

/** Clocks that stand still until they are moved. */
function clocks() {
  const at = { wall: 1_700_000_000_000, monotonic: 0 }
  return { at, clock: { now: () => at.wall, monotonic: () => at.monotonic, sleep } }
}

/** Ids of the items that a look has begun, each of which takes a second; the first one sets the wall clock. */
async function begunWith(setByMs: number): Promise<readonly string[]> {
  const { at, clock } = clocks()
  const stopped = new AbortController().signal
  const each = createEach({ clock, log: { warn() {} }, stopped }, { name: 'items', atOnce: 1 })
  const begun: string[] = []
  const items = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  await each.over(
    items,
    (item) => item,
    async (item) => {
      if (begun.length === 0) at.wall += setByMs
      begun.push(item)
      at.wall += 1_000
      at.monotonic += 1_000
    },
  )
  return begun
}

test.each([0, hourMs, -hourMs])(
  'a wall clock that is set by %i ms changes no look',
  async (byMs) => {
    // What was not begun after four seconds is left to the next look.
    expect(await begunWith(byMs)).toEqual(['a', 'b', 'c', 'd'])
  },
)
