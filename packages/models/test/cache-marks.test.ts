/**
 * The marks of requests for caches, in the bytes that leave the process. Would catch: a conversation that is paid whole each turn, a mark
 * that a model or a vendor refuses, a configured option that a default overrules, a tenant or a thread that a provider learns.
 */
import type { JsonObject, Prompt } from '@signalbox/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createModels } from '../src/index.ts'
import { wireOf } from '../src/observer/wires.ts'
import { type Fields, fields, list, parseJson } from '../src/read.ts'
import { ask, type Asked, env, type Provider, request, streamReply } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { goodEnding } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const cacheKey = '0123456789abcdef0123456789abcdef'
const claude = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'

type More = Pick<Asked, 'prompt' | 'waitsForPeople'> & {
  readonly model?: string
  readonly options?: JsonObject
}

/** The body of a request to an address of somebody: the loopback server. */
async function sent(provider: Provider, { prompt, model, options }: More = {}): Promise<Fields> {
  const wire = wireOf(provider)
  const baseURL = loopback.reply(streamReply(wire, goodEnding(wire)))
  const config = {
    ...(model === undefined ? {} : { model }),
    ...(options === undefined ? {} : { providerOptions: options }),
  }
  await ask({ provider, baseURL, cacheKey, model: config, ...(prompt ? { prompt } : {}) })
  return fields(parseJson(loopback.requests(baseURL)[0] ?? '')) ?? {}
}

/** The same of a request to an address, or to the usual one; below the package it goes to the loopback server. */
async function sentTo(
  baseURL: string | null,
  provider: Provider,
  {
    options,
    prompt,
    waitsForPeople,
    variables = {},
  }: More & { readonly variables?: Record<string, string> } = {},
): Promise<Fields> {
  const wire = wireOf(provider)
  const reply = loopback.reply(streamReply(wire, goodEnding(wire)))
  const models = createModels({
    env: { ...env, ...variables },
    fetch: (_url, init) => fetch(`${reply}/answer`, init),
  })
  const asked = request({
    provider,
    cacheKey,
    ...(baseURL === null ? {} : { baseURL }),
    ...(options === undefined ? {} : { model: { providerOptions: options } }),
    ...(prompt ? { prompt } : {}),
    ...(waitsForPeople === undefined ? {} : { waitsForPeople }),
  })
  await models.call(asked, { delta: () => undefined }, new AbortController().signal)
  return fields(parseJson(loopback.requests(reply)[0] ?? '')) ?? {}
}

