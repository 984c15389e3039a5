/**
 * The ledger over HTTP: what administrators and auditors do stands in the same log as all events, and nowhere among the runs.
 * Would catch: a key that nobody made, an export that left no trace, a record per page, a ledger run that shows as a run.
 */
import { ledgerRunId } from '@signalbox/engine'
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import { verifyChain } from '../../postgres/src/chain.ts'
import { createReader } from '../../postgres/src/read/reader.ts'
import type { ConfigInput } from '@signalbox/server'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Scope, scopes } from '../src/keys/scope.ts'
import { approvalAgents } from './support/approval-agents.ts'
import { call } from './support/http.ts'
import { type KeyMaker, keyMaker, showing } from './support/key-maker.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

let database: TestDatabase
let [one, two]: TestSignalbox[] = []
let maker: KeyMaker
/** Of the tenant, by name. */
const keys: Record<string, { readonly text: string; readonly id: string }> = {}

const { agents, scripts, ...rest } = approvalAgents
const config: ConfigInput = {
  ...rest,
  agents: { ...agents, writer: { model: { provider: 'scripted', model: 'writer' } } },
  scripts: { ...scripts, writer: () => ({ text: 'Yes.' }) },
  server: { auth: 'keys', identity: { userHeader: 'x-user', endUserHeader: 'x-end-user' } },
}

const keyOf = async (tenant: string, which: readonly Scope[] = scopes) => {
  const { key, text } = await maker.make(tenant, which)
  return { id: key.id, text }
}

beforeAll(async () => {
  database = await createTestDatabase()
  const env = { DATABASE_URL: database.adminUrl }
  one = await startTest(config, { env })
  two = await startTest(config, { env, roles: ['api'] })
  maker = keyMaker(database.adminUrl)
  keys['boss'] = await keyOf('a')
  keys['auditor'] = await keyOf('a', ['audit'])
})
afterAll(async () => {
  await maker?.keyring.close()
  await one?.stop()
  await two?.stop()
  await database?.drop()
})

interface Recorded {
  readonly type: string
  readonly run_id: string
  readonly actor: string
  readonly payload: Readonly<Record<string, unknown>>
}

const asked = (as: { readonly text: string }, method: string, path: string, body?: unknown) =>
  call(one?.api ?? '', method, path, {
    headers: showing(as.text),
    ...(body === undefined ? {} : { body }),
  })

/** Records of a type in the ledger of a tenant, read past the API so that reading leaves no record. */
async function recorded(type: string, tenant = 'a'): Promise<readonly Recorded[]> {
  const reader = createReader({ appUrl: database.appUrl })
  try {
    const runId = ledgerRunId(tenant, Date.now())
    const events = await reader.runEvents(tenant, runId, { after: 0, limit: 1000 })
    return events
      .filter((event) => event.type === type)
      .map(({ actor, payload }) => ({ type, run_id: runId, actor, payload }))
  } finally {
    await reader.close()
  }
}

const boss = () => keys['boss'] ?? { text: '', id: '' }
const auditor = () => keys['auditor'] ?? { text: '', id: '' }
const actorOf = ({ id }: { readonly id: string }) => `key:${id}`

const runOn = (box: TestSignalbox | undefined, as: { readonly text: string }) =>
  call(box?.api ?? '', 'POST', '/runs/wait', {
    body: { assistant_id: 'writer', input: 'Write.' },
    headers: showing(as.text),
  })

