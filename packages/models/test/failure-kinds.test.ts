/**
 * Why a call failed, by what a real server on the loopback interface does, or by there being none. Would catch: a wrong key, a wrong
 * name of a model and a dead address that read the same (bad-days F2); a key or words of a provider in what clients are told.
 */
import { failureOf } from '@signalbox/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createModels } from '../src/index.ts'
import { freePort } from '../../../test/contract/free-port.ts'
import { ask, type Asked, env, jsonReply, request } from './support/call.ts'
import { type Loopback, type Reply, startLoopback } from './support/loopback.ts'

let loopback: Loopback
let closed = 0
beforeAll(async () => {
  loopback = await startLoopback()
  closed = await freePort()
})
afterAll(() => loopback.close())

const words = 'the words of the provider'
const said = (status: number, error: object = {}, headers = {}): Reply =>
  jsonReply(status, { error: { message: words, ...error } }, headers)
const page: Reply['body'] = [new TextEncoder().encode(`<html><body>${words}</body></html>`)]
const html = (status: number): Reply => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: page,
})
const sse = { 'content-type': 'text/event-stream' }
const at = (reply: Reply) => (): Partial<Asked> => ({ baseURL: loopback.reply(reply) })

const cases: readonly (readonly [string, () => Partial<Asked>, object, RegExp])[] = [
  [
    '401',
    at(said(401)),
    { class: 'auth', status: 401, keyEnv: 'TEST_KEY' },
    /^auth: 401 from openai \(TEST_KEY\): check the key$/,
  ],
  [
    '403',
    at(said(403)),
    { class: 'auth', status: 403, keyEnv: 'TEST_KEY' },
    /403 from openai \(TEST_KEY\): check what the key may do/,
  ],
  [
    '404',
    at(said(404, { code: 'model_not_found' })),
    { class: 'not_found', status: 404, code: 'model_not_found' },
    /404 from openai: check the model "test-model"/,
  ],
  ['404 as a page', at(html(404)), { class: 'not_found', status: 404 }, /the base URL/],
  ['400', at(said(400)), { class: 'invalid_request', status: 400 }, /refused the request/],
  ['402', at(said(402)), { class: 'quota', status: 402, keyEnv: 'TEST_KEY' }, /no credit/],
  [
    '429',
    at(said(429, {}, { 'retry-after': '7' })),
    { class: 'rate_limit', status: 429 },
    /too many requests/,
  ],
  ['500', at(said(500)), { class: 'overloaded', status: 500 }, /try again later/],
  ['529', at(said(529)), { class: 'overloaded', status: 529 }, /try again later/],
  ['a page in the place of a stream', at(html(200)), { class: 'protocol' }, /check the base URL/],
  ['an error with the status 200', at(said(200)), { class: 'protocol' }, /check the base URL/],
  [
    'a stream without an event',
    at({ headers: sse, body: [] }),
    { class: 'protocol' },
    /check the base URL/,
  ],
  [
    'an answer without a body',
    at({ status: 204, body: [] }),
    { class: 'protocol' },
    /check the base URL/,
  ],
  [
    'silence',
    () => ({ ...at({ headers: sse, body: [], end: 'hang' })(), model: { idleTimeoutMs: 50 } }),
    { class: 'timeout', code: 'idle_timeout' },
    /model\.idleTimeoutMs/,
  ],
  [
    'nobody at the port',
    () => ({ baseURL: `http://127.0.0.1:${closed}` }),
    { class: 'network', code: 'ECONNREFUSED' },
    /no connection to openai \(ECONNREFUSED\)/,
  ],
  [
    'no such host',
    () => ({ baseURL: 'http://signalbox.invalid' }),
    { class: 'network', code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/) },
    /the name of its host is not found/,
  ],
  [
    'no TLS',
    () => ({ baseURL: loopback.reply(said(401)).replace('http:', 'https:') }),
    { class: 'network', code: expect.stringMatching(/SSL|EPROTO/) },
    /does not speak TLS/,
  ],
  [
    'no key',
    () => ({ model: { apiKeyEnv: 'NO_SUCH_KEY' } }),
    { class: 'auth', keyEnv: 'NO_SUCH_KEY' },
    /^auth: openai has no key: set the environment variable NO_SUCH_KEY$/,
  ],
]

test.each(cases)('%s', async (_name, asked, expected, message) => {
  const { turn } = await ask({ provider: 'openai', ...asked() })
  const failure = failureOf(turn)
  expect(failure).toMatchObject({ provider: 'openai', model: 'test-model', ...expected })
  expect(failure?.message).toMatch(message)
  expect(JSON.stringify(failure)).not.toContain(words)
})

test('an empty key is a missing one, by the name that the provider has for it', async () => {
  const models = createModels({ env: { OPENAI_API_KEY: ' ' } })
  const { model, ...rest } = request({ provider: 'openai' })
  const { apiKeyEnv: _named, ...usual } = model
  const never = new AbortController().signal
  const turn = await models.call({ ...rest, model: usual }, { delta: () => {} }, never)
  expect(failureOf(turn)).toMatchObject({ class: 'auth', keyEnv: 'OPENAI_API_KEY' })
})

test('a server without a key in the configuration that asks for one', async () => {
  const baseURL = loopback.reply(said(401))
  const models = createModels({ env })
  const { model, ...rest } = request({ provider: 'openai-compatible', baseURL })
  const { apiKeyEnv: _named, ...keyless } = model
  const never = new AbortController().signal
  const turn = await models.call({ ...rest, model: keyless }, { delta: () => {} }, never)
  expect(failureOf(turn)?.message).toMatch(/name its environment variable in model\.apiKeyEnv$/)
})

test('a key that a provider repeats as its code is not shown', async () => {
  const { turn } = await ask({
    provider: 'openai',
    baseURL: loopback.reply(said(401, { code: env.TEST_KEY })),
  })
  expect(JSON.stringify(turn)).not.toContain(env.TEST_KEY)
  expect(failureOf(turn)).not.toHaveProperty('code')
})

test('a code that is a sentence is not shown', async () => {
  const { turn } = await ask({
    provider: 'openai',
    baseURL: loopback.reply(said(400, { code: 'You said: my pin is 4931' })),
  })
  expect(JSON.stringify(failureOf(turn))).not.toContain('4931')
})
