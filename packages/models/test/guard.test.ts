/**
 * The stream guard in a model call, over real servers through the real packages. Catches text that is kept or shown past
 * the guard, calls and errors it does not see, and a provider that goes on talking (and costing) after a trip.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StreamGuardSpec } from '@signalbox/core'
import { createGuardrail } from '../../policies/src/guardrails/create-guardrail.ts'
import { createStreamGuard } from '../../policies/src/guardrails/create-stream-guard.ts'
import { fail, type Guardrail, pass, stop } from '../../policies/src/guardrails/part.ts'
import type { StreamPart } from '@signalbox/engine'
import { wireOf } from '../src/observer/wires.ts'
import {
  argsHash,
  ask,
  askStream,
  callsOf,
  jsonReply,
  providers,
  streamReply,
  tool,
} from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { built, canary, chatDelta, goodEnding, saying, terminal } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

function guardOf(handle: Guardrail['handle'], window = 0) {
  return createStreamGuard({
    guardrails: [{ id: 'test', name: 'Test', window, handle }],
    context: { availableTools: ['write_file'], availableSkills: [], attempt: 0 },
  })
}

const word = 'forbidden'
const redacting = () =>
  guardOf(
    (part) => pass('text' in part ? { ...part, text: part.text.replaceAll(word, '[x]') } : part),
    8,
  )
const failing = () =>
  guardOf(
    (part) =>
      'text' in part && part.text.includes(word) ? fail('I must not say it.') : pass(part),
    8,
  )

/** Finds the canary in arguments. */
function banning(action: 'redact' | 'fail' | 'stop') {
  const spec = { use: 'banned-terms', terms: [canary], wholeWord: false, arguments: true, action }
  const guardrail = createGuardrail(StreamGuardSpec.parse(spec))
  if (!guardrail) throw new Error('no such guardrail')
  return createStreamGuard({
    guardrails: [guardrail],
    context: { availableTools: ['write_file'], availableSkills: [], attempt: 0 },
  })
}

/** Tokens and personal data, as they are configured in most places. */
function holding() {
  const guardrails = ['secrets', 'pii'].flatMap(
    (use) => createGuardrail(StreamGuardSpec.parse({ use })) ?? [],
  )
  return createStreamGuard({
    guardrails,
    context: { availableTools: [], availableSkills: [], attempt: 0 },
  })
}

/** How each wire says that an answer has reached its limit. */
const lengths = {
  chat: 'length',
  messages: 'max_tokens',
  gemini: 'MAX_TOKENS',
  responses: 'max_output_tokens',
  converse: 'max_tokens',
} as const

