/** Words of errors. Would catch: a short argument that an error quotes, and an error without calls that says nothing. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, askStream, jsonReply } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { built } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const provider = 'openai-compatible'
const { open, wholeCall } = built.chat
const error = { code: 'server_error', message: 'Cannot read {"pin":"4931"}.' }

test('an error beside a call keeps its class and its code, and no word', async () => {
  const { turn } = await askStream(loopback, { provider }, [...open, ...wholeCall, { error }])
  expect(turn.error).toMatchObject({ class: 'overloaded', code: 'server_error' })
  expect(JSON.stringify(turn)).not.toContain('4931')
})

test('a code that is a quotation goes too', async () => {
  const quoting = { code: '{"pin":"4931"}', message: 'No.' }
  const { turn } = await askStream(loopback, { provider }, [
    ...open,
    ...wholeCall,
    { error: quoting },
  ])
  expect(turn.error).toBeDefined()
  expect(JSON.stringify(turn)).not.toContain('4931')
})

test('a call that the provider could not use is one', async () => {
  const failed = { code: 'tool_use_failed', message: 'Bad: "4931".', failed_generation: '"4931"' }
  const reply = jsonReply(400, { error: failed })
  const { turn } = await ask({ provider, baseURL: loopback.reply(reply) })
  expect(turn.error).toMatchObject({
    class: 'tool_use_failed',
    code: 'tool_use_failed',
    status: 400,
  })
  expect(JSON.stringify(turn)).not.toContain('4931')
})

test('an error without a call keeps its words', async () => {
  const { turn } = await askStream(loopback, { provider }, [...open, { error }])
  expect(turn.error?.message).toBe(error.message)
})

test.each([
  [500, `error parsing tool call: raw='{"pin":"4931"', err=unexpected end of JSON input`],
  [500, 'Failed to parse tool call arguments as JSON: syntax error; last read: "4931"'],
  [422, 'Invalid function call arguments: {"pin": "4931"}'],
  [400, 'tool_use_failed, generation was {"pin":4931}'],
])(
  'a server that parses calls itself shows them in an error with status %i',
  async (status, message) => {
    for (const body of [{ error: message }, { error: { message, code: message } }]) {
      const { turn } = await ask({ provider, baseURL: loopback.reply(jsonReply(status, body)) })
      expect(turn.error).toMatchObject({ status })
      expect(JSON.stringify(turn)).not.toContain('4931')
      const untold = await ask({
        provider,
        tools: [],
        baseURL: loopback.reply(jsonReply(status, body)),
      })
      expect(untold.turn.error?.message).toContain('4931')
    }
  },
)

test('an error about a tool that shows nothing keeps its words', async () => {
  const message = "Invalid schema for function 'write_file': no tool calls are possible."
  const reply = jsonReply(400, { error: { message } })
  const { turn } = await ask({ provider, baseURL: loopback.reply(reply) })
  expect(turn.error?.message).toBe(message)
})
