/**
 * Every reason with which providers end an answer, each with a truncated and with a whole call in flight, over a real
 * server through the real packages. A contract test of the pinned package versions: `finish` is what the package says,
 * `verdict` what we say; where they part, ours is the one that counts (I23).
 */
import type { StreamVerdict } from '@signalbox/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { wireOf } from '../src/observer/wires.ts'
import { askStream, callsOf, hmacKey, type Provider } from './support/call.ts'
import { hmac } from './support/hmac.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { built, canary, goodEnding, terminal, wholeArgs } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

/** Provider, reason on the wire, verdict, unified finish of the package, detector. */
type Row = readonly [Provider, string, StreamVerdict, string, detector: string | null]

const rows: readonly Row[] = [
  ['openai', 'content_filter', 'safety', 'content-filter', 'openai-compatible'],
  ['openai', 'length', 'length', 'length', null],
  ['openai', 'brand_new', 'unknown_terminal', 'other', null],
  ['azure', 'content_filter', 'safety', 'content-filter', 'azure'],
  ['openai-compatible', 'content_filter', 'safety', 'content-filter', 'openai-compatible'],
  ['openai-compatible', 'Content_Filter', 'safety', 'other', 'openai-compatible'],
  ['openai-compatible', 'sensitive', 'safety', 'other', 'glm'],
  ['openai-compatible', 'network_error', 'error', 'other', null],
  ['openai-compatible', 'insufficient_system_resource', 'error', 'other', null],
  ['openai-compatible', 'error', 'error', 'other', null],
  ['openai-compatible', 'model_context_window_exceeded', 'length', 'other', null],
  ['openai-compatible', 'length', 'length', 'length', null],
  ['openai-compatible', 'brand_new', 'unknown_terminal', 'other', null],
  // Good endings of other wires, and other spellings, are not good here.
  ['openai-compatible', 'end_turn', 'unknown_terminal', 'other', null],
  ['openai-compatible', 'STOP', 'unknown_terminal', 'other', null],
  ['openai-responses', 'content_filter', 'safety', 'content-filter', 'openai-compatible'],
  ['openai-responses', 'max_output_tokens', 'length', 'length', null],
  ['anthropic', 'refusal', 'safety', 'content-filter', 'anthropic'],
  ['anthropic', 'max_tokens', 'length', 'length', null],
  ['anthropic', 'model_context_window_exceeded', 'length', 'length', null],
  ['anthropic', 'pause_turn', 'unknown_terminal', 'stop', null],
  ['anthropic', 'brand_new', 'unknown_terminal', 'other', null],
  ['google', 'SAFETY', 'safety', 'content-filter', 'gemini'],
  ['google', 'BLOCKLIST', 'safety', 'content-filter', 'gemini'],
  ['google', 'PROHIBITED_CONTENT', 'safety', 'content-filter', 'gemini'],
  ['google', 'SPII', 'safety', 'content-filter', 'gemini'],
  ['google', 'RECITATION', 'safety', 'content-filter', 'gemini'],
  ['google', 'IMAGE_SAFETY', 'safety', 'content-filter', 'gemini'],
  ['google', 'IMAGE_PROHIBITED_CONTENT', 'safety', 'other', 'gemini'],
  ['google', 'IMAGE_RECITATION', 'safety', 'other', 'gemini'],
  ['google', 'MODEL_ARMOR', 'safety', 'other', 'gemini'],
  ['google', 'IMAGE_OTHER', 'unknown_terminal', 'other', null],
  ['google', 'LANGUAGE', 'unknown_terminal', 'other', null],
  ['google', 'UNEXPECTED_TOOL_CALL', 'unknown_terminal', 'other', null],
  ['google', 'TOO_MANY_TOOL_CALLS', 'unknown_terminal', 'other', null],
  ['google', 'MISSING_THOUGHT_SIGNATURE', 'unknown_terminal', 'other', null],
  ['google', 'OTHER', 'unknown_terminal', 'other', null],
  ['google', 'MALFORMED_FUNCTION_CALL', 'error', 'error', null],
  ['google', 'MAX_TOKENS', 'length', 'length', null],
  ['amazon-bedrock', 'guardrail_intervened', 'safety', 'content-filter', 'bedrock'],
  ['amazon-bedrock', 'content_filtered', 'safety', 'content-filter', 'bedrock'],
  ['amazon-bedrock', 'refusal', 'safety', 'other', 'bedrock'],
  ['amazon-bedrock', 'malformed_tool_use', 'error', 'other', null],
  ['amazon-bedrock', 'max_tokens', 'length', 'length', null],
  ['amazon-bedrock', 'brand_new', 'unknown_terminal', 'other', null],
]

