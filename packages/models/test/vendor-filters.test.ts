/**
 * The words for safety of vendors that speak the chat wire, as their documentation spells them. Would catch: a filter's stop
 * that is tried again, and calls that run beside the flag of a filter.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask, askStream, callsOf, jsonReply } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import type { Event } from './support/wire-bytes.ts'
import { built, chatDelta, goodEnding } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const provider = 'openai-compatible'
const { open, wholeCall } = built.chat

const errors: readonly (readonly [string, number, object])[] = [
  ['volcengine', 400, { code: 'InputTextSensitiveContentDetected', type: 'BadRequest' }],
  ['volcengine', 400, { code: 'OutputTextSensitiveContentDetected', type: 'BadRequest' }],
  ['volcengine', 400, { code: 'SensitiveContentDetected.SevereViolation', type: 'BadRequest' }],
  ['volcengine', 400, { code: 'InputTextRiskDetection', type: 'BadRequest' }],
  ['volcengine', 400, { code: 'OutputTextRiskDetection', type: 'BadRequest' }],
  ['minimax', 400, { code: 1026 }],
  ['minimax', 400, { code: 1027 }],
  ['openai-compatible', 400, { code: 'cyber_policy_violation' }],
]

describe.each(errors)('%s, %i %j', (detector, status, error) => {
  test('at the API', async () => {
    const reply = jsonReply(status, { error: { message: 'No.', ...error } })
    const { turn } = await ask({ provider, baseURL: loopback.reply(reply) })
    expect(turn.verdict).toBe('safety')
    expect(turn.evidence[0]?.detector).toBe(detector)
  })

  test('in the stream, in a call', async () => {
    const events = [...open, ...wholeCall, { error: { message: 'No.', ...error } }]
    const { turn } = await askStream(loopback, { provider }, events)
    expect(turn.verdict).toBe('safety')
    expect(callsOf(turn)).toEqual([])
  })
})

test('StepFun answers 451', async () => {
  const reply = jsonReply(451, { error: { message: 'No.', type: 'request_blocked' } })
  const { turn } = await ask({ provider, baseURL: loopback.reply(reply) })
  expect(turn).toMatchObject({
    verdict: 'safety',
    evidence: [{ detector: 'stepfun', value: '451' }],
  })
})

test.each<[string, object, string]>([
  ['output_sensitive', { output_sensitive: true }, 'output_sensitive'],
  ['input_sensitive', { input_sensitive: true }, 'input_sensitive'],
  ['1026', { base_resp: { status_code: 1026, status_msg: 'x' } }, 'base_resp.status_code'],
  ['1027', { base_resp: { status_code: 1027, status_msg: 'x' } }, 'base_resp.status_code'],
])('MiniMax, %s beside tool_calls: nothing executes', async (_, flags, field) => {
  const flagged: Event = { ...chatDelta({}, { finish_reason: 'tool_calls' }), ...flags }
  const { turn } = await askStream(loopback, { provider }, [...open, ...wholeCall, flagged])
  expect(turn.verdict).toBe('safety')
  expect(turn.evidence[0]).toMatchObject({ detector: 'minimax', field })
  expect(callsOf(turn)).toEqual([])
})

test('MiniMax, fields that say that nothing was found: the call executes', async () => {
  const good = { input_sensitive: false, output_sensitive: false, base_resp: { status_code: 0 } }
  const events = [...open, ...wholeCall, ...goodEnding('chat').map((it) => ({ ...it, ...good }))]
  const { turn } = await askStream(loopback, { provider }, events)
  expect(turn.verdict).toBe('complete')
  expect(callsOf(turn)).toHaveLength(1)
})
