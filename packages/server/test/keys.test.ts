/**
 * Keys over HTTP, on two servers of one database, and the modes of a server. Would catch: a revoked key that goes on, a key
 * that is told twice, a server that stands open, a query for every guess.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseConfig, readEnvironment, StartError } from '@signalbox/server'
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Closers } from '../src/compose/closers.ts'
import { openAccess } from '../src/compose/open-access.ts'
import { mintKey } from '../src/keys/key-text.ts'
import { approvalAgents } from './support/approval-agents.ts'
import { call, eventually } from './support/http.ts'
import { type KeyMaker, keyMaker, showing } from './support/key-maker.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const operatorKey = 'o'.repeat(20)
const operator = showing(operatorKey)
let dir: string
let database: TestDatabase
let [one, two]: TestSignalbox[] = []
let maker: KeyMaker
let appUrl: string
const log = { debug() {}, info() {}, warn() {}, error() {} }
const closers = new Closers(log)

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'signalbox-keys-'))
  await chmod(dir, 0o755)
  database = await createTestDatabase()
  const env = { DATABASE_URL: database.adminUrl, SIGNALBOX_API_KEY: operatorKey }
  one = await startTest(approvalAgents, { env })
  two = await startTest(approvalAgents, { env, roles: ['api'] })
  maker = keyMaker(database.adminUrl)
  appUrl = database.appUrl
})
afterAll(async () => {
  await maker?.keyring.close()
  await closers.close()
  await one?.stop()
  await two?.stop()
  await database?.drop()
  await rm(dir, { recursive: true, force: true })
})

const get = (box: TestSignalbox | undefined, path: string, headers: Record<string, string>) =>
  call(box?.api ?? '', 'GET', path, { headers })
const make = (body: unknown) => call(one?.api ?? '', 'POST', '/keys', { body, headers: operator })
const revoke = (id: string) => call(one?.api ?? '', 'DELETE', `/keys/${id}`, { headers: operator })

/** What a process lets in that listens there, in the order of the tests: while there is no key. */
async function openAt(
  host: string,
  auth: 'keys' | 'open' | null = null,
  env: Readonly<Record<string, string>> = {},
) {
  const { server } = parseConfig({ ...approvalAgents, server: { auth } })
  const environment = readEnvironment(env)
  return openAccess({ appUrl, environment, server, host, dataDir: dir, log }, closers)
}

describe('a server', () => {
  const anonymous = new Headers()

  it('without a key is open to this machine, and does not start elsewhere', async () => {
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
      const { authenticate } = await openAt(host)
      expect(await authenticate(anonymous)).toMatchObject({ tenantId: 'default', actor: 'api' })
    }
    for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.example.com', '::ffff:127.0.0.1'])
      await expect(openAt(host)).rejects.toMatchObject({
        code: 'open_refused',
        message: expect.stringContaining('Set SIGNALBOX_API_KEY'),
      })
    const env = { DATABASE_URL: database.adminUrl, HOST: '0.0.0.0' }
    await expect(startTest(approvalAgents, { env })).rejects.toBeInstanceOf(StartError)
    const worker = startTest(approvalAgents, { env, roles: ['worker'], port: 0 })
    await expect(worker).rejects.toMatchObject({ code: 'open_refused' })
  })

  it('is open elsewhere only if the configuration says so, and no key does not', async () => {
    const { authenticate } = await openAt('0.0.0.0', 'open')
    expect(await authenticate(anonymous)).toMatchObject({ actor: 'api' })
    const both = openAt('127.0.0.1', 'open', { SIGNALBOX_API_KEY: operatorKey })
    await expect(both).rejects.toMatchObject({ code: 'open_refused' })
  })

  it('asks for a key where one is configured, or the configuration says so', async () => {
    for (const access of [
      await openAt('0.0.0.0', null, { SIGNALBOX_API_KEY: operatorKey }),
      await openAt('0.0.0.0', 'keys'),
      await openAt('127.0.0.1', 'keys'),
    ])
      expect(await access.authenticate(anonymous)).toBeNull()
  })

  it('that was open asks for one as soon as there ever was any', async () => {
    const { authenticate, door } = await openAt('127.0.0.1')
    expect(await door.isOpen?.()).toBe(true)
    const { key } = await maker.make('first', [])
    await maker.keyring.revoke('first', { id: key.id, by: 'test' })
    const closed = await eventually(
      async () => (await authenticate(anonymous)) === null || undefined,
    )
    expect(closed).toBe(true)
    // Hosts and origins are of no account then: whoever comes has a key, or nothing.
    expect(await door.isOpen?.()).toBe(false)
    expect((await openAt('127.0.0.1')).door.isOpen).toBeNull()
    expect(await (await openAt('127.0.0.1')).authenticate(anonymous)).toBeNull()
    expect(await (await openAt('10.0.0.1')).authenticate(anonymous)).toBeNull()
  })
})

