/** The prompt as the provider packages get it, and as it then stands in the request. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AssistantPart, JsonObject, Prompt, ToolResult } from '@signalbox/core'
import { wireCallId } from '../src/prompt/call-ids.ts'
import { toProviderPrompt } from '../src/prompt/to-provider-prompt.ts'
import { fields, list } from '../src/read.ts'
import { ask, streamReply } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { goodEnding } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const user = { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi.' }] }

function assistant(...parts: readonly AssistantPart[]) {
  return { role: 'assistant' as const, id: 'm', parts }
}

function call(id: string, meta?: JsonObject): AssistantPart {
  return {
    type: 'tool_call',
    id,
    name: 'list',
    args: { a: 1 },
    argsHash: 'x',
    ...(meta === undefined ? {} : { meta }),
  }
}

function result(callId: string, text: string, isError = false): ToolResult {
  return {
    callId,
    toolName: 'list',
    output: { content: text === '' ? [] : [{ type: 'text', text }], isError },
  }
}

describe('toProviderPrompt', () => {
  test('all results of a turn stand in one tool message', () => {
    const prompt: Prompt = [
      user,
      assistant(call('a'), call('b')),
      { role: 'tool', results: [result('a', 'one')] },
      { role: 'tool', results: [result('b', 'two', true)] },
    ]
    expect(toProviderPrompt(prompt, []).at(-1)).toEqual({
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'a',
          toolName: 'list',
          output: { type: 'text', value: 'one' },
        },
        {
          type: 'tool-result',
          toolCallId: 'b',
          toolName: 'list',
          output: { type: 'error-text', value: 'two' },
        },
      ],
    })
  })

  test('metadata goes to the provider it came from and to no other', () => {
    const meta = { google: { thoughtSignature: 's' } }
    const prompt: Prompt = [user, assistant({ type: 'text', text: 'x', meta }, call('a', meta))]
    expect(toProviderPrompt(prompt, ['google'])[1]).toMatchObject({
      content: [{ providerOptions: meta }, { providerOptions: meta }],
    })
    expect(JSON.stringify(toProviderPrompt(prompt, ['anthropic']))).not.toContain(
      'thoughtSignature',
    )
  })

  test('empty parts are dropped, and a message that is left with none; a redacted thought is not empty', () => {
    const meta = { anthropic: { redactedData: 'r' } }
    const prompt: Prompt = [
      user,
      assistant({ type: 'text', text: ' \n' }, { type: 'reasoning', text: '' }),
      assistant({ type: 'reasoning', text: '', meta }, { type: 'text', text: 'x' }),
    ]
    expect(toProviderPrompt(prompt, ['anthropic'])).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: '', providerOptions: meta },
          { type: 'text', text: 'x' },
        ],
      },
    ])
    expect(toProviderPrompt(prompt, [])).toHaveLength(2)
  })

  test('an empty result says so, a structured one is JSON, a blob is its preview and where the rest is', () => {
    const blob = {
      type: 'blob' as const,
      key: 'k1',
      bytes: 99_000,
      mime: 'text/plain',
      preview: 'head … tail',
    }
    const structured = { content: [], isError: false, structured: { n: 1 } }
    const prompt: Prompt = [
      {
        role: 'tool',
        results: [
          result('a', ''),
          { callId: 'b', toolName: 'list', output: structured },
          { callId: 'c', toolName: 'list', output: { content: [blob], isError: false } },
        ],
      },
    ]
    const values = list(fields(toProviderPrompt(prompt, [])[0])?.['content']).map(
      (part) => fields(fields(part)?.['output'])?.['value'],
    )
    expect(values).toEqual([
      '(no output)',
      '{"n":1}',
      'head … tail\n[99000 bytes of text/plain, shortened; the whole content is stored as k1]',
    ])
  })

  test('a system message after the start is said in the user role', () => {
    const prompt: Prompt = [{ role: 'system', text: 'a' }, user, { role: 'system', text: 'b' }]
    expect(toProviderPrompt(prompt, []).map(({ role }) => role)).toEqual(['system', 'user', 'user'])
  })

  test('a tool that the provider ran goes back to that provider only', () => {
    const part: AssistantPart = {
      type: 'provider_tool',
      id: 'srvtoolu_1',
      name: 'web_search',
      call: { query: 'x' },
      result: { value: [1] },
      meta: { anthropic: {} },
    }
    expect(toProviderPrompt([user, assistant(part)], ['anthropic'])[1]).toMatchObject({
      content: [
        {
          type: 'tool-call',
          toolCallId: 'srvtoolu_1',
          providerExecuted: true,
          input: { query: 'x' },
        },
        { type: 'tool-result', toolCallId: 'srvtoolu_1', output: { type: 'json', value: [1] } },
      ],
    })
    expect(toProviderPrompt([user, assistant(part)], ['openai'])).toHaveLength(1)
  })
})

describe('wireCallId', () => {
  test('a narrow id stays, any other becomes a narrow one of its own', () => {
    const ids = ['call_1', 'a'.repeat(41), 'ü', 'a b', '', 'run:0001/7']
    const mapped = ids.map(wireCallId)
    expect(mapped[0]).toBe('call_1')
    for (const id of mapped) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/)
    expect(new Set(mapped).size).toBe(ids.length)
    expect(ids.map(wireCallId)).toEqual(mapped)
  })
})

describe('the request', () => {
  test('Gemini gets the responses of one turn in one content', async () => {
    const baseURL = loopback.reply(streamReply('gemini', goodEnding('gemini')))
    const prompt: Prompt = [
      user,
      assistant(call('a'), call('b')),
      { role: 'tool', results: [result('a', 'one'), result('b', 'two')] },
    ]
    await ask({ provider: 'google', baseURL, prompt })
    const body = fields(JSON.parse(loopback.requests(baseURL)[0] ?? '{}'))
    expect(list(body?.['contents'])).toHaveLength(3)
  })

  test('options of the configuration arrive; Responses are not stored unless it says so', async () => {
    const reply = streamReply('responses', goodEnding('responses'))
    const bodies = await Promise.all(
      [{ openai: { user: 'u1' } }, { openai: { store: true } }].map(async (providerOptions) => {
        const baseURL = loopback.reply(reply)
        const model = { providerOptions, temperature: 0.5, maxOutputTokens: 99 }
        await ask({ provider: 'openai-responses', baseURL, model })
        return fields(JSON.parse(loopback.requests(baseURL)[0] ?? '{}'))
      }),
    )
    expect(bodies[0]).toMatchObject({
      user: 'u1',
      store: false,
      max_output_tokens: 99,
      temperature: 0.5,
    })
    expect(bodies[1]).toMatchObject({ store: true })
  })
})
