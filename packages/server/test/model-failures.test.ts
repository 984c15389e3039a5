/**
 * Why a model call failed, over real HTTP to a provider of the test: in the run's document, in what a wait answers, in events, in every
 * wire's stream and in the log. Would catch: a failure that reads like every other one (bad-days F2), a log without a line about
 * runs (F3), and words of a provider, a prompt or a key in any of them.
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, eventually } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'
import { freePort } from '../../../test/contract/free-port.ts'

const words = 'canary-of-the-provider'
const prompt = 'canary-of-the-prompt'
const key = 'key-of-the-test-4931'

const json =
  (status: number, body: object, headers = {}) =>
  (response: ServerResponse) =>
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body))
const error = (status: number, over: object = {}, headers = {}) =>
  json(status, { error: { message: `${words}: you said ${prompt}`, ...over } }, headers)
const html = (status: number) => (response: ServerResponse) =>
  response.writeHead(status, { 'content-type': 'text/html' }).end(`<html>${words}</html>`)
const chunk = (delta: object, finish_reason: string | null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
const answer = (response: ServerResponse) =>
  response
    .writeHead(200, { 'content-type': 'text/event-stream' })
    .end(`${chunk({ content: 'Hello.' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`)

let asked = 0
const replies: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  '401': error(401, { code: 'invalid_api_key' }, { 'x-request-id': 'req_77' }),
  '403': error(403),
  '404': error(404, { code: 'model_not_found' }),
  '400': error(400),
  '429': error(429, {}, { 'retry-after': '1' }),
  '500': error(500),
  '529': error(529),
  html: html(404),
  page: html(200),
  body: error(200),
  empty: (response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
  silent: (response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
  twice: (response) => ((asked += 1) === 1 ? error(503)(response) : answer(response)),
}

/** What each of them is told as: class, status, code. */
const told: Readonly<Record<string, readonly [string, number | null, RegExp]>> = {
  '401': ['auth', 401, /^auth: 401 from openai \(OPENAI_API_KEY\): check the key$/],
  '403': ['auth', 403, /^auth: 403 from openai \(OPENAI_API_KEY\)/],
  '404': [
    'not_found',
    404,
    /^not_found: 404 from openai: check the model "gpt-x" and the base URL$/,
  ],
  '400': ['invalid_request', 400, /^invalid_request: 400 from openai/],
  '429': ['rate_limit', 429, /^rate_limit: 429 from openai/],
  '500': ['overloaded', 500, /^overloaded: 500 from openai/],
  '529': ['overloaded', 529, /^overloaded: 529 from openai/],
  html: ['not_found', 404, /^not_found: 404 from openai/],
  page: ['protocol', null, /^protocol: .*check the base URL/],
  body: ['protocol', null, /^protocol: /],
  empty: ['protocol', null, /^protocol: /],
  silent: ['timeout', null, /^timeout: .*model\.idleTimeoutMs/],
  refused: ['network', null, /^network: no connection to openai \(ECONNREFUSED\)/],
  nohost: ['network', null, /^network: .*the name of its host is not found/],
  notls: ['network', null, /^network: .*TLS/],
  nokey: ['auth', null, /^auth: openai has no key: set the environment variable NO_SUCH_KEY$/],
  emptykey: ['auth', null, /^auth: openai has no key: set the environment variable EMPTY_KEY$/],
}
const names = Object.keys(told)

let box: TestSignalbox
let stopProvider = (): void => {}
const ended = new Map<string, { readonly run_id: string; readonly thread_id: string }>()
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
const waits = new Map<string, any>()