const user = { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi.' }] }
const listCall = { type: 'tool_call' as const, id: 'a', name: 'list', args: {}, argsHash: 'x' }
const called = { role: 'assistant' as const, id: 'm', parts: [listCall] }
const results = {
  role: 'tool' as const,
  results: [
    {
      callId: 'a',
      toolName: 'list',
      output: { content: [{ type: 'text' as const, text: 'one' }], isError: false },
    },
  ],
}
const said = {
  role: 'assistant' as const,
  id: 'n',
  parts: [{ type: 'text' as const, text: 'So far.' }],
}
/** An answer of so many texts and a call. */
const wide = (texts: number) => ({
  role: 'assistant' as const,
  id: 'w',
  parts: [
    ...Array.from({ length: texts }, (_, n) => ({ type: 'text' as const, text: `Part ${n}.` })),
    listCall,
  ],
})
const system = { role: 'system' as const, text: 'Be short.' }

/** The marks of a body, by where they stand. */
function marksOf(body: Fields): { readonly request: unknown; readonly blocks: readonly unknown[] } {
  const blocks = list(body['messages']).flatMap((message, n) =>
    list(fields(message)?.['content']).flatMap((block, m) => {
      const mark = fields(block)?.['cache_control']
      return mark === undefined ? [] : [[n, m, mark]]
    }),
  )
  expect(JSON.stringify(body).split('cache_control')).toHaveLength(
    1 + blocks.length + (body['cache_control'] === undefined ? 0 : 1),
  )
  return { request: body['cache_control'], blocks }
}

const ephemeral = { type: 'ephemeral' }
const gateway = 'https://gateway.example.com/v1'

describe('§19 cache 1: Anthropic', () => {
  test('results that words stand behind are marked as well: the words may be gone next time', async () => {
    const prompt = [user, called, results, user]
    const own = marksOf(await sentTo(null, 'anthropic', { prompt }))
    expect(own).toEqual({ request: ephemeral, blocks: [[2, 0, ephemeral]] })
    const other = marksOf(await sentTo(gateway, 'anthropic', { prompt }))
    const blocks = [
      [2, 0, ephemeral],
      [2, 1, ephemeral],
    ]
    expect(other).toEqual({ request: undefined, blocks })
  })

  test.each([null, 'https://api.anthropic.com/v1'])(
    'the request to %s carries the mark',
    async (at) => {
      const body = await sentTo(at, 'anthropic', { prompt: [system, user, called, results] })
      expect(marksOf(body)).toEqual({ request: ephemeral, blocks: [] })
    },
  )

  test.each<readonly [string, Prompt, readonly [number, number]]>([
    ['the words of the user', [system, user], [0, 0]],
    ['the results', [system, user, called, results], [2, 0]],
    ['the words before an answer that is gone on with', [user, said], [0, 0]],
  ])('a request to a gateway carries it on %s', async (_name, prompt, [message, block]) => {
    const body = await sentTo(gateway, 'anthropic', { prompt })
    expect(marksOf(body)).toEqual({ request: undefined, blocks: [[message, block, ephemeral]] })
  })

  test.each([
    [17, false],
    [18, true],
    [40, true],
  ])(
    'a turn of %i blocks and one result: the place of the last mark is marked as well: %s',
    async (texts, isMarked) => {
      const prompt = [user, wide(texts - 1), results]
      const blocks = isMarked ? [[0, 0, ephemeral]] : []
      const own = marksOf(await sentTo(null, 'anthropic', { prompt }))
      expect(own).toEqual({ request: ephemeral, blocks })
      const other = marksOf(await sentTo(gateway, 'anthropic', { prompt }))
      expect(other).toEqual({ request: undefined, blocks: [...blocks, [2, 0, ephemeral]] })
      const none = { anthropic: { cacheControl: null } }
      expect(marksOf(await sentTo(null, 'anthropic', { prompt, options: none })).blocks).toEqual([])
    },
  )

  test('so does one to whatever address the environment names', async () => {
    const variables = { ANTHROPIC_BASE_URL: gateway }
    const { request: mark, blocks } = marksOf(await sentTo(null, 'anthropic', { variables }))
    expect([mark, blocks.length]).toEqual([undefined, 1])
  })

  test.each([null, gateway])('a configured one stands, at %s', async (at) => {
    const cacheControl = { type: 'ephemeral', ttl: '1h' }
    const body = await sentTo(at, 'anthropic', { options: { anthropic: { cacheControl } } })
    expect(marksOf(body)).toEqual({ request: cacheControl, blocks: [] })
  })

  test.each([null, gateway])(
    'null takes it away, and leaves the other options, at %s',
    async (at) => {
      const options = { anthropic: { cacheControl: null, disableParallelToolUse: true } }
      const body = await sentTo(at, 'anthropic', { options })
      expect(marksOf(body)).toEqual({ request: undefined, blocks: [] })
      expect(body['tool_choice']).toMatchObject({ disable_parallel_tool_use: true })
    },
  )

  test('of a run that may wait for people it is kept for an hour, at Anthropic alone', async () => {
    const hour = { type: 'ephemeral', ttl: '1h' }
    const prompt = [system, user, called, results]
    const own = await sentTo(null, 'anthropic', { prompt, waitsForPeople: true })
    expect(marksOf(own)).toEqual({ request: hour, blocks: [] })
    // Marks of one request are of one time: one of an hour may not stand behind one of minutes.
    const reminded = await sentTo(null, 'anthropic', {
      prompt: [...prompt, user],
      waitsForPeople: true,
    })
    expect(marksOf(reminded)).toEqual({ request: hour, blocks: [[2, 0, hour]] })
    const other = await sentTo(gateway, 'anthropic', { prompt, waitsForPeople: true })
    expect(marksOf(other)).toEqual({ request: undefined, blocks: [[2, 0, ephemeral]] })
    const options = { anthropic: { cacheControl: { type: 'ephemeral' } } }
    const configured = await sentTo(null, 'anthropic', { prompt, options, waitsForPeople: true })
    expect(marksOf(configured)).toEqual({ request: ephemeral, blocks: [] })
  })

  test('other options beside it stay', async () => {
    const body = await sentTo(null, 'anthropic', {
      options: { anthropic: { serviceTier: 'auto' } },
    })
    expect(body).toMatchObject({ cache_control: ephemeral, service_tier: 'auto' })
  })
})

/** Each message of a body as a list of the names of its blocks. */
const blocksOf = (body: Fields) =>
  list(body['messages']).map((message) =>
    list(fields(message)?.['content']).map((block) => Object.keys(fields(block) ?? {}).join()),
  )

describe('§19 cache 1: Bedrock', () => {
  test.each<readonly [string, Prompt, readonly (readonly string[])[]]>([
    ['the last words of the user', [system, user], [['text', 'cachePoint']]],
    [
      'the last results',
      [system, user, called, results],
      [['text'], ['toolUse'], ['toolResult', 'cachePoint']],
    ],
    [
      'what was said behind the results',
      [user, called, results, user],
      [['text'], ['toolUse'], ['toolResult', 'cachePoint', 'text', 'cachePoint']],
    ],
    [
      'the words before an answer that is gone on with',
      [user, said],
      [['text', 'cachePoint'], ['text']],
    ],
  ])('the prompt is marked behind %s', async (_name, prompt, blocks) => {
    const body = await sent('amazon-bedrock', { model: claude, prompt })
    expect(blocksOf(body)).toEqual(blocks)
    expect(JSON.stringify(body)).toContain('{"cachePoint":{"type":"default"}}')
  })

  test('a wide turn has the place of the last mark marked as well', async () => {
    const body = await sent('amazon-bedrock', { model: claude, prompt: [user, wide(20), results] })
    const blocks = blocksOf(body)
    expect([blocks[0], blocks.at(-1)]).toEqual([
      ['text', 'cachePoint'],
      ['toolResult', 'cachePoint'],
    ])
  })

  test.each([
    'anthropic.claude-3-5-haiku-20241022-v1:0',
    'us.anthropic.claude-3-7-sonnet-20250219-v1:0',
    'anthropic.claude-3-5-sonnet-20241022-v2:0',
    'global.anthropic.claude-opus-4-6-v1',
    'arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-20250514-v1:0',
  ])('%s gets the mark', async (model) => {
    expect(JSON.stringify(await sent('amazon-bedrock', { model }))).toContain('cachePoint')
  })

  /** Each answers a request with a cache point with an error. */
  test.each([
    'meta.llama3-3-70b-instruct-v1:0',
    'us.deepseek.r1-v1:0',
    'amazon.nova-pro-v1:0',
    'anthropic.claude-3-5-sonnet-20240620-v1:0',
    'anthropic.claude-3-haiku-20240307-v1:0',
    'anthropic.claude-v2:1',
    'anthropic.claude-instant-v1',
    // The name does not say which model the profile stands for.
    'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abcdefghijk2',
  ])('%s gets none', async (model) => {
    expect(JSON.stringify(await sent('amazon-bedrock', { model }))).not.toContain('cachePoint')
  })

  test.each(['bedrock', 'amazonBedrock'])('one under %s stands, for any model', async (name) => {
    const cachePoint = { type: 'default', ttl: '1h' }
    for (const model of [claude, 'amazon.nova-pro-v1:0']) {
      const body = await sent('amazon-bedrock', { model, options: { [name]: { cachePoint } } })
      const [block] = list(fields(list(body['messages']).at(-1))?.['content']).slice(-1)
      expect(block).toEqual({ cachePoint })
    }
  })

  test('null takes it away', async () => {
    const options = { bedrock: { cachePoint: null } }
    const body = await sent('amazon-bedrock', { model: claude, options })
    expect(JSON.stringify(body)).not.toContain('cachePoint')
  })

  test('options under the other name are read beside it', async () => {
    const options = {
      amazonBedrock: { cachePoint: { type: 'default' } },
      bedrock: { additionalModelRequestFields: { top_k: 5 } },
    }
    const body = await sent('amazon-bedrock', { model: claude, options })
    expect(body['additionalModelRequestFields']).toMatchObject({ top_k: 5 })
    expect(JSON.stringify(body)).toContain('cachePoint')
  })

  test('true is the mark of ours', async () => {
    const model =
      'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abcdefghijk2'
    const body = await sent('amazon-bedrock', { model, options: { bedrock: { cachePoint: true } } })
    expect(JSON.stringify(body)).toContain('{"cachePoint":{"type":"default"}}')
  })

  test('one that is no object is refused before anything is sent', async () => {
    const model = { model: claude, providerOptions: { bedrock: { cachePoint: 'default' } } }
    const { turn } = await ask({ provider: 'amazon-bedrock', baseURL: 'http://127.0.0.1:1', model })
    expect(turn.error).toMatchObject({ class: 'invalid_request', code: 'configuration' })
    expect(turn.error?.message).toContain('providerOptions.bedrock.cachePoint')
  })
})

describe.each(['openai', 'openai-responses'] as const)('§4.3: %s', (provider) => {
  test.each([null, 'https://api.openai.com/v1', 'https://eu.api.openai.com/v1'])(
    'the request to %s carries the key of its conversation',
    async (at) => {
      expect((await sentTo(at, provider))['prompt_cache_key']).toBe(cacheKey)
    },
  )

  test.each([
    gateway,
    'https://mine.openai.azure.com/openai/v1',
    'https://api.groq.com/openai/v1',
    'https://openai.com.example.com/v1',
  ])('a request to %s carries none unasked', async (at) => {
    expect(await sentTo(at, provider)).not.toHaveProperty('prompt_cache_key')
    const variables = { OPENAI_BASE_URL: at }
    expect(await sentTo(null, provider, { variables })).not.toHaveProperty('prompt_cache_key')
    const asked = await sentTo(at, provider, { options: { openai: { promptCacheKey: true } } })
    expect(asked['prompt_cache_key']).toBe(cacheKey)
  })

  test('a configured one stands, null takes it away', async () => {
    const own = await sentTo(null, provider, { options: { openai: { promptCacheKey: 'mine' } } })
    expect(own['prompt_cache_key']).toBe('mine')
    const options = { openai: { promptCacheKey: null, user: 'u' } }
    const none = await sentTo(null, provider, { options })
    expect(none).not.toHaveProperty('prompt_cache_key')
    expect(none['user']).toBe('u')
  })

  test('where no conversation is known there is none', async () => {
    const wire = wireOf(provider)
    const baseURL = loopback.reply(streamReply(wire, goodEnding(wire)))
    const model = { providerOptions: { openai: { promptCacheKey: true } } }
    const { turn } = await ask({ provider, baseURL, model })
    expect(turn.verdict).toBe('complete')
    expect(loopback.requests(baseURL)[0]).not.toContain('prompt_cache_key')
  })
})

describe('§4.3: Azure', () => {
  test('gets a key only where it is configured', async () => {
    expect(await sent('azure')).not.toHaveProperty('prompt_cache_key')
  })

  test.each(['azure', 'openai'])('under %s', async (name) => {
    for (const [promptCacheKey, expected] of [
      ['mine', 'mine'],
      [true, cacheKey],
      [null, undefined],
    ] as const) {
      const body = await sent('azure', { options: { [name]: { promptCacheKey } } })
      expect(body['prompt_cache_key']).toBe(expected)
    }
  })
})

test.each(['openai-compatible', 'google'] as const)('%s gets nothing', async (provider) => {
  expect(JSON.stringify(await sent(provider))).not.toMatch(/cache/i)
})

/** A body without its marks. */
const unmarked = (body: Fields): unknown =>
  JSON.parse(
    JSON.stringify(body, (key, value: unknown) => {
      if (key === 'cache_control') return undefined
      return Array.isArray(value) ? value.filter((item) => !fields(item)?.['cachePoint']) : value
    }),
  )

/** A turn with three calls, a thought and their results. */
function turnOf(n: number): Prompt {
  const calls = [0, 1, 2].map((at) => ({ ...listCall, id: `c_${n}_${at}`, args: { n, at } }))
  const output = { content: [{ type: 'text' as const, text: `page ${n}` }], isError: n % 7 === 0 }
  return [
    { role: 'assistant', id: `m_${n}`, parts: [{ type: 'text', text: `Page ${n}.` }, ...calls] },
    { role: 'tool', results: calls.map(({ id }) => ({ callId: id, toolName: 'list', output })) },
    ...(n % 10 === 0 ? [user] : []),
  ]
}

/** §19 cache 3, on the wire: what a provider is sent again it is sent in the same bytes. */
test.each<readonly [Provider, string, string]>([
  ['anthropic', 'test-model', 'messages'],
  ['amazon-bedrock', claude, 'messages'],
  ['openai', 'test-model', 'messages'],
  ['openai-responses', 'test-model', 'input'],
  ['google', 'test-model', 'contents'],
])(
  '§19 cache 3: %s: over 50 turns each body begins with the one before',
  async (provider, model, at) => {
    let prompt: Prompt = [system, user]
    let before = ''
    for (let n = 1; n <= 50; n += 1) {
      const body = fields(unmarked(await sent(provider, { model, prompt })))
      const conversation = body?.[at]
      const now = JSON.stringify(conversation).slice(0, -1)
      expect(now.startsWith(before)).toBe(true)
      expect(now.length).toBeGreaterThan(before.length)
      before = now
      prompt = [...prompt, ...turnOf(n)]
    }
  },
)