describe('a key', () => {
  it('is shown once, opens every server, and none once it is revoked', async () => {
    const made = await make({ name: ' ci ', scopes: ['read'], expires_at: '2999-01-01T00:00:00Z' })
    expect(made.body).toMatchObject({
      name: 'ci',
      scopes: ['read'],
      status: 'live',
      created_by: 'key:default',
      expires_at: '2999-01-01T00:00:00.000Z',
    })
    const { key: text, ...rest } = made.body
    const successor = (await make({ name: 'ci', scopes: ['read'] })).body
    const listed = await get(two, '/keys', operator)
    expect(listed.body).toContainEqual(rest)
    expect(JSON.stringify(listed.body)).not.toContain(text)
    for (const box of [one, two])
      expect(await get(box, '/threads', showing(text))).toMatchObject({ status: 200 })
    expect(await get(one, '/threads', { 'x-api-key': text })).toMatchObject({ status: 200 })
    // What a proxy adds for itself is no key of ours.
    const basic = { authorization: 'Basic eDp5', 'x-api-key': text }
    expect(await get(one, '/threads', basic)).toMatchObject({ status: 200 })

    expect((await revoke(rest.id)).body).toMatchObject({
      status: 'revoked',
      revoked_by: 'key:default',
    })
    for (const box of [one, two]) {
      const refused = await eventually(async () => {
        const answer = await get(box, '/threads', showing(text))
        return answer.status === 200 ? undefined : answer
      })
      expect(refused).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
      expect(refused.body.detail).toContain('was revoked')
      expect(await get(box, '/threads', showing(successor.key))).toMatchObject({ status: 200 })
    }
    expect(await revoke('0'.repeat(16))).toMatchObject({
      status: 404,
      body: { code: 'unknown_key' },
    })
  })

  it('that is revoked reads no stream to its end', async () => {
    const { key, text } = await maker.make('default', ['enqueue', 'read'])
    const body = { assistant_id: 'clerk', input: 'Note.' }
    const headers = showing(text)
    const { body: waits } = await call(one?.api ?? '', 'POST', '/runs/wait', { body, headers })
    const path = `/runs/${waits.run.run_id}/stream?stream_mode=signalbox`
    const response = await fetch(`${one?.api}${path}`, { headers })
    const read = response.text()
    await revoke(key.id)
    await expect(read).rejects.toThrow('terminated')
  })

  it('that is no good is refused, and why is told to who has all of it', async () => {
    const expired = await maker.make('acme', ['read'], { expiresAt: Date.now() - 1000 })
    const { text } = await maker.make('acme', ['read'])
    const typo = text.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const stranger = mintKey({ hex: (bytes) => 'ab'.repeat(bytes) }).text
    const bad: readonly (readonly [Record<string, string>, RegExp])[] = [
      [{}, /Send Authorization/],
      [{ authorization: text }, /Send Authorization/],
      [{ authorization: `Basic ${text}` }, /Send Authorization/],
      [showing(''), /Send Authorization/],
      [showing(typo), /mistyped/],
      [showing(`${text}x`), /mistyped/],
      [showing(text.toUpperCase()), /mistyped/],
      [showing(stranger), /not known/],
      [showing(expired.text), /expired/],
      [{ ...showing(text), 'x-api-key': stranger }, /different keys/],
      [{ 'x-api-key': `${text}, ${text}` }, /mistyped/],
    ]
    for (const [headers, said] of bad) {
      const answer = await get(one, '/threads', headers)
      expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
      expect(answer.body.detail).toMatch(said)
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      expect(JSON.stringify(answer.body)).not.toContain(text)
    }
    expect(await get(one, '/threads', showing(text))).toMatchObject({ status: 200 })
    for (const name of ['authorization', 'x-api-key'])
      expect(await twice(name, name === 'authorization' ? `Bearer ${text}` : text)).toBe(401)
  })

  it('is refused with the field that is wrong', async () => {
    const name = 'x'
    const mistakes = [
      [{ scopes: [] }, 'name'],
      [{ name: ' ', scopes: [] }, 'name'],
      [{ name: 'a\nb', scopes: [] }, 'name'],
      [{ name: 'x'.repeat(101), scopes: [] }, 'name'],
      [{ name }, 'scopes'],
      [{ name, scopes: ['root'] }, 'scopes[0]'],
      [{ name, scopes: ['read', 'read'] }, 'scopes'],
      [{ name, scopes: [], expires_at: 'tomorrow' }, 'expires_at'],
      [{ name, scopes: [], expires_at: '2001-01-01T00:00:00Z' }, 'expires_at'],
    ] as const
    for (const [body, field] of mistakes)
      expect(await make(body)).toMatchObject({
        status: 422,
        body: { code: 'invalid_request', field },
      })
  })

  it('of the operator’s tenant sees the metrics, and needs no scope for it', async () => {
    const probe = (await maker.make('default', [])).text
    expect(await get(one, '/metrics', showing(probe))).toMatchObject({ status: 200 })
    expect(await get(one, '/info', showing(probe))).toMatchObject({ status: 200 })
    expect(await get(one, '/threads', showing(probe))).toMatchObject({ status: 403 })
  })
})

/** Two headers of one name, which `fetch` would join. */
function twice(name: string, value: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${one?.api}/threads`,
      { headers: ['host', 'x', name, value, name, value] },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    )
    asked.on('error', reject).end()
  })
}
