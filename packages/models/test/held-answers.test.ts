/**
 * An answer that is held to a schema, in the bytes that leave the process and in what comes back. The forms are those of the interfaces of
 * the vendors. Would catch: a form that a server refuses unasked, a call of a tool in place of an answer, another byte where nobody is held.
 */
import type { JsonObject } from '@signalbox/core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createModels } from '../src/index.ts'
import { wireOf } from '../src/observer/wires.ts'
import { type Fields, fields, parseJson } from '../src/read.ts'
import { type Asked, env, type Provider, providers, request, streamReply } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { goodEnding } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const schema = {
  type: 'object',
  properties: { title: { type: 'string', description: 'The heading.' } },
  required: ['title'],
  additionalProperties: false,
}
const claude = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'
const azureUrl = 'https://resource.openai.azure.com/openai'
const gateway = 'https://gateway.example.com/v1'

/** Asks a provider, at its usual address unless another is named; below the package the request goes to the loopback server. */
async function asked(provider: Provider, more: Partial<Asked> = {}) {
  const wire = wireOf(provider)
  const reply = loopback.reply(streamReply(wire, goodEnding(wire)))
  const models = createModels({ env, fetch: (_url, init) => fetch(`${reply}/answer`, init) })
  const usual = provider === 'azure' ? azureUrl : undefined
  const baseURL = more.baseURL ?? usual
  const call = request({
    provider,
    tools: [],
    ...more,
    ...(baseURL === undefined ? {} : { baseURL }),
  })
  const turn = await models.call(call, { delta: () => undefined }, new AbortController().signal)
  return { turn, bytes: loopback.requests(reply)[0] ?? '' }
}

async function body(provider: Provider, more: Partial<Asked> = {}): Promise<Fields> {
  const { bytes } = await asked(provider, { answer: schema, ...more })
  return fields(parseJson(bytes)) ?? {}
}

describe('the form of the answer', () => {
  test.each(['openai', 'azure'] as const)('%s: response_format', async (provider) => {
    expect((await body(provider))['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', strict: true, schema },
    })
  })

  test('openai-responses: text.format', async () => {
    expect((await body('openai-responses'))['text']).toEqual({
      format: { type: 'json_schema', name: 'answer', strict: true, schema },
    })
  })

  test('anthropic: output_config, and no tool', async () => {
    const sent = await body('anthropic')
    expect(sent['output_config']).toEqual({ format: { type: 'json_schema', schema } })
    expect(sent).not.toHaveProperty('tools')
    expect(sent).not.toHaveProperty('tool_choice')
  })

  test('google: responseJsonSchema', async () => {
    expect((await body('google'))['generationConfig']).toMatchObject({
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object', required: ['title'] },
    })
  })

  test('amazon-bedrock: of Claude, and no tool', async () => {
    const sent = await body('amazon-bedrock', { model: { model: claude } })
    expect(sent['additionalModelRequestFields']).toEqual({
      output_config: { format: { type: 'json_schema', schema } },
    })
    expect(sent).not.toHaveProperty('toolConfig')
  })

  test('with the options that are configured', async () => {
    const providerOptions: JsonObject = { anthropic: { effort: 'low' } }
    expect((await body('anthropic', { model: { providerOptions } }))['output_config']).toEqual({
      effort: 'low',
      format: { type: 'json_schema', schema },
    })
  })
})

describe('nobody is held', () => {
  test.each<readonly [Provider, Partial<Asked>]>([
    ['openai-compatible', { baseURL: gateway }],
    ['openai', { baseURL: gateway }],
    ['openai-responses', { baseURL: gateway }],
    ['anthropic', { baseURL: gateway }],
    ['amazon-bedrock', { model: { model: 'amazon.nova-lite-v1:0' } }],
  ])('who may not know the form: %s %j', async (provider, more) => {
    const held = await asked(provider, { ...more, answer: schema })
    expect(held.bytes).toBe((await asked(provider, more)).bytes)
  })

  test.each(providers)('%s, where nothing is asked for', async (provider) => {
    const { bytes } = await asked(
      provider,
      provider === 'openai-compatible' ? { baseURL: gateway } : {},
    )
    expect(bytes).not.toMatch(/json_schema|response_format|output_config|responseJsonSchema/)
  })
})

test.each(providers)('%s: what comes back is text, of a turn that has closed', async (provider) => {
  const more = provider === 'openai-compatible' ? { baseURL: gateway } : {}
  const { turn } = await asked(provider, { answer: schema, ...more })
  expect(turn.verdict).toBe('complete')
})