describe('the ledger', () => {
  it('holds keys that are made and revoked, by whom, once each, and never their text', async () => {
    const made = await asked(boss(), 'POST', '/keys', { name: 'ci', scopes: ['read'] })
    const { id, key: text } = made.body
    expect((await recorded('key.created')).at(-1)).toMatchObject({
      actor: actorOf(boss()),
      payload: { key: id, name: 'ci', scopes: ['read'], expiresAt: null },
    })
    await Promise.all([1, 2, 3].map(() => asked(boss(), 'DELETE', `/keys/${id}`)))
    await asked(boss(), 'DELETE', '/keys/nobody')
    const revoked = await recorded('key.revoked')
    expect(revoked.map(({ payload }) => payload)).toEqual([{ key: id }])
    await one?.settled()
    const { body } = await asked(auditor(), 'GET', '/events?type=key.created&type=key.revoked')
    expect(body.events.length).toBeGreaterThanOrEqual(4)
    expect(JSON.stringify(body)).not.toContain(text)
  })

  it('holds each change of an assistant that was made', async () => {
    const { body } = await asked(boss(), 'POST', '/assistants', { graph_id: 'writer' })
    const path = `/assistants/${body.assistant_id}`
    await asked(boss(), 'PATCH', path, { name: 'terse' })
    await asked(boss(), 'PATCH', path, { name: 'terse' })
    expect((await asked(boss(), 'POST', `${path}/latest`, { version: 7 })).status).toBe(422)
    await asked(boss(), 'POST', `${path}/latest`, { version: 1 })
    await asked(boss(), 'DELETE', path)
    const changes = await recorded('assistant.changed')
    expect(changes.map(({ payload }) => [payload['change'], payload['version']])).toEqual([
      ['created', 1],
      ['updated', 2],
      // The same again is another version, as LangGraph's server has it.
      ['updated', 3],
      ['latest_set', 1],
      ['deleted', null],
    ])
    expect(new Set(changes.map(({ actor }) => actor))).toEqual(new Set([actorOf(boss())]))
    expect(new Set(changes.map(({ payload }) => payload['assistant']))).toEqual(
      new Set([body.assistant_id]),
    )
  })

  it('holds a definition once per tenant, whichever process creates its runs', async () => {
    const other = await keyOf('b')
    await Promise.all([
      runOn(one, boss()),
      runOn(one, boss()),
      runOn(two, boss()),
      runOn(two, other),
    ])
    const used = await recorded('definition.used')
    expect(used).toMatchObject([{ actor: actorOf(boss()), payload: { agent: 'writer' } }])
    expect(await recorded('definition.used', 'b')).toMatchObject([{ payload: used[0]?.payload }])
  })

  it('holds who searched the log once an hour, however many pages and processes', async () => {
    const reader = await keyOf('a', ['audit'])
    for (const box of [one, two])
      for (const path of ['/events?limit=1', '/events/stats', '/events/queries/approvals'])
        expect(
          (await call(box?.api ?? '', 'GET', path, { headers: showing(reader.text) })).status,
        ).toBe(200)
    const own = (await recorded('log.searched')).filter(({ actor }) => actor === actorOf(reader))
    expect(own.length).toBeLessThanOrEqual(2)
    expect(own[0]?.payload).toMatchObject({ path: '/events' })
    expect(own.length).toBe(new Set(own.map(({ payload }) => payload['hour'])).size)
  })

  it('holds an export before its first byte: who, what, in which form; its pieces are one', async () => {
    const reader = await keyOf('a', ['audit'])
    const seen = '/events?type=run.created&limit=1'
    // An event is in the feed when every older transaction of the server has ended, those of other databases included.
    await vi.waitFor(
      async () => expect((await asked(auditor(), 'GET', seen)).body).not.toEqual([]),
      { timeout: 20_000, interval: 100 },
    )
    const all = '/events?format=csv&type=run.created&limit=1'
    const { status, headers } = await asked(reader, 'GET', all)
    expect(status).toBe(200)
    const after = headers.get('x-signalbox-position')
    await asked(reader, 'GET', `${all}&after=${after}`)
    const exports = (await recorded('export.made')).filter(({ actor }) => actor === actorOf(reader))
    expect(exports.map(({ payload }) => payload)).toEqual([
      { format: 'csv', filter: { type: 'run.created' }, events: 1 },
    ])
    await asked(reader, 'GET', '/events?format=ndjson&agent=writer&agent=clerk')
    const more = (await recorded('export.made')).filter(({ actor }) => actor === actorOf(reader))
    expect(more.at(-1)?.payload).toEqual({
      format: 'ndjson',
      filter: { agent: ['writer', 'clerk'] },
      events: null,
    })
  })

  it('is one run in the log, with an unbroken chain, and no run anywhere else', async () => {
    const runId = ledgerRunId('a', Date.now())
    await one?.settled()
    const { body } = await asked(auditor(), 'GET', `/events?run_id=${runId}&limit=1000`)
    expect(body.events.length).toBeGreaterThan(5)
    const reader = createReader({ appUrl: database.appUrl })
    const events = await reader.runEvents('a', runId, { after: 0, limit: 1000 })
    await reader.close()
    expect(verifyChain(events)).toMatchObject({ ok: true })
    for (const path of ['/runs?limit=1000', '/threads?limit=1000'])
      expect(JSON.stringify((await asked(boss(), 'GET', path)).body)).not.toContain(runId)
    const search = await asked(boss(), 'POST', '/threads/search', {})
    expect(JSON.stringify(search.body)).not.toContain(runId)
    const stats = await asked(boss(), 'GET', '/runs/stats?group_by=agent')
    expect(JSON.stringify(stats.body)).not.toContain('"-"')
  })

  const refused: readonly (readonly [method: string, suffix: string])[] = [
    ['GET', ''],
    ['GET', '/events'],
    ['GET', '/report'],
    ['GET', '/join'],
    ['GET', '/stream'],
    ['DELETE', ''],
    ['POST', '/cancel'],
    ['POST', '/retry'],
    ['POST', '/rerun'],
    ['POST', '/input'],
  ]
  it.each(refused)('is not found by %s /runs/{id}%s', async (method, suffix) => {
    const runId = ledgerRunId('a', Date.now())
    const body = suffix === '/input' ? { input: 'x' } : method === 'POST' ? {} : undefined
    const answer = await asked(boss(), method, `/runs/${runId}${suffix}`, body)
    expect(answer).toMatchObject({ status: 404, body: { code: 'unknown_run' } })
  })

  it('cannot be passed by: what is not recorded is neither done nor answered', async () => {
    const reader = await keyOf('a', ['audit'])
    const count = async (path: string) => (await asked(boss(), 'GET', path)).body.length
    const [keysBefore, assistantsBefore] = [await count('/keys'), await count('/assistants')]
    const admin = new pg.Client(database.adminUrl)
    await admin.connect()
    const roles = 'signalbox_app, signalbox_engine, public'
    const recording = 'on function signalbox.record_in_ledger'
    await admin.query(`revoke execute ${recording} from ${roles}`)
    const answers = await Promise.all([
      asked(boss(), 'POST', '/keys', { name: 'ghost', scopes: [] }),
      asked(boss(), 'POST', '/assistants', { graph_id: 'writer', name: 'ghost' }),
      asked(boss(), 'DELETE', `/keys/${reader.id}`),
      asked(boss(), 'POST', '/pseudonyms', { user_id: 'ann' }),
      asked(reader, 'GET', '/events'),
      asked(reader, 'GET', '/events/queries/approvals'),
      asked(reader, 'GET', '/events?format=csv'),
    ])
    await admin.query(`grant execute ${recording} to ${roles.replace(', public', '')}`)
    await admin.end()
    for (const { status } of answers) expect(status).toBeGreaterThanOrEqual(500)
    expect(await count('/keys')).toBe(keysBefore)
    expect(await count('/assistants')).toBe(assistantsBefore)
    expect((await asked(reader, 'GET', '/events')).status).toBe(200)
  })
})