describe.each(providers)('%s', (provider) => {
  const wire = wireOf(provider)

  test('a redaction reaches message and sink, wherever the word is split', async () => {
    const text = `It is ${word} here, and ${word} there.`
    for (let at = 1; at < text.length; at += 3) {
      const pieces = [text.slice(0, at), text.slice(at, at + 2), text.slice(at + 2)]
      const events = [...saying(wire, pieces), ...goodEnding(wire)]
      const { turn, deltas } = await askStream(loopback, { provider, guard: redacting() }, events)

      expect(turn.verdict).toBe('complete')
      expect(turn.message.parts).toMatchObject([
        { type: 'text', text: 'It is [x] here, and [x] there.' },
      ])
      expect(deltas.map((it) => it.text).join('')).toBe('It is [x] here, and [x] there.')
    }
  })

  test('a trip ends the request at once and keeps what was released', async () => {
    const said = ['This may be said at some length. ', 'That is ', word, ' by the house.']
    const events = [...saying(wire, said), ...built[wire].wholeCall]
    const baseURL = loopback.reply(streamReply(wire, events, { open: true, end: 'hang' }))
    const { turn, deltas } = await ask({ provider, baseURL, guard: failing() })
    await loopback.hungUp(baseURL)

    expect(turn.verdict).toBe('guardrail')
    expect(turn.trip).toMatchObject({
      guardrail: { id: 'test', name: 'Test' },
      outcome: 'fail',
      feedback: 'I must not say it.',
      partType: 'text',
    })
    expect(turn.error).toBeUndefined()
    const shown = deltas.map((it) => it.text).join('')
    expect(said.join('').startsWith(shown)).toBe(true)
    expect(shown).toHaveLength(turn.trip?.offset ?? -1)
    expect(turn.message.parts).toEqual([{ type: 'text', text: shown }])
    expect(JSON.stringify([turn, deltas])).not.toMatch(new RegExp(`${word}|${canary}`))
  })

  test('a call is judged when the stream has closed, and a trip takes it away', async () => {
    const seen: StreamPart[] = []
    const guard = guardOf((part) => {
      seen.push(part)
      return part.type === 'tool_call' ? fail('I should not write that.') : pass(part)
    })
    const events = [...built[wire].open, ...built[wire].wholeCall, ...goodEnding(wire)]
    const { turn } = await askStream(loopback, { provider, guard }, events)

    expect(seen.at(-1)).toMatchObject({ type: 'tool_call', name: 'write_file' })
    expect(turn.verdict).toBe('guardrail')
    expect(turn.trip).toMatchObject({ partType: 'tool_call', feedback: 'I should not write that.' })
    expect(turn.message.parts).toEqual([{ type: 'text', text: 'I write. ' }])
    expect(turn.suppressed.map(({ name }) => name)).toEqual(['write_file'])
    expect(JSON.stringify(turn)).not.toContain(canary)
  })

  test('arguments are redacted before they are hashed, and the turn says what was taken out', async () => {
    const events = [...built[wire].open, ...built[wire].wholeCall, ...goodEnding(wire)]
    const { turn } = await askStream(loopback, { provider, guard: banning('redact') }, events)

    expect(turn.verdict).toBe('complete')
    const [call] = callsOf(turn)
    expect(JSON.stringify(call?.args)).toContain('[redacted:banned-term]')
    expect(call?.argsHash).toBe(argsHash(call?.args ?? {}))
    expect(turn.redactions).toEqual([
      {
        guardrail: { id: 'banned-terms', name: 'Banned terms' },
        kind: 'banned-term',
        place: 'arguments',
        callId: call?.id,
        tool: 'write_file',
        count: 1,
      },
    ])
    expect(JSON.stringify(turn)).not.toContain(canary)
  })

  test.each(['fail', 'stop'] as const)('arguments that a guardrail refuses: %s', async (action) => {
    const events = [...built[wire].open, ...built[wire].wholeCall, ...goodEnding(wire)]
    const { turn } = await askStream(loopback, { provider, guard: banning(action) }, events)

    expect(turn.verdict).toBe('guardrail')
    expect(turn.trip).toMatchObject({ outcome: action, partType: 'tool_call' })
    expect(callsOf(turn)).toEqual([])
    expect(turn.suppressed.map(({ name }) => name)).toEqual(['write_file'])
    expect(JSON.stringify(turn)).not.toContain(canary)
  })

  test.each([
    ['a clean end of file', 'close', []],
    ['a reset', 'reset', []],
    ['its length', 'close', terminal(wire, lengths[wire])],
  ] as const)('an answer cut by %s drops what was held back', async (_how, end, ending) => {
    const before = 'The numbers of the test systems are as follows, and no others. '
    for (const [whole, missing] of [
      [`ghp_${'a1B2c3D4e5F6'.repeat(3)}`, 1],
      ['4111111111111111', 2],
    ] as const) {
      const begun = whole.slice(0, -missing)
      const events = [...saying(wire, [before, begun.slice(0, 9), begun.slice(9)]), ...ending]
      const baseURL = loopback.reply(streamReply(wire, events, { open: ending.length === 0, end }))
      const { turn, deltas } = await ask({ provider, baseURL, guard: holding() })
      expect(turn.verdict).not.toBe('complete')
      expect(JSON.stringify([turn.message, deltas])).not.toContain(begun.slice(0, 6))
    }
  })

  test('a call of a turn that did not close positively is not judged', async () => {
    const seen: string[] = []
    const guard = guardOf((part) => {
      seen.push(part.type)
      return pass(part)
    })
    const events = [...built[wire].open, ...built[wire].wholeCall]
    const reply = streamReply(wire, events, { open: true })
    const { turn } = await ask({ provider, baseURL: loopback.reply(reply), guard })
    expect(turn.verdict).toBe('interrupted')
    expect(turn.message.parts).toEqual([{ type: 'text', text: 'I write. ' }])
    expect(new Set(seen)).toEqual(new Set(['text']))
  })
})

const call = (index: number, name: string, args: string) =>
  chatDelta({ tool_calls: [{ index, id: `c${index}`, function: { name, arguments: args } }] })

test('arguments that no longer fit the schema are refused, and the call gets an error result', async () => {
  const inputSchema = {
    type: 'object',
    properties: { mode: { enum: [canary, 'b'] } },
  }
  const events = [call(0, 'write_file', JSON.stringify({ mode: canary })), ...goodEnding('chat')]
  const asked = { provider: 'openai', guard: banning('redact') } as const
  const { turn } = await askStream(
    loopback,
    { ...asked, tools: [tool('write_file', inputSchema)] },
    events,
  )
  expect(callsOf(turn)).toMatchObject([{ args: {}, invalid: { code: 'arguments_redacted' } }])
  expect(JSON.stringify(turn)).not.toContain(canary)
})