beforeAll(async () => {
  const provider = createServer((request, response) => {
    request.resume()
    const name = /^\/(\w+)\//.exec(request.url ?? '')?.[1] ?? ''
    replies[name]?.(response)
  })
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  stopProvider = () => {
    provider.closeAllConnections()
    provider.close()
  }
  const address = provider.address()
  const host = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  const others: Readonly<Record<string, object>> = {
    refused: { baseURL: `http://127.0.0.1:${await freePort()}` },
    nohost: { baseURL: 'http://signalbox.invalid' },
    notls: { baseURL: `https://${host}/401/v1` },
    nokey: { apiKeyEnv: 'NO_SUCH_KEY' },
    emptykey: { apiKeyEnv: 'EMPTY_KEY' },
  }
  const agentOf = (name: string, max: number) => ({
    model: {
      provider: 'openai' as const,
      model: 'gpt-x',
      baseURL: `http://${host}/${name}/v1`,
      idleTimeoutMs: name === 'silent' ? 100 : 20_000,
      ...others[name],
    },
    modelRetries: { max, baseMs: 1, capMs: 1 },
    breaker: { threshold: 1000 },
  })
  box = await startTest(
    {
      agents: {
        ...Object.fromEntries(names.map((name) => [`a${name}`, agentOf(name, 0)])),
        atwice: agentOf('twice', 1),
      },
    },
    { env: { OPENAI_API_KEY: key, EMPTY_KEY: '' } },
  )
  await Promise.all(
    [...names, 'twice'].map(async (name) => {
      const body = { assistant_id: `a${name}`, input: prompt }
      const headers = { 'x-request-id': `request-${name}` }
      const { body: values } = await call(box.api, 'POST', '/runs/wait', { body, headers })
      waits.set(name, values)
      ended.set(name, values.run)
    }),
  )
})
afterAll(async () => {
  stopProvider()
  await box?.stop()
})

const pathOf = (name: string): string => `/runs/${ended.get(name)?.run_id}`
const eventsOf = async (name: string, type: string) => {
  const { body } = await call(box.api, 'GET', `${pathOf(name)}/events?limit=1000`)
  return body.events.filter((event: { readonly type: string }) => event.type === type)
}
const linesOf = (name: string): readonly string[] =>
  box.logged.filter((line) => line.includes(ended.get(name)?.run_id ?? 'none'))

describe.each(names)('%s', (name) => {
  const [kind, status, message] = told[name] ?? ['', null, /never/]

  it('stands in the document of the run, in the listing, and in what a wait answers', async () => {
    const { body: run } = await call(box.api, 'GET', pathOf(name))
    expect(run.error).toMatchObject({
      class: kind,
      provider: 'openai',
      model: 'gpt-x',
      message: expect.stringMatching(message),
      ...(status === null ? {} : { status }),
    })
    expect('status' in run.error).toBe(status !== null)
    expect(waits.get(name).__error__).toMatchObject({
      error: run.outcome,
      message: run.error.message,
      cause: run.error,
    })
    expect(waits.get(name).run.error).toEqual(run.error)
    const { body: page } = await call(box.api, 'GET', `/runs?agent=a${name}`)
    expect(page.runs[0].error).toEqual(run.error)
    const { body: runs } = await call(box.api, 'GET', `/threads/${run.thread_id}/runs`)
    expect(runs[0].error).toEqual(run.error)
    expect(JSON.stringify([run, waits.get(name).__error__, page, runs])).not.toMatch(
      new RegExp(`${words}|${key}`),
    )
  })

  it('stands in the event, and in the sentence that is said', async () => {
    const [cut] = await eventsOf(name, 'turn.cut')
    expect(cut.payload.error).toMatchObject({
      class: kind,
      message: expect.stringMatching(message),
    })
    expect(cut.payload.explanation).toContain(cut.payload.error.message)
    expect(waits.get(name).messages.at(-1).content).toContain(cut.payload.error.message)
    expect(JSON.stringify(cut)).not.toMatch(new RegExp(`${words}|${key}|${prompt}`))
  })

  it('is one warning in the log, between the beginning of the run and its end', async () => {
    const lines = await eventually(async () => {
      const found = linesOf(name)
      return found.some((line) => line.includes('run ended')) && found
    })
    expect(lines.map((line) => line.split(' {')[0])).toEqual([
      'info run begun',
      'warn model call failed',
      'info run ended',
    ])
    const fields = lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))))
    const ids = {
      runId: ended.get(name)?.run_id,
      threadId: ended.get(name)?.thread_id,
      agent: `a${name}`,
      requestId: `request-${name}`,
    }
    for (const each of fields) expect(each).toMatchObject(ids)
    expect(fields[1]).toMatchObject({
      class: kind,
      next: 'end',
      reason: expect.stringMatching(message),
    })
    expect(fields[2]).toMatchObject({
      outcome: waits.get(name).outcome,
      durationMs: expect.any(Number),
      tokens: expect.any(Number),
    })
  })
})

