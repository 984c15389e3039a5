/**
 * A conversation of 10,000 events. Would catch: a prompt that is made anew from its first event for each turn, one that differs from that made
 * at once, a message that is not paired any more.
 */
import { expect, test } from 'vitest'
import {
  checkPairing,
  createProjection,
  type FoldableEvent,
  project,
  type Prompt,
} from '../src/index.ts'
import { answered, asked, completed, said } from './support/log.ts'

/** Each third turn asks for two calls, whose results come in the opposite order. */
const turn = (n: number): readonly FoldableEvent[] => {
  const [first, second] = [`c${n}_0`, `c${n}_1`]
  return n % 3 === 0
    ? [
        answered(`m${n}`, [asked(first), asked(second, 'write')]),
        completed(second),
        completed(first),
      ]
    : [answered(`m${n}`, [asked(first)]), completed(first)]
}

const events = [said(['go']), ...Array.from({ length: 4_300 }, (_, n) => turn(n)).flat()].slice(
  0,
  10_000,
)

test('is told turn by turn as it is told at once, and each turn looks at what is new', () => {
  expect(events).toHaveLength(10_000)
  const projection = createProjection('Be brief.')
  let last: Prompt = []
  let lookedAt = 0
  for (const [at, event] of events.entries()) {
    projection.take(event)
    const next = events[at + 1]
    if (next && next.type !== 'model.completed') continue
    const prompt = projection.prompt()
    lookedAt += prompt.length - projection.kept
    expect(prompt.length).toBeGreaterThan(last.length)
    last = prompt
  }
  const atOnce = project('Be brief.', events)
  expect(last).toEqual(atOnce)
  // The newest message and that before it, which may have got its results.
  expect(lookedAt).toBeLessThan(2 * atOnce.length + 10)
})

test('pairs', () => {
  const whole = events.slice(
    0,
    events.findLastIndex(({ type }) => type === 'model.completed'),
  )
  expect(checkPairing(project('Be brief.', whole))).toEqual([])
})