describe('calls', () => {
  const provider = 'openai-compatible'
  const tools = [tool('write_file')]

  test('are judged in order, without the invalid ones', async () => {
    const seen: StreamPart[] = []
    const guard = guardOf((part) => {
      seen.push(part)
      return pass(part)
    })
    const events = [
      call(0, 'write_file', '{"n":0}'),
      call(1, 'unknown', '{"n":1}'),
      call(2, 'write_file', '{"n":'),
      call(3, 'write_file', '{"n":3}'),
      ...goodEnding('chat'),
    ]
    const { turn } = await askStream(loopback, { provider, tools, guard }, events)
    expect(turn.verdict).toBe('complete')
    expect(callsOf(turn)).toHaveLength(4)
    expect(seen).toEqual([
      { type: 'tool_call', name: 'write_file', args: { n: 0 } },
      { type: 'tool_call', name: 'write_file', args: { n: 3 } },
    ])
  })

  test('feedback that quotes the arguments is replaced', async () => {
    const guard = guardOf((part) =>
      part.type === 'tool_call' ? fail(`I wrote ${JSON.stringify(part.args)}.`) : pass(part),
    )
    const events = [...built.chat.wholeCall, ...goodEnding('chat')]
    const { turn } = await askStream(loopback, { provider, guard }, events)
    expect(turn.trip?.feedback).toMatch(/^My last tool call could not be used/)
    expect(JSON.stringify(turn)).not.toContain(canary)
  })
})

const correct = () => fail('I called a tool that is not there.')

describe('errors', () => {
  const provider = 'openai-compatible'
  const shown = async (status: number, error: object, answer: Guardrail['handle']) => {
    const seen: StreamPart[] = []
    const guard = guardOf((part, context) => {
      seen.push(part)
      return answer(part, context)
    })
    const baseURL = loopback.reply(jsonReply(status, { error }))
    return { seen, ...(await ask({ provider, baseURL, guard })) }
  }

  test.each([
    ['invalid_request', 400, { message: "tool 'ls' not found" }],
    ['tool_use_failed', 400, { code: 'tool_use_failed', message: 'Failed to call a function.' }],
    ['auth', 401, { message: 'Who are you?' }],
  ])(
    '%s is shown in the words of the provider, and may be corrected',
    async (name, status, error) => {
      const { turn, seen } = await shown(status, error, correct)
      expect(seen).toEqual([{ type: 'error', message: error.message, class: name }])
      expect(turn.verdict).toBe('guardrail')
      expect(turn.trip).toMatchObject({
        partType: 'error',
        feedback: 'I called a tool that is not there.',
      })
      expect(turn.error).toBeUndefined()
    },
  )

  test.each([
    ['stop', stop],
    ['pass', pass],
  ])('%s lets the error stand', async (_name, answer) => {
    const { turn } = await shown(422, { message: 'no' }, (part) => answer(part))
    expect(turn.verdict).toBe('error')
    expect(turn.trip).toBeUndefined()
    expect(turn.error).toMatchObject({ class: 'invalid_request', status: 422, message: 'no' })
  })

  test.each([
    ['one that may be tried again', 503, { message: 'x' }, 'error'],
    ['a safety stop', 400, { code: 'content_filter', message: 'x' }, 'safety'],
  ])('%s is not shown', async (_name, status, error, verdict) => {
    const { turn, seen } = await shown(status, error, correct)
    expect(turn.verdict).toBe(verdict)
    expect(seen).toEqual([])
  })

  test('feedback with a quotation of the failed generation is replaced', async () => {
    const message = `did not match: ${canary}`
    const error = { code: 'tool_use_failed', message, failed_generation: `{"a":"${canary}"}` }
    const { turn } = await shown(400, error, (part) =>
      fail(part.type === 'error' ? part.message : ''),
    )
    expect(turn.verdict).toBe('guardrail')
    expect(JSON.stringify(turn)).not.toContain(canary)
  })
})

describe('what stands above a trip', () => {
  const provider = 'openai-compatible'

  test('safety evidence of the same stream', async () => {
    const events = [...saying('chat', [word]), ...terminal('chat', 'content_filter')]
    const { turn, deltas } = await askStream(loopback, { provider, guard: failing() }, events)
    expect(turn).toMatchObject({ verdict: 'safety', message: { parts: [] } })
    expect(turn.trip).toBeUndefined()
    expect(deltas).toEqual([])
  })

  test('a refusal of the model: it is not asked again', async () => {
    const events = [chatDelta({ refusal: `That is ${word}.` }), ...terminal('chat', 'stop')]
    const { turn, deltas } = await askStream(loopback, { provider, guard: failing() }, events)
    expect(turn).toMatchObject({ verdict: 'refusal', message: { parts: [] } })
    expect(deltas).toEqual([])
  })

  test('nothing else: the end of a stream that broke is judged, too', async () => {
    const reply = streamReply('chat', saying('chat', [word]), { open: true, end: 'reset' })
    const { turn } = await ask({ provider, baseURL: loopback.reply(reply), guard: failing() })
    expect(turn).toMatchObject({ verdict: 'guardrail', message: { parts: [] } })
    expect(turn.error).toBeUndefined()
  })
})

test('tokens are counted as far as the provider told them', async () => {
  // The guardrail judges a word once the text behind it is longer than its window.
  const events = saying('messages', ['x '.repeat(40), word, ' y'.repeat(10)])
  const baseURL = loopback.reply(streamReply('messages', events, { open: true, end: 'hang' }))
  const { turn } = await ask({ provider: 'anthropic', baseURL, guard: failing() })
  expect(turn).toMatchObject({ verdict: 'guardrail', usage: { inputTokens: 1, outputTokens: 1 } })
})
