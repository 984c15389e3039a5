/**
 * Webhooks, over HTTP: one server on embedded Postgres, a real receiver that checks signatures with the library of Standard
 * Webhooks. Would catch: an end nobody is told of, an id that changes between attempts, a signature that does not hold, an
 * address in the log, a delivery that a cancel or an end takes back.
 */
import { randomBytes } from 'node:crypto'
import type { Client } from 'langgraph-sdk-1'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConfigInput } from '@signalbox/server'
import { call, eventually, fed } from '../../packages/server/test/support/http.ts'
import { note, noting } from '../../packages/server/test/support/notes.ts'
import {
  type Receiver,
  startReceiver,
  verifies,
} from '../../packages/server/test/support/receiver.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'

const secret = (): string => `whsec_${randomBytes(32).toString('base64')}`
const [going, coming, other] = [secret(), secret(), secret()]
/** What an address may hold, and nothing else may. */
const token = 'a-token-in-an-address'

let receiver: Receiver
let box: TestSignalbox

const model = (name: string) => ({ provider: 'scripted', model: name }) as const

const configOf = (url: string): ConfigInput => ({
  agents: {
    writer: { model: model('writer') },
    clerk: { model: model('clerk'), tools: ['note'], guardrails: { approvalTools: ['note'] } },
    broken: { model: model('broken'), modelRetries: { max: 0 } },
  },
  tools: [note],
  scripts: {
    writer: () => ({ text: 'Written.' }),
    clerk: noting(1),
    broken: () => ({ status: { code: 401 } }),
  },
  webhooks: {
    secretEnv: ['GOING', 'COMING'],
    allow: ['127.0.0.1'],
    endpoints: {
      failures: { url: `${url}/failures`, on: ['failed'], secretEnv: 'OTHER' },
      clerks: { urlEnv: 'CLERKS', on: ['waiting', 'cancelled'], agents: ['clerk'] },
    },
  },
})

beforeAll(async () => {
  receiver = await startReceiver()
  const CLERKS = `${receiver.url}/clerks?token=${token}`
  const env = { GOING: going, COMING: coming, OTHER: other, CLERKS }
  box = await startTest(configOf(receiver.url), { env, engine: { pollMs: 50 } })
})

afterAll(async () => {
  await box?.stop()
  await receiver?.close()
})

const create = (body: object, headers = {}) =>
  call(box.api, 'POST', '/runs', { body: { input: 'Go.', ...body }, headers })

/** Creates a run that tells this path of itself, and answers it. */
const told = async (agent: string, path: string) => {
  const webhook = `${receiver.url}${path}`
  const { status, body } = await create({ assistant_id: agent, webhook })
  expect(status).toBe(200)
  return body
}

/** The deliveries of a run, once all that `done` asks for is so. */
const deliveries = (
  { thread_id, run_id }: { thread_id: string; run_id: string },
  done: (all: readonly { status: string; attempts: unknown[] }[]) => boolean,
) =>
  eventually(async () => {
    const { body } = await call(box.api, 'GET', `/threads/${thread_id}/runs/${run_id}/webhooks`)
    return done(body) ? body : undefined
  })

const delivered = (all: readonly { status: string }[]): boolean =>
  all.length > 0 && all.every(({ status }) => status === 'delivered')

