/**
 * What guardrails take out of arguments and results, over the whole engine: it stands nowhere in the register, and the log
 * says that something was taken out. Would catch: a redaction without an event, a result that is recorded before it is judged.
 */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { type JsonObject, limits } from '@signalbox/core'
import { type StreamGuardrails, systemClock, type ToolHost } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { createStreamGuardrails } from '../../policies/src/guardrails/stream-guardrails.ts'
import { cleanOutput, cleanWords } from '../src/perform/guard.ts'
import { begin, eventOf, governed, outcomeOf } from './support/governed.ts'
import { functionTools, turnModel, world } from './support/world.ts'

/** By GitHub's format. Put together here, so that no scanner takes it for a real one. */
const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
const gone = '[redacted:github-token]'
const secrets = { use: 'secrets', arguments: true, toolResults: true }
const definition = governed({
  guardrails: { stream: [secrets] },
})

async function search(answer: () => Promise<string>, more: JsonObject = {}) {
  const { engine, register } = world({
    model: turnModel([[{ tool: 'search', args: { query: 'x' } }], 'done']),
    tools: functionTools({ search: answer, pay: answer }),
  })
  await engine.start()
  const guarded = governed({ guardrails: { stream: [secrets], ...more } })
  const runId = await begin(engine, guarded)
  expect(await outcomeOf(register, runId)).toBe('completed')
  await engine.stop(1_000)
  return { register, runId, events: await register.events(runId, {}) }
}

test('the result of a tool is redacted before it is recorded', async () => {
  const { register, runId, events } = await search(async () => `The token is ${token}.`)
  const completed = await eventOf(register, runId, 'tool.completed')
  expect(completed.payload).toMatchObject({
    output: { content: [{ type: 'text', text: expect.stringContaining(`is ${gone}.`) }] },
  })
  expect(await eventOf(register, runId, 'guardrail.redacted')).toMatchObject({
    tool: 'search',
    verdict: 'secrets',
    payload: {
      turn: 1,
      guardrail: { id: 'secrets', name: 'Secrets' },
      kind: 'github-token',
      place: 'result',
      tool: 'search',
      count: 1,
    },
  })
  expect(JSON.stringify(events)).not.toContain(token)
})

test(
  'while a large result is judged, the lease of the call is renewed',
  { timeout: 120_000 },
  async () => {
    const truth = createMemoryRegister(systemClock)
    let isAnswered = false
    let renewals = 0
    const { engine, register } = world({
      model: turnModel([[{ tool: 'pay', args: {} }], 'done']),
      tools: functionTools({
        search: async () => '',
        pay: async () => {
          isAnswered = true
          return `${randomBytes(512 * 1024).toString('base64')} ${token}`
        },
      }),
      register: {
        ...truth,
        renew(leases, leaseMs) {
          if (isAnswered) renewals += 1
          return truth.renew(leases, leaseMs)
        },
      },
      settings: { leaseMs: 10_000, renewMs: 20 },
    })
    await engine.start()
    const pii = { use: 'pii', toolResults: true }
    const runId = await begin(engine, governed({ guardrails: { stream: [secrets, pii] } }))
    expect(await outcomeOf(register, runId)).toBe('completed')
    await engine.stop(1_000)
    const types = (await register.events(runId, {})).map(({ type }) => type)
    expect(types).toContain('tool.completed')
    expect(types).not.toContain('tool.unknown')
    expect(renewals).toBeGreaterThan(3)
  },
)

test('while a result of many short texts is judged, others have their turn', async () => {
  const guardrails: StreamGuardrails = {
    guard: lacking,
    redact: async (value) => ({ value, taken: [] }),
  }
  const output = {
    content: content(...Array.from({ length: 400 }, () => 'x'.repeat(1000))),
    isError: false,
  }
  const order: string[] = []
  setImmediate(() => order.push('another'))
  await cleanOutput(guardrails, definition, { output, callId: 'c', tool: 'search' })
  order.push('judged')
  expect(order).toEqual(['another', 'judged'])
})

test('so are the words of a tool that failed', async () => {
  const { register, runId, events } = await search(async () => {
    throw new Error(`refused: ${token}`)
  })
  expect((await eventOf(register, runId, 'tool.failed')).payload).toMatchObject({
    error: { message: expect.stringContaining(gone) },
  })
  expect(JSON.stringify(events)).not.toContain(token)
})

const lacking = (): never => {
  throw new Error('this process has no stream guardrails')
}
const none: StreamGuardrails = { guard: lacking, redact: lacking }

test('what a tool said is withheld where nothing can judge it', async () => {
  const output = { content: [{ type: 'text' as const, text: token }], isError: false }
  expect(await cleanOutput(none, definition, { output, callId: 'c', tool: 'search' })).toEqual({
    output: {
      content: [{ type: 'text', text: 'The result is withheld: a guardrail could not judge it.' }],
      isError: true,
    },
    redactions: [],
  })
  expect(await cleanWords(none, definition, { words: token, callId: 'c', tool: 'search' })).toEqual(
    {
      words: 'The error is withheld: a guardrail could not judge it.',
      redactions: [],
    },
  )
})