describe.each(['cutCall', 'wholeCall'] as const)('with a call in flight (%s)', (call) => {
  test.each(rows)('%s: %s is %s', async (provider, reason, verdict, unified, detector) => {
    const wire = wireOf(provider)
    const events = [...built[wire].open, ...built[wire][call], ...terminal(wire, reason)]
    const { turn, deltas } = await askStream(loopback, { provider }, events)

    expect(turn.verdict).toBe(verdict)
    expect(turn.finish).toEqual({ unified, raw: reason })
    expect(callsOf(turn)).toEqual([])
    expect(turn.message.parts).toEqual([{ type: 'text', text: 'I write. ' }])
    expect(turn.suppressed.map(({ name }) => name)).toEqual(['write_file'])
    expect(turn.evidence.map((it) => [it.detector, it.value])).toEqual(
      detector === null ? [] : [[detector, reason]],
    )
    expect(turn.error !== undefined).toBe(verdict === 'error')
    expect(JSON.stringify([turn, deltas])).not.toContain(canary)
  })

  test('openai-responses: a reason nobody knows is tool-calls to the package if a call is whole', async () => {
    const { open, [call]: inFlight } = built.responses
    const events = [...open, ...inFlight, ...terminal('responses', 'brand_new')]
    const { turn } = await askStream(loopback, { provider: 'openai-responses' }, events)

    expect(turn.verdict).toBe('unknown_terminal')
    expect(turn.finish?.unified).toBe(call === 'wholeCall' ? 'tool-calls' : 'other')
    expect(callsOf(turn)).toEqual([])
  })
})

describe('the control: a good ending', () => {
  const providers: readonly Provider[] = [
    'openai',
    'azure',
    'openai-compatible',
    'openai-responses',
    'anthropic',
    'google',
    'amazon-bedrock',
  ]

  test.each(providers)('%s hands the whole call out', async (provider) => {
    const wire = wireOf(provider)
    const events = [...built[wire].open, ...built[wire].wholeCall, ...goodEnding(wire)]
    const { turn } = await askStream(loopback, { provider }, events)

    expect(turn.verdict).toBe('complete')
    expect(turn.suppressed).toEqual([])
    expect(callsOf(turn)).toMatchObject([{ id: 'call_0', name: 'write_file' }])
    expect(callsOf(turn)[0]?.args['content']).toContain(canary)
    expect(callsOf(turn)[0]?.invalid).toBeUndefined()
  })

  test.each(providers)('%s does not hand out a truncated call', async (provider) => {
    const wire = wireOf(provider)
    const events = [...built[wire].open, ...built[wire].cutCall, ...goodEnding(wire)]
    const { turn } = await askStream(loopback, { provider }, events)

    expect(callsOf(turn).filter(({ invalid }) => !invalid)).toEqual([])
    expect(JSON.stringify(turn)).not.toContain(canary)
  })
})

test('a suppressed call leaves its name, its size and a keyed hash', async () => {
  const events = [
    ...built.chat.open,
    ...built.chat.wholeCall,
    ...terminal('chat', 'content_filter'),
  ]
  const { turn } = await askStream(loopback, { provider: 'openai-compatible' }, events)

  expect(turn.suppressed).toEqual([
    {
      name: 'write_file',
      argsBytes: Buffer.byteLength(wholeArgs),
      argsHmac: hmac(hmacKey, wholeArgs),
    },
  ])
})
