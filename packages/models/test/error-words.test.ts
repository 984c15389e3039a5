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