test('a result without anything to take out is recorded as it is, and nothing more', async () => {
  const { events } = await search(async () => 'found')
  expect(events.map(({ type }) => type)).not.toContain('guardrail.redacted')
  const completed = events.find(({ type }) => type === 'tool.completed')
  expect(completed?.payload).not.toHaveProperty('redactions')
})

const ofOneToken = {
  guardrail: { id: 'secrets', name: 'Secrets' },
  kind: 'github-token',
  place: 'result',
}

test('what was taken out of the words of a failure is in the log, as of a result', async () => {
  const { register, runId } = await search(
    async () => {
      throw new Error(`refused: ${token}`)
    },
    { recordsFailures: true },
  )
  expect(await eventOf(register, runId, 'guardrail.redacted')).toMatchObject({
    tool: 'search',
    verdict: 'secrets',
    payload: { turn: 1, ...ofOneToken, tool: 'search', count: 1 },
  })
})

test('runs of before say no more than they did', async () => {
  const { events } = await search(async () => {
    throw new Error(`refused: ${token}`)
  })
  expect(events.map(({ type }) => type)).not.toContain('guardrail.redacted')
})

const content = (...texts: readonly string[]) =>
  texts.map((text) => ({ type: 'text' as const, text }))
const clean = (texts: readonly string[]) =>
  cleanOutput(
    createStreamGuardrails(() => null),
    definition,
    {
      output: { content: content(...texts), isError: false },
      callId: 'c',
      tool: 'search',
    },
  )
const lines = [
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
  'BKcwggSjAgEAAoIBAQDZx7k9Qe0aB3dE',
  'bQ8sT1vW4xY7zA==',
]

test.each([
  [
    'a token cut in two',
    [`It is ${token.slice(0, 17)}`, `${token.slice(17)} indeed`],
    token.slice(17),
  ],
  [
    'the lines of a key',
    ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----'],
    lines[1],
  ],
  ['a name and its value', ['DB_PASSWORD=', 'tr0ub4dor-Xy7!'], 'tr0ub4dor'],
  ['a header and its value', ['Authorization: Bearer', token.slice(4)], token.slice(4)],
])('a secret over several texts of a result: %s', async (_name, texts, secret) => {
  const { output, redactions } = await clean(texts)
  expect(JSON.stringify(output)).not.toContain(secret)
  expect(redactions.length).toBeGreaterThan(0)
})

test('texts of a result that hold nothing together stay apart', async () => {
  const texts = ['one', `two ${token}`, 'three']
  expect(await clean(texts)).toEqual({
    output: { content: content('one', `two ${gone}`, 'three'), isError: false },
    redactions: [{ ...ofOneToken, callId: 'c', tool: 'search', count: 1 }],
  })
})

test('of more kinds than a result may name, none is left out of the log', async () => {
  const kinds = Array.from({ length: 200 }, (_, n) => `kind-${n}`)
  const guardrails: StreamGuardrails = {
    guard: lacking,
    redact: async (value) => ({
      value,
      taken: kinds.map((kind) => ({ guardrail: { id: 'own', name: 'Own' }, kind, count: 2 })),
    }),
  }
  const output = { content: content('x'), isError: false }
  const { redactions } = await cleanOutput(guardrails, definition, {
    output,
    callId: 'c',
    tool: 'search',
  })
  expect(redactions.length).toBeLessThanOrEqual(limits.redactionsMax)
  expect(redactions.reduce((sum, { count }) => sum + count, 0)).toBe(400)
})

test('a note of a tool that runs is redacted before anybody hears it', async () => {
  const { promise: watched, resolve: watch } = Promise.withResolvers<void>()
  const long = `${'x'.repeat(480)} ${token}`
  const tools: ToolHost = {
    ...functionTools({ search: async () => 1 }),
    call: async ({ progress }) => {
      await watched
      for (const note of [`signed in with ${token}`, long]) progress(note)
      return { status: 'completed', output: { content: [], isError: false } }
    },
  }
  const { engine, register } = world({
    model: turnModel([[{ tool: 'search', args: {} }], 'done']),
    tools,
  })
  await engine.start()
  const runId = await begin(engine, definition)
  const heard: string[] = []
  engine.followProgress(runId, ({ note }) => heard.push(note))
  watch()
  expect(await outcomeOf(register, runId)).toBe('completed')
  await engine.stop(1_000)
  expect(heard[0]).toBe(`signed in with ${gone}`)
  expect(heard).toHaveLength(2)
  // Not even the beginning of one, where a note is cut to its length.
  expect(heard.join('')).not.toContain(token.slice(0, 12))
})
