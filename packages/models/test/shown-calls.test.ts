/**
 * What a server shows of a call that it could not read, in whatever format its model writes calls; arguments that a model puts into the name of a
 * tool. Would catch: a short argument in the words of an error, in the feedback that a guardrail made of them, or beside the name.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Prompt } from '@signalbox/core'
import { StreamGuardSpec } from '@signalbox/core'
import { createGuardrail } from '../../policies/src/guardrails/create-guardrail.ts'
import { createStreamGuard } from '../../policies/src/guardrails/create-stream-guard.ts'
import { toProviderPrompt } from '../src/prompt/to-provider-prompt.ts'
import { fields } from '../src/read.ts'
import { ask, askStream, jsonReply, tool } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { built, chatDelta, goodEnding } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const provider = 'openai-compatible'
const pin = '4931'
const tools = [tool('pay')]

const refusal = (status: number, error: object) =>
  ask({ provider, tools, baseURL: loopback.reply(jsonReply(status, { error })) })

describe('an error that shows a call', () => {
  test.each([
    [
      'elements of GLM',
      `Failed to parse input at pos 0: <tool_call>pay<arg_key>pin</arg_key><arg_value>${pin}</arg_value>`,
    ],
    [
      'elements of Qwen',
      `Failed to parse input at pos 12: <function=pay><parameter=pin>${pin}</parameter></function>`,
    ],
    [
      'elements of Claude',
      `Could not read: <invoke name="pay"><parameter name="pin">${pin}</parameter></invoke>`,
    ],
    ['Python', `Error in extracting tool call from response: [pay(pin=${pin})]`],
    [
      'Pydantic',
      `1 validation error for pay\npin\n  Input should be a string [type=string_type, input_value=${pin}, input_type=int]`,
    ],
    ['a sentence', `Invalid value for tool call argument 'pin': ${pin}`],
    ['channels', `Failed to parse output: <|channel|>commentary to=functions.pay<|message|>${pin}`],
    ['signs of DeepSeek', `Cannot read <｜tool▁calls▁begin｜>pay ${pin}`],
  ])('loses its words: %s', async (_name, message) => {
    for (const status of [400, 422, 500]) {
      const { turn } = await refusal(status, { message })
      expect(turn.error).toMatchObject({ status })
      expect(JSON.stringify(turn)).not.toContain(pin)
    }
  })

  test.each([
    'tool_choice="auto" requires --enable-auto-tool-choice and --tool-call-parser to be set',
    "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
    '`tool_use` ids were found without `tool_result` blocks immediately after: toolu_01.',
    "Invalid 'tools[0].function.name': string does not match pattern.",
    'max_tokens must be < 4096 and temperature <= 2',
  ])('that shows none keeps them: %s', async (message) => {
    const { turn } = await refusal(400, { message })
    expect(turn.error?.message).toBe(message)
  })
})

const recovering = () => {
  const guardrail = createGuardrail(StreamGuardSpec.parse({ use: 'error-recovery' }))
  if (!guardrail) throw new Error('no such guardrail')
  return createStreamGuard({
    guardrails: [guardrail],
    context: { availableTools: ['pay'], availableSkills: [], attempt: 0 },
  })
}

const failed = async (errors: string, generation: string) => {
  const message = `tool call validation failed: parameters for tool pay did not match schema: errors: [${errors}]`
  const error = { code: 'tool_use_failed', message, failed_generation: generation }
  const baseURL = loopback.reply(jsonReply(400, { error }))
  return (await ask({ provider, tools, baseURL, guard: recovering() })).turn
}

describe('the feedback of error recovery', () => {
  test.each([
    ['a number', `{"name":"pay","arguments":{"pin":${pin}}}`],
    ['a text', `{"name":"pay","arguments":{"pin":"${pin}"}}`],
    ['JSON in JSON', JSON.stringify({ name: 'pay', arguments: JSON.stringify({ pin }) })],
    ['no JSON', `<function=pay>{"pin": ${pin}`],
  ])('does not name an argument, however short: %s', async (_name, generation) => {
    const turn = await failed(`\`/pin\`: value ${pin} is not allowed`, generation)
    expect(turn.verdict).toBe('guardrail')
    expect(turn.trip?.partType).toBe('error')
    expect(JSON.stringify(turn)).not.toContain(pin)
  })

  test('still says what is wrong where no argument is named', async () => {
    const turn = await failed(
      '`/pin`: expected string, but got integer',
      `{"name":"pay","arguments":{"pin":${pin}}}`,
    )
    expect(turn.trip?.feedback).toContain('expected string, but got integer')
    expect(turn.trip?.feedback).toContain('pay')
  })
})

describe('a name of a tool that holds arguments', () => {
  const name = `pay{"pin":"${pin}"}`
  const { open } = built.chat
  const begun = chatDelta({
    tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name, arguments: '{}' } }],
  })

  test('of a call that is taken out: they are stored nowhere', async () => {
    const { turn } = await askStream(loopback, { provider, tools }, [...open, begun])
    expect(turn.verdict).toBe('interrupted')
    expect(turn.suppressed).toMatchObject([{ name: 'unknown' }])
    expect(JSON.stringify(turn)).not.toContain(pin)
  })

  test('of a whole call: it runs nothing, and the model reads why', async () => {
    const { turn } = await askStream(loopback, { provider, tools }, [
      ...open,
      begun,
      ...goodEnding('chat'),
    ])
    expect(turn.verdict).toBe('complete')
    expect(turn.message.parts.at(-1)).toMatchObject({
      name: 'unknown',
      invalid: { code: 'unknown_tool' },
    })
    expect(JSON.stringify(turn)).not.toContain(pin)
  })
})

test.each(['functions.pay', 'pay<|channel|>json', 'pay now', 'x'.repeat(90), ''])(
  'a name that providers refuse is sent as one that they take: %s',
  (name) => {
    const output = { content: [{ type: 'text' as const, text: 'no' }], isError: true }
    const prompt: Prompt = [
      { role: 'user', parts: [{ type: 'text', text: 'Hi.' }] },
      {
        role: 'assistant',
        id: 'm',
        parts: [{ type: 'tool_call', id: 'a', name, args: {}, argsHash: 'x' }],
      },
      { role: 'tool', results: [{ callId: 'a', toolName: name, output }] },
    ]
    const sent = toProviderPrompt(prompt, []).flatMap(({ content }): readonly unknown[] =>
      Array.isArray(content) ? content : [],
    )
    const names = sent.flatMap((part) => fields(part)?.['toolName'] ?? [])
    expect(names).toHaveLength(2)
    expect(new Set(names).size).toBe(1)
    // OpenAI and Anthropic: https://platform.openai.com/docs/api-reference/chat/create, tools.function.name.
    expect(names[0]).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  },
)
