/**
 * What a WebSocket of Agent Protocol v2 refuses, with keys of two tenants. Would catch: a page that talks to a server its
 * reader is let in at, a key that does more here than over HTTP, a frame that ends the process, a revoked key that goes on.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { limits } from '@signalbox/core'
import {
  createTestDatabase,
  type TestDatabase,
} from '../../packages/postgres/test/support/database.ts'
import { Client } from 'langgraph-sdk-15'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { forThisMachine } from '../support/for-this-machine.ts'
import { call, eventually } from '../../packages/server/test/support/http.ts'
import { type KeyMaker, keyMaker, showing } from '../../packages/server/test/support/key-maker.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'
import type { Scope } from '../../packages/server/src/keys/scope.ts'
import { connect, refusalOf } from './support/socket.ts'

const operatorKey = 'o'.repeat(20)
const bytesMax = 20_000
const streamsMax = 3
const secret = 'Nobody but A may read this.'
let database: TestDatabase
let box: TestSignalbox
let maker: KeyMaker

beforeAll(async () => {
  database = await createTestDatabase()
  box = await startTest(
    {
      agents: { writer: { model: { provider: 'scripted', model: 'writer' } } },
      scripts: { writer: () => ({ text: 'Yes.' }) },
      server: { limits: { bodyBytesMax: bytesMax, streamsMax } },
    },
    { env: { DATABASE_URL: database.adminUrl, SIGNALBOX_API_KEY: operatorKey } },
  )
  maker = keyMaker(database.adminUrl)
  const body = { assistant_id: 'writer', input: secret }
  await call(box.api, 'POST', '/threads/plan/runs/wait', { body, headers: await headersOf('a') })
})
afterAll(async () => {
  await maker?.keyring.close()
  await box?.stop()
  await database?.drop()
})

const everything: readonly Scope[] = ['read', 'enqueue', 'approve']
const keyOf = async (tenant: string, scopes = everything) => maker.make(tenant, scopes)
const headersOf = async (tenant: string, scopes = everything) =>
  showing((await keyOf(tenant, scopes)).text)
const open = async (tenant: string, scopes?: readonly Scope[]) =>
  connect(box.api, 'plan', { headers: await headersOf(tenant, scopes) })

const start = { assistant_id: 'writer', input: 'Go.' }

describe('a socket is not opened', () => {
  it('without a key, with one that is not known, and with none of the scopes', async () => {
    expect(await refusalOf(box.api, 'plan')).toEqual({
      status: 401,
      type: 'application/problem+json',
      code: 'unauthenticated',
    })
    const headers = showing('nonsense')
    expect(await refusalOf(box.api, 'plan', { headers })).toMatchObject({ status: 401 })
    const audit = await headersOf('a', ['audit'])
    const refused = await refusalOf(box.api, 'plan', { headers: audit })
    expect(refused).toMatchObject({ status: 403, code: 'forbidden_scope' })
  })

  it('from a page of another origin', async () => {
    const headers = await headersOf('a')
    for (const origin of ['https://evil.example', 'null', 'file://', 'http://127.0.0.1:1']) {
      const refused = await refusalOf(box.api, 'plan', { headers, origin })
      expect([origin, refused.status, refused.code]).toEqual([origin, 403, 'foreign_origin'])
    }
    const own = await connect(box.api, 'plan', { headers, origin: box.api })
    own.socket.close()
  })

  it('on the thread of another tenant, by who could not make one of this name', async () => {
    const headers = await headersOf('b', ['read'])
    const refused = await refusalOf(box.api, 'plan', { headers })
    expect(refused).toMatchObject({ status: 404, code: 'unknown_thread' })
  })

  it('where the process has as many streams as it may have', async () => {
    const headers = await headersOf('a')
    const first = await Promise.all(
      Array.from({ length: streamsMax }, () => connect(box.api, 'plan', { headers })),
    )
    const refused = await refusalOf(box.api, 'plan', { headers })
    expect(refused).toMatchObject({ status: 429, code: 'too_many_streams' })
    for (const { socket } of first) socket.close()
    const again = await eventually(() => open('a').catch(() => undefined))
    again.socket.close()
  })
})

describe('a socket of a tenant', () => {
  it('shows and does nothing of A to B, who has a thread of the same name', async () => {
    const theirs = await open('b')
    const gone = await theirs.ask('state.get')
    expect(gone).toMatchObject({ type: 'error', problem: { code: 'unknown_thread' } })
    await theirs.ask('subscription.subscribe', { channels: ['values', 'messages'], since: 0 })
    const { result } = await theirs.ask('run.start', start)
    await eventually(() => Promise.resolve(theirs.heard.length > 2 || undefined))
    expect(JSON.stringify(theirs.heard)).not.toContain(secret)
    expect(JSON.stringify(theirs.heard)).toContain(result.run_id)
    theirs.socket.close()
  })

  it('asks each command for its scope', async () => {
    const reader = await open('a', ['read'])
    const refused = await reader.ask('run.start', start)
    expect(refused).toMatchObject({
      type: 'error',
      id: 1,
      error: 'permission_denied',
      problem: { code: 'forbidden_scope', scope: 'enqueue' },
    })
    expect(await reader.ask('state.get')).toMatchObject({ type: 'success', id: 2 })
    reader.socket.close()
    const writer = await open('a', ['enqueue'])
    const blind = await writer.ask('subscription.subscribe', { channels: ['values'] })
    expect(blind).toMatchObject({ problem: { code: 'forbidden_scope', scope: 'read' } })
    writer.socket.close()
  })

  it('closes when its key was revoked', async () => {
    const { text, key } = await keyOf('a')
    const { closed, ask } = await connect(box.api, 'plan', { headers: showing(text) })
    await ask('subscription.subscribe', { channels: ['values'] })
    const admin = await headersOf('a', ['admin'])
    const began = performance.now()
    await call(box.api, 'DELETE', `/keys/${key.id}`, { headers: admin })
    expect(await closed).toBe(4401)
    expect(performance.now() - began).toBeLessThan(forThisMachine(6_000))
  })
})

describe('a frame that is wrong', () => {
  const wrong: readonly (readonly [string, string | Buffer, object])[] = [
    ['no JSON', '{"id":1', { id: null, problem: { code: 'malformed_json' } }],
    ['binary', Buffer.from('{}'), { id: null, problem: { code: 'malformed_json' } }],
    ['no object', '[1]', { id: null, error: 'invalid_argument' }],
    ['a prototype', '{"id":1,"__proto__":{}}', { problem: { code: 'forbidden_key' } }],
    ['too deep', '['.repeat(70), { problem: { code: 'json_too_deep' } }],
    ['no method', '{"id":7}', { id: 7, error: 'invalid_argument' }],
    ['an id that is none', '{"id":"x","method":"state.get"}', { id: null }],
    ['unknown', '{"id":8,"method":"run.stop"}', { id: 8, error: 'unknown_command' }],
    [
      'a channel that is none',
      '{"id":9,"method":"subscription.subscribe","params":{"channels":["x"]}}',
      { id: 9, error: 'invalid_argument', problem: { field: 'params.channels.0' } },
    ],
  ]

  it('is answered with an error, and the socket goes on', async () => {
    const raw = await open('a')
    for (const [name, frame, expected] of wrong) {
      const answer = { name, ...(await raw.throwIn(frame)) }
      expect(answer).toMatchObject({ name, type: 'error', ...expected })
    }
    expect(await raw.ask('state.get')).toMatchObject({ type: 'success' })
    raw.socket.close()
  })

  it('closes the socket where it is too large, and only that one', async () => {
    const [one, other] = [await open('a'), await open('a')]
    one.socket.send('x'.repeat(bytesMax + 1))
    expect(await one.closed).toBe(1009)
    expect(await other.ask('state.get')).toMatchObject({ type: 'success' })
    other.socket.close()
  })

  it('is one subscription too many', async () => {
    const raw = await open('a')
    for (let n = 0; n < limits.subscriptionsMax; n++)
      await raw.ask('subscription.subscribe', { channels: ['custom'] })
    const refused = await raw.ask('subscription.subscribe', { channels: ['custom'] })
    expect(refused).toMatchObject({ type: 'error', error: 'not_supported' })
    raw.socket.close()
  })

  it('says nothing of the inside, and many at once are answered in their order', async () => {
    const raw = await open('a')
    for (let id = 0; id < 200; id++) raw.socket.send(JSON.stringify({ id, method: 'x' }))
    await eventually(() => Promise.resolve(raw.answers.length === 200 || undefined))
    expect(raw.answers.map(({ id }) => id)).toEqual(Array.from({ length: 200 }, (_, id) => id))
    expect(JSON.stringify(raw.answers)).not.toMatch(/node_modules|\.ts:|at .*\(/)
    raw.socket.close()
  })
})

describe('what is no wrong', () => {
  it('is a client that shows its key by a connection of its own making', async () => {
    const { text } = await keyOf('a')
    const client = new Client({ apiUrl: box.api, apiKey: null })
    const thread = client.threads.stream(randomUUID(), {
      assistantId: 'writer',
      transport: 'websocket',
      webSocketFactory: (url): WebSocket =>
        // Node takes headers; the types are those of a browser.
        Reflect.construct(WebSocket, [url, { headers: { 'x-api-key': text } }]),
    })
    await thread.run.start({ input: 'Go.' })
    expect(Object(await thread.output).messages).toHaveLength(2)
    await thread.close()
  })

  it('is a request that offers another protocol: it is answered, body and all', async () => {
    const asked = request(`${box.api}/threads`, {
      method: 'POST',
      headers: {
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'http2-settings': 'AAMAAABkAAQAAP__',
        'content-type': 'application/json',
        ...(await headersOf('a')),
      },
    })
    asked.end(JSON.stringify({ thread_id: 'offered' }))
    const [response] = await once(asked, 'response')
    let text = ''
    for await (const part of response) text += part
    expect([response.statusCode, JSON.parse(text).thread_id]).toEqual([200, 'offered'])
  })
})

describe('a client that goes', () => {
  it('without a word, or in the middle of a handshake, leaves nothing behind', async () => {
    for (let n = 0; n < streamsMax * 2; n++) {
      const raw = await eventually(() => open('a').catch(() => undefined))
      await raw.ask('subscription.subscribe', { channels: ['values'] })
      raw.socket.terminate()
    }
    const metrics = async () =>
      (await call(box.api, 'GET', '/metrics', { headers: showing(operatorKey) })).body
    await eventually(async () => /^signalbox_\w*streams\w* 0$/m.test(await metrics()) || undefined)
    expect(box.logged.filter((line) => line.startsWith('error'))).toEqual([])
  })
})