describe('a webhook of a run', () => {
  it('tells its end: the run, its times and values, signed by each live secret', async () => {
    const run = await told('writer', `/end?token=${token}`)
    const log = await deliveries(run, delivered)
    const [request, ...more] = receiver.of(run.run_id)
    expect(more).toEqual([])
    expect(request?.body).toMatchObject({
      run_id: run.run_id,
      thread_id: run.thread_id,
      assistant_id: 'writer',
      type: 'run.ended',
      status: 'success',
      outcome: 'completed',
      values: { messages: [{ type: 'human' }, { type: 'ai', content: 'Written.' }] },
    })
    const {
      run_started_at: began,
      run_ended_at: ended,
      webhook_sent_at: sent,
    } = request?.body ?? {}
    const times = [began, ended, sent].map((each) => Date.parse(each))
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    if (!request) throw new Error('nothing came')
    expect([going, coming, other].map((each) => verifies(each, request))).toEqual([
      true,
      true,
      false,
    ])
    expect(log).toEqual([
      {
        delivery_id: request.id,
        on: 'completed',
        origin: receiver.url,
        endpoint: null,
        requested_at: expect.any(String),
        status: 'delivered',
        replays: 0,
        attempts: [
          {
            attempt: 1,
            started_at: expect.any(String),
            result: 'delivered',
            status: 204,
            code: null,
            duration_ms: expect.any(Number),
            next_attempt_at: null,
          },
        ],
      },
    ])
  })

  it('is tried again with the same id, and not sooner than was asked', async () => {
    receiver.answers('/later', (nth, response) =>
      response.writeHead(nth === 0 ? 503 : 200, { 'retry-after': '7200' }).end('busy'.repeat(9)),
    )
    const run = await told('writer', '/later')
    const [delivery] = await deliveries(run, ([first]) => (first?.attempts.length ?? 0) > 0)
    await deliveries(run, ([first]) => JSON.stringify(first).includes('server_error'))
    const [failed] = await deliveries(run, () => true)
    expect(failed.attempts[0]).toMatchObject({
      result: 'failed',
      status: 503,
      code: 'server_error',
    })
    const waits = Date.parse(failed.attempts[0].next_attempt_at) - Date.now()
    expect(waits).toBeGreaterThan(7_100_000)
    await call(box.api, 'GET', `/runs/${run.run_id}`)
    const path = `/threads/${run.thread_id}/runs/${run.run_id}/webhooks/${delivery.delivery_id}/replay`
    expect((await call(box.api, 'POST', path)).body).toMatchObject({ code: 'webhook_under_way' })
  })

  it('is given up where it is gone, follows no redirect, and is delivered once more when asked', async () => {
    receiver.answers('/gone', (nth, response) => response.writeHead(nth === 0 ? 410 : 200).end())
    receiver.answers('/moved', (_, response) =>
      response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end(),
    )
    const run = await told('writer', '/gone')
    const moved = await told('writer', '/moved')
    const [over] = await deliveries(run, ([first]) => first?.status === 'gave_up')
    expect(over.attempts).toMatchObject([{ status: 410, code: 'gone', next_attempt_at: null }])
    const path = `/threads/${run.thread_id}/runs/${run.run_id}/webhooks/${over.delivery_id}/replay`
    const replayed = await call(box.api, 'POST', path)
    expect([replayed.status, replayed.body.status, replayed.body.replays]).toEqual([
      202,
      'pending',
      1,
    ])
    const [again] = await deliveries(run, delivered)
    expect(again.attempts.map(({ result }: { result: string }) => result)).toEqual([
      'failed',
      'delivered',
    ])
    const ids = receiver.of(run.run_id).map(({ id }) => id)
    expect(ids).toEqual([over.delivery_id, over.delivery_id])
    const [other302] = await deliveries(moved, ([first]) =>
      JSON.stringify(first).includes('redirected'),
    )
    expect(other302.attempts[0]).toMatchObject({ status: 302, code: 'redirected' })
    expect(receiver.received.some((each) => each.path === '/elsewhere')).toBe(false)
    const stray = path.replace(over.delivery_id, `${run.run_id}.99`)
    expect((await call(box.api, 'POST', stray)).body).toMatchObject({ code: 'unknown_webhook' })
  })

  it('is what a key means, is bounded, and stands in no event', async () => {
    const webhook = `${receiver.url}/key?token=${token}`
    const headers = { 'idempotency-key': 'told' }
    const run = await create({ assistant_id: 'writer', webhook }, headers)
    const same = await create({ assistant_id: 'writer', webhook }, headers)
    expect(same.body.run_id).toBe(run.body.run_id)
    const less = await create({ assistant_id: 'writer' }, headers)
    expect(less.body).toMatchObject({ code: 'idempotency_conflict' })
    const to = await Promise.all(
      ['http://example.com/x', 'https://10.0.0.1/x', 'https://[::1]/', 'https://0x7f.1/'].map(
        (each) => create({ assistant_id: 'writer', webhook: each }),
      ),
    )
    // The last one is 127.0.0.1 however it is written, and that is opened.
    expect(to.map(({ status, body }) => [status, body.code, body.field])).toEqual([
      [422, 'webhook_refused', 'webhook'],
      [422, 'webhook_refused', 'webhook'],
      [422, 'webhook_refused', 'webhook'],
      [200, undefined, undefined],
    ])
    for (const wrong of ['https://me:secret@example.com/', 'ftp://example.com', 'x'.repeat(3000)]) {
      const refused = await create({ assistant_id: 'writer', webhook: wrong })
      expect([refused.status, refused.body.field]).toEqual([422, 'webhook'])
      expect(JSON.stringify(refused.body)).not.toContain('secret')
    }
    await deliveries(run.body, delivered)
    const events = await fed(box.api, 'limit=1000', ({ length }) => length > 20)
    expect(JSON.stringify(events)).not.toContain(token)
    expect(box.logged.join('\n')).not.toContain(token)
  })
})

describe.each(['langgraph-sdk-1', 'langgraph-sdk-2'])('the client %s', (name) => {
  it('names a webhook as it does elsewhere, and the run is what it is told', async () => {
    const module: { Client: typeof Client } = await import(name)
    const client = new module.Client({ apiUrl: box.api, apiKey: null })
    const { thread_id } = await client.threads.create()
    const webhook = `${receiver.url}/sdk`
    const run = await client.runs.create(thread_id, 'writer', { input: { prompt: 'Go.' }, webhook })
    await deliveries(run, delivered)
    const [request] = receiver.of(run.run_id)
    const { values } = await client.threads.getState(thread_id)
    const { metadata } = run
    expect(request?.body).toMatchObject({ thread_id, status: 'success', metadata, values })
  })
})

describe('an endpoint of the configuration', () => {
  it('is told of what it asked for, by its own secret', async () => {
    const { body: fine } = await create({ assistant_id: 'writer' })
    const { body: run } = await create({ assistant_id: 'broken' })
    const [delivery] = await deliveries(run, delivered)
    expect(delivery).toMatchObject({ on: 'failed', endpoint: 'failures', origin: receiver.url })
    const [request] = receiver.of(run.run_id)
    expect(request?.body).toMatchObject({ status: 'error', error: { error: 'failed' } })
    expect(request && verifies(other, request)).toBe(true)
    expect(request && verifies(going, request)).toBe(false)
    expect(receiver.of(fine.run_id)).toEqual([])
  })

  it('is told that a run waits, and that it was cancelled, which takes neither back', async () => {
    const { body: run } = await create({ assistant_id: 'clerk' })
    await deliveries(run, delivered)
    const cancel = `/runs/${run.run_id}/cancel?wait=1`
    expect((await call(box.api, 'POST', cancel)).status).toBe(204)
    const log = await deliveries(run, (all) => all.length === 2 && delivered(all))
    expect(log.map(({ on }: { on: string }) => on)).toEqual(['waiting', 'cancelled'])
    expect(receiver.of(run.run_id).map(({ body, path }) => [body.type, body.status, path])).toEqual(
      [
        ['run.waiting', 'interrupted', `/clerks?token=${token}`],
        ['run.ended', 'interrupted', `/clerks?token=${token}`],
      ],
    )
  })
})
