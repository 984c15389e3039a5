/** `pause_turn` of Anthropic. Would catch: a paused turn that fails without a reason of its own, or whose calls run. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askStream, callsOf } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { built, terminal } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

test('a turn that the provider pauses ends with a reason of its own, and none of its calls runs', async () => {
  const { open, wholeCall } = built.messages
  const events = [...open, ...wholeCall, ...terminal('messages', 'pause_turn')]
  const { turn } = await askStream(loopback, { provider: 'anthropic' }, events)
  expect(turn.verdict).toBe('unknown_terminal')
  expect(turn.cut?.code).toBe('turn_paused')
  expect(callsOf(turn)).toEqual([])
})

test('another unknown reason has none', async () => {
  const events = [...built.messages.open, ...terminal('messages', 'brand_new')]
  const { turn } = await askStream(loopback, { provider: 'anthropic' }, events)
  expect(turn.cut).toBeUndefined()
})