describe('a call that is made again', () => {
  it('says why in the event, and in the log; the run that answers then has no error', async () => {
    const { body: run } = await call(box.api, 'GET', pathOf('twice'))
    expect(run).toMatchObject({ outcome: 'completed', error: null })
    const [retried] = await eventsOf('twice', 'model.retried')
    expect(retried.payload.error).toMatchObject({ class: 'overloaded', status: 503 })
    const warnings = linesOf('twice').filter((line) => line.startsWith('warn'))
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toContain('"next":"retry"')
  })
})

const frames = (text: string) =>
  text
    .split('\n')
    .flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))

describe('every wire says it', () => {
  const sentence = 'auth: 401 from openai (OPENAI_API_KEY): check the key'
  const headers = { 'a2a-version': '1.0' }
  const post = async (path: string, body: object): Promise<string> => {
    const answered = await call(box.api, 'POST', path, { body, headers })
    return typeof answered.body === 'string' ? answered.body : JSON.stringify(answered.body)
  }

  it("LangGraph's, in its error frame", async () => {
    const text = await post('/runs/stream', { assistant_id: 'a401', input: prompt })
    const [frame] = frames(text.slice(text.indexOf('event: error')))
    expect(frame).toMatchObject({ error: 'failed', message: sentence, cause: { class: 'auth' } })
  })

  it("LangGraph's, in the state that a page reads when it is loaded again", async () => {
    const { body: state } = await call(
      box.api,
      'GET',
      `/threads/${ended.get('401')?.thread_id}/state`,
    )
    expect(state.tasks).toMatchObject([{ error: sentence }])
  })

  it("the AI SDK's, in its error part", async () => {
    const message = { id: randomUUID(), role: 'user', parts: [{ type: 'text', text: prompt }] }
    const text = await post('/chat/a401', { id: randomUUID(), messages: [message] })
    const failed = frames(text).find(({ type }) => type === 'error')
    expect(failed).toEqual({ type: 'error', errorText: sentence })
  })

  it("AG-UI's, in RUN_ERROR", async () => {
    const input = {
      threadId: randomUUID(),
      runId: randomUUID(),
      messages: [{ id: randomUUID(), role: 'user', content: prompt }],
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    }
    const failed = frames(await post('/ag-ui/a401', input)).at(-1)
    expect(failed).toMatchObject({
      type: 'RUN_ERROR',
      message: sentence,
      code: 'failed',
      metadata: { signalbox: { error: { class: 'auth', status: 401 } } },
    })
  })

  it("A2A's, in the message of the status", async () => {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: prompt }] }
    const { task } = JSON.parse(await post('/a2a/a401/message:send', { message }))
    expect(task.status).toMatchObject({
      state: 'TASK_STATE_FAILED',
      message: { role: 'ROLE_AGENT', parts: [{ text: sentence }, { data: { class: 'auth' } }] },
    })
  })

  it("ours, with no word of the provider, and the operators' read of the events has them", async () => {
    const own = await (
      await fetch(`${box.api}${pathOf('401')}/stream?stream_mode=signalbox`)
    ).text()
    expect(own).toContain(sentence)
    expect(own).not.toContain(words)
    const [completed] = await eventsOf('401', 'model.completed')
    expect(completed.payload.turn.error.message).toContain(words)
  })
})

it('the log never has words of a provider, of a prompt, or a key', () => {
  expect(box.logged.join('\n')).not.toMatch(new RegExp(`${words}|${prompt}|${key}`))
})
