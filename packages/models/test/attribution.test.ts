/**
 * The id of the end user on the wire: in the field that the provider has for it, nowhere else, and never in place of what
 * the configuration says itself.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createModels } from '../src/index.ts'
import { wireOf } from '../src/observer/wires.ts'
import { fields, parseJson } from '../src/read.ts'
import { ask, type Asked, env, type Provider, request, streamReply } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { goodEnding } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const endUser = 'eu_5f3c9a'

async function sent(provider: Provider, more: Pick<Asked, 'model' | 'endUser'>) {
  const baseURL = loopback.reply(streamReply(wireOf(provider), goodEnding(wireOf(provider))))
  await ask({ provider, baseURL, ...more })
  return loopback.requests(baseURL)[0] ?? ''
}

/** The fields of the body that name a user. */
function named(body: string) {
  const { safety_identifier, user, user_id, metadata } = fields(parseJson(body)) ?? {}
  return JSON.parse(JSON.stringify({ safety_identifier, user, user_id, metadata }))
}

const rows: readonly (readonly [Provider, object])[] = [
  ['openai', { safety_identifier: endUser }],
  ['openai-responses', { safety_identifier: endUser }],
  ['azure', { user: endUser }],
  ['openai-compatible', { user: endUser }],
  ['anthropic', { metadata: { user_id: endUser } }],
  ['google', {}],
  ['amazon-bedrock', {}],
]

describe.each(rows)('%s', (provider, expected) => {
  test('has it in its own field', async () => {
    const body = await sent(provider, { endUser })
    expect(named(body)).toEqual(expected)
    expect(body.includes(endUser)).toBe(Object.keys(expected).length > 0)
  })

  test('has nothing where there is no end user', async () => {
    expect(named(await sent(provider, {}))).toEqual({})
  })
})

describe('a value of the configuration stands', () => {
  test.each([
    ['openai', { openai: { safetyIdentifier: 'mine' } }, { safety_identifier: 'mine' }],
    ['openai-responses', { openai: { safetyIdentifier: 'mine' } }, { safety_identifier: 'mine' }],
    ['azure', { azure: { user: 'mine' } }, { user: 'mine' }],
    ['azure', { openai: { user: 'mine' } }, { user: 'mine' }],
    ['openai-compatible', { 'openai-compatible': { user: 'mine' } }, { user: 'mine' }],
    ['openai-compatible', { openaiCompatible: { user: 'mine' } }, { user: 'mine' }],
    [
      'anthropic',
      { anthropic: { metadata: { userId: 'mine' } } },
      { metadata: { user_id: 'mine' } },
    ],
  ] as const)('%s: %j', async (provider, providerOptions, expected) => {
    const body = await sent(provider, { endUser, model: { providerOptions } })
    expect(named(body)).toEqual(expected)
    expect(body).not.toContain(endUser)
  })

  test('other options beside it stay', async () => {
    const model = { providerOptions: { openai: { user: 'mine', seed: 1 } } }
    expect(named(await sent('openai', { endUser, model }))).toEqual({
      safety_identifier: endUser,
      user: 'mine',
    })
  })
})

/** Hosts of vendors, sent to the loopback server below the package. */
describe.each([
  ['https://open.bigmodel.cn/api/paas/v4', { user_id: endUser }],
  ['https://api.z.ai/api/coding/paas/v4', { user_id: endUser }],
  ['https://api.mistral.ai/v1', {}],
  ['https://api.moonshot.ai/v1', { user: endUser }],
  ['https://bigmodel.cn.example.com/v1', { user: endUser }],
  ['https://notz.ai/v1', { user: endUser }],
])('%s', (baseURL, expected) => {
  test(`has ${JSON.stringify(expected)}`, async () => {
    const reply = loopback.reply(streamReply('chat', goodEnding('chat')))
    const models = createModels({
      env,
      fetch: (_url, init) => fetch(`${reply}/chat/completions`, init),
    })
    const asked = request({ provider: 'openai-compatible', baseURL, endUser })
    await models.call(asked, { delta: () => undefined }, new AbortController().signal)
    expect(named(loopback.requests(reply)[0] ?? '')).toEqual(expected)
  })
})
