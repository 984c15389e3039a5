/**
 * What requests say about caches, in the bytes that leave the process. Would catch: a conversation that is paid whole each turn, a mark
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

type More = Pick<Asked, 'prompt'> & { readonly model?: string; readonly options?: JsonObject }

/** The body of a request. */
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

const user = { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi.' }] }
const called = {
  role: 'assistant' as const,
  id: 'm',
  parts: [{ type: 'tool_call' as const, id: 'a', name: 'list', args: {}, argsHash: 'x' }],
}
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
const system = { role: 'system' as const, text: 'Be short.' }

describe('§19 cache 1: Anthropic', () => {
  test('the request carries the mark', async () => {
    const body = await sent('anthropic')
    expect(body['cache_control']).toEqual({ type: 'ephemeral' })
    // Once: the provider allows four, and moves this one to the last block that can have one.
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(1)
  })

  test('a configured one stands', async () => {
    const options = { anthropic: { cacheControl: { type: 'ephemeral', ttl: '1h' } } }
    const body = await sent('anthropic', { options })
    expect(body['cache_control']).toEqual({ type: 'ephemeral', ttl: '1h' })
  })

  test('null takes it away, and leaves the other options', async () => {
    const options = { anthropic: { cacheControl: null, disableParallelToolUse: true } }
    const body = await sent('anthropic', { options })
    expect(JSON.stringify(body)).not.toContain('cache_control')
    expect(body['tool_choice']).toMatchObject({ disable_parallel_tool_use: true })
  })

  test('other options beside it stay', async () => {
    const body = await sent('anthropic', { options: { anthropic: { serviceTier: 'auto' } } })
    expect(body).toMatchObject({ cache_control: { type: 'ephemeral' }, service_tier: 'auto' })
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
      [['text'], ['toolUse'], ['toolResult', 'text', 'cachePoint']],
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
    // What it stands for, its name does not say.
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

  test('one that is no object is refused before anything is sent', async () => {
    const model = { model: claude, providerOptions: { bedrock: { cachePoint: true } } }
    const { turn } = await ask({ provider: 'amazon-bedrock', baseURL: 'http://127.0.0.1:1', model })
    expect(turn.error).toMatchObject({ class: 'invalid_request', code: 'configuration' })
    expect(turn.error?.message).toContain('providerOptions.bedrock.cachePoint')
  })
})

describe.each(['openai', 'openai-responses'] as const)('§4.3: %s', (provider) => {
  test('the request carries the key of its conversation', async () => {
    expect((await sent(provider))['prompt_cache_key']).toBe(cacheKey)
  })

  test('a configured one stands, null takes it away', async () => {
    const own = await sent(provider, { options: { openai: { promptCacheKey: 'mine' } } })
    expect(own['prompt_cache_key']).toBe('mine')
    const none = await sent(provider, { options: { openai: { promptCacheKey: null, user: 'u' } } })
    expect(none).not.toHaveProperty('prompt_cache_key')
    expect(none['user']).toBe('u')
  })

  test('where no conversation is known there is none', async () => {
    const wire = wireOf(provider)
    const baseURL = loopback.reply(streamReply(wire, goodEnding(wire)))
    await ask({ provider, baseURL })
    expect(loopback.requests(baseURL)[0]).not.toContain('prompt_cache_key')
  })
})

test('§4.3: Azure gets a key only where it is configured', async () => {
  expect(await sent('azure')).not.toHaveProperty('prompt_cache_key')
  for (const name of ['azure', 'openai']) {
    const body = await sent('azure', { options: { [name]: { promptCacheKey: 'mine' } } })
    expect(body['prompt_cache_key']).toBe('mine')
    const none = await sent('azure', { options: { [name]: { promptCacheKey: null } } })
    expect(none).not.toHaveProperty('prompt_cache_key')
  }
})

test.each(['openai-compatible', 'google'] as const)('%s gets nothing', async (provider) => {
  expect(JSON.stringify(await sent(provider))).not.toMatch(/cache/i)
})

/** Hosts, sent to the loopback server below the package. */
test.each([
  ['https://api.openai.com/v1', true],
  ['https://eu.api.openai.com/v1', true],
  ['https://gateway.example.com/openai/v1', true],
  ['https://mine.openai.azure.com/openai/v1', false],
  ['https://api.groq.com/openai/v1', false],
])('openai at %s gets a key: %s', async (baseURL, hasKey) => {
  const reply = loopback.reply(streamReply('chat', goodEnding('chat')))
  const models = createModels({
    env,
    fetch: (_url, init) => fetch(`${reply}/chat/completions`, init),
  })
  const asked = request({ provider: 'openai', baseURL, cacheKey })
  await models.call(asked, { delta: () => undefined }, new AbortController().signal)
  expect((loopback.requests(reply)[0] ?? '').includes(cacheKey)).toBe(hasKey)
})
