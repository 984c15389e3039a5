/**
 * Scripts, played in the process and over HTTP: the same answers, through the same path as real providers, with every
 * ending a provider has.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelTurn, Prompt } from '@signalbox/core'
import {
  createModels,
  type Scripts,
  serveScripts,
  turnIndexOf,
  type ScriptServer,
} from '../src/index.ts'
import { callsOf, request, tool } from './support/call.ts'

const secret = 'canary-of-the-script'
const calls = [
  { name: 'list', args: { dir: '/' } },
  { name: 'write_file', args: { path: '/a', content: `${secret} and so on` } },
]

const scripts: Scripts = {
  plain: () => ({ text: 'Hello there.', reasoning: 'They greet.' }),
  calls: (_prompt, turnIndex) => (turnIndex === 0 ? { text: 'On it. ', calls } : { text: 'Done.' }),
  content_filter: () => ({ text: 'Half. ', calls, ending: 'content_filter' }),
  length: () => ({ text: 'Half. ', calls, ending: 'length' }),
  eof: () => ({ text: 'Half. ', calls, ending: 'eof' }),
  reset: () => ({ text: 'Half. ', calls, ending: 'reset', delayMs: 5 }),
  error: () => ({ text: 'Half. ', calls, ending: 'error' }),
  sensitive: () => ({ text: 'Half. ', calls, finishReason: 'sensitive' }),
  busy: () => ({ status: { code: 429, retryAfterS: 3 } }),
  down: () => ({ status: { code: 500 } }),
  slow: () => ({ text: 'x'.repeat(100), chunkSize: 10, delayMs: 5 }),
  echo: (prompt) => ({ text: JSON.stringify(prompt) }),
  throws: () => {
    throw new Error('bug in the script')
  },
}

let server: ScriptServer
beforeAll(async () => {
  server = await serveScripts(scripts)
})
afterAll(() => server.close())

const models = createModels({ env: {}, scripts })

async function play(provider: 'scripted' | 'openai-compatible', model: string, prompt?: Prompt) {
  const { apiKeyEnv: _key, ...config } = request({ provider }).model
  const asked = {
    ...request({
      provider,
      tools: [tool('list'), tool('write_file')],
      ...(prompt ? { prompt } : {}),
    }),
    model: {
      ...config,
      model,
      ...(provider === 'scripted' ? {} : { baseURL: server.url }),
    },
  }
  const deltas: string[] = []
  const sink = { delta: (_kind: string, text: string) => void deltas.push(text) }
  const turn = await models.call(asked, sink, new AbortController().signal)
  return { turn, deltas }
}

function essence({ provider: _provider, ...turn }: ModelTurn) {
  return turn
}

describe.each(['scripted', 'openai-compatible'] as const)('%s', (provider) => {
  test('text and reasoning come in pieces', async () => {
    const { turn, deltas } = await play(provider, 'slow')
    expect(turn.verdict).toBe('complete')
    expect(deltas).toEqual(Array.from({ length: 10 }, () => 'x'.repeat(10)))
    expect((await play(provider, 'plain')).turn.message.parts).toEqual([
      { type: 'reasoning', text: 'They greet.' },
      { type: 'text', text: 'Hello there.' },
    ])
  })

  test('calls come whole, and usage is counted', async () => {
    const { turn } = await play(provider, 'calls')
    expect(turn.verdict).toBe('complete')
    expect(callsOf(turn).map(({ name, args }) => ({ name, args }))).toEqual(calls)
    expect(turn.usage.inputTokens).toBeGreaterThan(0)
    expect(turn.usage.outputTokens).toBeGreaterThan(0)
  })

  test.each([
    ['content_filter', 'safety'],
    ['sensitive', 'safety'],
    ['length', 'length'],
    ['eof', 'interrupted'],
    ['reset', 'interrupted'],
    ['error', 'error'],
  ])('%s in the middle of the last call is %s', async (model, verdict) => {
    const { turn, deltas } = await play(provider, model)
    expect(turn.verdict).toBe(verdict)
    expect(turn.message.parts).toEqual([{ type: 'text', text: 'Half. ' }])
    // A reset drops what the package had not handed out: then the observer alone knows of the calls.
    expect(turn.suppressed.map(({ name }) => name)).toEqual(['list', 'write_file'])
    expect(JSON.stringify([turn, deltas])).not.toContain(secret)
  })

  test('a status is an error with its wait', async () => {
    const { turn } = await play(provider, 'busy')
    expect(turn.error).toMatchObject({ class: 'rate_limit', status: 429, retryAfterMs: 3000 })
    expect((await play(provider, 'down')).turn.error).toMatchObject({ class: 'overloaded' })
    expect((await play(provider, 'throws')).turn.error).toMatchObject({ status: 500 })
    expect((await play(provider, 'nobody')).turn.error).toMatchObject({ class: 'invalid_request' })
  })
})

test.each(Object.keys(scripts).filter((name) => name !== 'reset'))(
  'in the process and over HTTP, %s is the same turn',
  async (name) => {
    const [inProcess, overHttp] = await Promise.all([
      play('scripted', name),
      play('openai-compatible', name),
    ])
    expect(essence(inProcess.turn)).toEqual(essence(overHttp.turn))
    expect(inProcess.deltas).toEqual(overHttp.deltas)
  },
)

test('a script is asked again with what it said and what the tools answered', async () => {
  const first = await play('scripted', 'calls')
  const prompt: Prompt = [
    { role: 'system', text: 'Be brief.' },
    { role: 'user', parts: [{ type: 'text', text: 'Go.' }] },
    { role: 'assistant', id: 'a', parts: first.turn.message.parts },
    {
      role: 'tool',
      results: callsOf(first.turn).map(({ id, name }) => ({
        callId: id,
        toolName: name,
        output: { content: [{ type: 'text', text: `${name} done` }], isError: false },
      })),
    },
  ]
  expect((await play('scripted', 'calls', prompt)).turn.message.parts).toEqual([
    { type: 'text', text: 'Done.' },
  ])
  const seen: unknown = JSON.parse((await play('scripted', 'echo', prompt)).deltas.join(''))
  expect(seen).toMatchObject([
    { role: 'system', text: 'Be brief.' },
    { role: 'user', parts: [{ text: 'Go.' }] },
    { role: 'assistant', parts: [{ text: 'On it. ' }, { name: 'list' }, { name: 'write_file' }] },
    {
      role: 'tool',
      results: [
        { toolName: 'list', output: { content: [{ text: 'list done' }] } },
        { toolName: 'write_file', output: { content: [{ text: 'write_file done' }] } },
      ],
    },
  ])
})

test('turnIndexOf counts answers to the last message of the user; notices after results do not count', () => {
  const said = { role: 'user' as const, parts: [] }
  const answered = { role: 'assistant' as const, id: 'a', parts: [] }
  const results = { role: 'tool' as const, results: [] }
  expect(turnIndexOf([])).toBe(0)
  expect(turnIndexOf([said])).toBe(0)
  expect(turnIndexOf([said, answered, results])).toBe(1)
  expect(turnIndexOf([said, answered, results, said, answered, results, said])).toBe(2)
  expect(turnIndexOf([said, answered, results, answered, said])).toBe(0)
})

test('requests are counted by model; a slow script can be aborted', async () => {
  const before = server.requests('plain')
  const all = server.requests()
  await play('openai-compatible', 'plain')
  expect(server.requests('plain')).toBe(before + 1)
  expect(server.requests()).toBe(all + 1)

  const controller = new AbortController()
  const { apiKeyEnv: _key, ...config } = request({ provider: 'scripted' }).model
  const asked = { ...request({ provider: 'scripted' }), model: { ...config, model: 'slow' } }
  const reason = new Error('enough')
  const sink = { delta: () => controller.abort(reason) }
  await expect(models.call(asked, sink, controller.signal)).rejects.toBe(reason)
})
