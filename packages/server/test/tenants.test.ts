/**
 * Tenants and scopes, over HTTP (I19): every operation of the OpenAPI document, asked by another tenant for what is A's, by
 * keys that lack a scope, and by nobody. Would catch: an operation that forgets who asks, and one that nobody thought of.
 */
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import type { ConfigInput } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { png } from '../../core/test/support/images.ts'
import { accessOf, operations } from '../src/http/scopes.ts'
import { type Scope, scopes } from '../src/keys/scope.ts'
import { approvalAgents } from './support/approval-agents.ts'
import { type Answer, call, fed } from './support/http.ts'
import { type KeyMaker, keyMaker, showing } from './support/key-maker.ts'
import { noted } from './support/notes.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'
import { type Named, rows } from './support/tenant-rows.ts'

let database: TestDatabase
let box: TestSignalbox
let maker: KeyMaker
let named: Named
let spare: Named
let asking: Named
let operationsOfDocument: readonly string[]
const secret = 'Nobody but A may read this.'
const texts = new Map<string, string>()

/** A key of the tenant with these scopes. */
async function keyOf(tenant: string, which: readonly Scope[] = scopes): Promise<string> {
  const name = `${tenant} ${which.join()}`
  const text = texts.get(name) ?? (await maker.make(tenant, which)).text
  texts.set(name, text)
  return text
}

const begun: Answer = { status: 200, headers: new Headers(), body: {} }

/** Does a stream begin? It is left at once. */
async function begins(
  method: string,
  path: string,
  { key, body }: { readonly key: string | null; readonly body: unknown },
): Promise<boolean> {
  const leaving = new AbortController()
  const answer = await fetch(box.api + path, {
    method,
    headers: { 'content-type': 'application/json', ...(key === null ? {} : showing(key)) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: leaving.signal,
  })
  leaving.abort()
  return answer.status === 200
}

/** Asks for what is A's. */
async function ask(operation: string, key: string | null): Promise<Answer> {
  const [method = '', path = ''] = operation.split(' ')
  const row = rows[operation]
  const those = row?.spare ? spare : row?.asking ? asking : named
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: keyof Named) => those[name])
  const body = rows[operation]?.body?.(those)
  if (rows[operation]?.endless && (await begins(method, filled, { key, body }))) return begun
  return call(box.api, method, filled + (rows[operation]?.query ?? ''), {
    headers: key === null ? {} : showing(key),
    ...(body === undefined ? {} : { body }),
  })
}

const get = async (path: string, key: string) =>
  call(box.api, 'GET', path, { headers: showing(key) })

beforeAll(async () => {
  database = await createTestDatabase()
  const { agents, scripts, ...rest } = approvalAgents
  // Threads are called by what was said, which nobody else may read.
  const title = 'words' as const
  const writer = { model: { provider: 'scripted', model: 'writer' }, title } as const
  const titled = Object.entries(agents).map(([name, agent]) => [name, { ...agent, title }] as const)
  const asker = {
    model: { provider: 'scripted', model: 'asker' },
    clarification: true,
    todo: true,
  } as const
  const question = { name: 'ask_clarification', args: { question: secret } }
  const config: ConfigInput = {
    ...rest,
    agents: { ...Object.fromEntries(titled), writer, asker },
    scripts: {
      ...scripts,
      writer: () => ({ text: 'Yes.' }),
      asker: (_, turn) => (turn === 0 ? { calls: [question] } : { text: 'Thank you.' }),
    },
    server: { auth: 'keys', identity: { userHeader: 'x-user' } },
  }
  box = await startTest(config, { env: { DATABASE_URL: database.adminUrl } })
  maker = keyMaker(database.adminUrl)
  const mine = await keyOf('a')
  await call(box.api, 'POST', '/threads', {
    body: { thread_id: 'plan' },
    headers: showing(mine),
  })
  await call(box.api, 'PUT', '/threads/plan/files/notes.txt', {
    body: secret,
    headers: showing(mine),
  })
  await fetch(`${box.api}/threads/plan/files/a.png`, {
    method: 'PUT',
    body: new Uint8Array(png()),
    headers: showing(mine),
  })
  const files: Answer['body'] = (await get('/threads/plan/files', mine)).body
  const headers = { ...showing(mine), 'idempotency-key': 'order-1' }
  const body = { assistant_id: 'clerk', input: secret, metadata: { note: secret } }
  const waits = await call(box.api, 'POST', '/threads/plan/runs/wait', { body, headers })
  const [interrupt] = waits.body.__interrupt__
  const state = await get('/threads/plan/state', mine)
  const kept = { namespace: ['a'], key: 'plan', value: { text: secret } }
  await call(box.api, 'PUT', '/store/items', { body: kept, headers: showing(mine) })
  const cron = await call(box.api, 'POST', '/runs/crons', {
    body: { assistant_id: 'writer', input: secret, schedule: '0 0 1 1 *' },
    headers: showing(mine),
  })
  const assistant = await call(box.api, 'POST', '/assistants', {
    body: { graph_id: 'writer', name: 'terse', context: { instructions: secret } },
    headers: showing(mine),
  })
  const pause = await call(box.api, 'POST', '/pauses', {
    body: { target: { agent: 'forever' }, reason: secret },
    headers: showing(mine),
  })
  const text = { type: 'text', text: secret }
  const message = { id: 'm1', role: 'user', parts: [text] }
  await call(box.api, 'POST', '/chat/clerk', {
    body: { id: 'talk', trigger: 'submit-message', messages: [message] },
    headers: showing(mine),
  })
  const of = `type=run.created&run_id=${waits.body.run.run_id}`
  const created = await fed(box.api, of, undefined, showing(mine))
  named = {
    thread_id: 'plan',
    run_id: String(waits.body.run.run_id),
    checkpoint_id: String(state.body.checkpoint.checkpoint_id),
    approval_id: String(interrupt.value.approval_id),
    call_id: String(interrupt.value.call_id),
    effect_id: 'none',
    key_id: (await maker.make('a', [])).key.id,
    assistant_id: String(assistant.body.assistant_id),
    namespace: 'none',
    agent: 'clerk',
    chat_id: 'talk',
    cron_id: String(cron.body.cron_id),
    delivery_id: 'none',
    pause_id: String(pause.body.pause_id),
    task: 'none',
    config: 'none',
    path: 'notes.txt',
    key: String(files.find(({ path }: { path: string }) => path === 'a.png').key),
    name: 'denied_calls',
    hash: String(created[0].payload.definitionHash),
  }
  const ended = await call(box.api, 'POST', '/threads/spare/runs/wait', {
    body: { assistant_id: 'writer', input: secret },
    headers: showing(mine),
  })
  spare = { ...named, thread_id: 'spare', run_id: String(ended.body.run.run_id) }
  const asked = await call(box.api, 'POST', '/threads/asked/runs/wait', {
    body: { assistant_id: 'asker', input: secret },
    headers: showing(mine),
  })
  asking = {
    ...named,
    thread_id: 'asked',
    run_id: String(asked.body.run.run_id),
    call_id: String(asked.body.__interrupt__[0].value.call_id),
  }
  const { paths } = (await get('/openapi.json', mine)).body
  operationsOfDocument = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
})

afterAll(async () => {
  await maker?.keyring.close()
  await box?.stop()
  await database?.drop()
})

/** What A has, and nobody else may see. */
const marks = (): readonly string[] => [
  secret,
  named.run_id,
  spare.run_id,
  asking.run_id,
  named.approval_id,
  named.key_id,
  named.assistant_id,
]

const withinReach = (operation: string) => {
  const [method = '', path = ''] = operation.split(' ')
  return accessOf({ method, path: path.replaceAll(/\{(\w+)\}/g, ':$1') })
}

describe('the operations of the document', () => {
  it('are those that http/scopes.ts and the rows of this test name', () => {
    expect(operationsOfDocument.length).toBeGreaterThanOrEqual(50)
    expect(operationsOfDocument.toSorted()).toEqual(operations.toSorted())
    expect(Object.keys(rows).toSorted()).toEqual(operationsOfDocument.toSorted())
  })

  it('ask for a scope wherever something is of a tenant', () => {
    const needing = operationsOfDocument.filter((operation) => {
      const access = withinReach(operation)
      return (
        access !== null && typeof access === 'object' && [...access.all, ...access.any].length > 0
      )
    })
    const ofTenants = Object.entries(rows).filter(([, { is }]) => is !== 'common')
    const expected = ofTenants
      .map(([operation]) => operation)
      .filter((each) => each !== 'GET /metrics')
    expect(needing.toSorted()).toEqual(expected.toSorted())
  })

  it('are closed to who shows no key, but for the health and the pages', async () => {
    for (const operation of operationsOfDocument) {
      const { status } = await ask(operation, null)
      const isOpen = ['GET /', 'GET /docs', 'GET /live', 'GET /ok', 'GET /ready'].includes(
        operation,
      )
      expect([operation, status]).toEqual([operation, isOpen ? 200 : 401])
    }
  })

  it('are refused to keys that lack a scope, and the scope is named', async () => {
    let refused = 0
    for (const operation of operationsOfDocument) {
      const access = withinReach(operation)
      if (access === null || typeof access === 'string') continue
      const lacks = access.all.map((scope) => [[scope], scope] as const)
      const either = access.any.length > 0 ? [[access.any, access.any.join(' or ')] as const] : []
      for (const [lacking, name] of [...lacks, ...either]) {
        const key = await keyOf(
          'a',
          scopes.filter((scope) => !lacking.includes(scope)),
        )
        const { status, body } = await ask(operation, key)
        expect([operation, status, body.code, body.scope]).toEqual([
          operation,
          403,
          'forbidden_scope',
          name,
        ])
        refused += 1
      }
    }
    expect(refused).toBeGreaterThan(40)
  })

  it('show and do nothing of A to B, whatever B may do', async () => {
    const mine = await keyOf('a')
    const theirs = await keyOf('b')
    const before = (await get(`/runs/${named.run_id}/events`, mine)).body
    const thread = (await get('/threads/plan', mine)).body
    expect([thread.metadata.title, thread.values.title]).toEqual([secret, secret])
    // What B makes may have the ids of A; what B asks for must not be that.
    const inOrder = operationsOfDocument.toSorted(
      (one, two) => Number(rows[one]?.is === 'apart') - Number(rows[two]?.is === 'apart'),
    )
    for (const operation of inOrder) {
      const answer = await ask(operation, theirs)
      const { is, own = [] } = rows[operation] ?? { is: 'apart' }
      const isGone = is === 'gone'
      const isSame = is === 'common' && own.includes(answer.status)
      const isGood = isGone ? answer.status === 404 : answer.status < 300 || isSame
      expect([operation, answer.status, isGood]).toEqual([operation, answer.status, true])
      // A refusal may say what it was asked for.
      const said = isGone ? '' : JSON.stringify(answer.body)
      for (const mark of marks())
        expect([operation, said.includes(mark)]).toEqual([operation, false])
    }
    expect((await get(`/runs/${named.run_id}/events`, mine)).body).toEqual(before)
    expect(noted.get(named.run_id)).toBeUndefined()
  })

  it('are answered to A, with exactly the scopes that they ask for', async () => {
    for (const operation of Object.keys(rows)) {
      const access = withinReach(operation)
      const needs = access === null || typeof access === 'string' ? null : access
      const [first] = needs?.any ?? []
      const which = needs ? [...needs.all, ...(first === undefined ? [] : [first])] : []
      const { status } = await ask(operation, await keyOf('a', which))
      const good = rows[operation]?.own ?? [200]
      expect([operation, good.includes(status), status]).toEqual([operation, true, status])
    }
    const { body } = await get(`/approvals/${named.approval_id}`, await keyOf('a', ['approve']))
    expect(body).toMatchObject({ status: 'approved', answer: { decision: 'approve' } })
    expect(body.answer.actor).toMatch(/^key:[0-9a-f]{16}$/)
  })
})

const resume = (key: string) =>
  call(box.api, 'POST', '/threads/plan/runs', {
    body: { assistant_id: 'clerk', command: { resume: 'approve' } },
    headers: showing(key),
  })

describe('another tenant', () => {
  it('has its own run under the idempotency key of A, and cannot cancel by it', async () => {
    const headers = { ...showing(await keyOf('c')), 'idempotency-key': 'order-1' }
    const cancel = await call(box.api, 'POST', '/runs/order-1/cancel', { headers })
    expect(cancel).toMatchObject({ status: 404, body: { code: 'unknown_run' } })
    const body = { assistant_id: 'clerk', input: 'Note bread.' }
    const { status, body: run } = await call(box.api, 'POST', '/runs', { body, headers })
    expect(status).toBe(200)
    expect(run.run_id).not.toBe(named.run_id)
    const again = await call(box.api, 'POST', '/runs', { body, headers })
    expect(again.body.run_id).toBe(run.run_id)
  })

  it('has a thread of the same id with nothing of A in it, and cancels none of its runs', async () => {
    const theirs = await keyOf('d')
    const headers = showing(theirs)
    const mine = await call(box.api, 'POST', '/threads/plan/runs/wait', {
      body: { assistant_id: 'clerk', input: secret },
      headers: showing(await keyOf('a')),
    })
    const all = { thread_id: 'plan', status: 'all' }
    expect((await call(box.api, 'POST', '/runs/cancel', { body: all, headers })).status).toBe(204)
    const body = { assistant_id: 'clerk', input: 'Note bread.' }
    const waits = await call(box.api, 'POST', '/threads/plan/runs/wait', { body, headers })
    expect(waits.body.messages.map((each: { role: string }) => each.role)).toEqual([
      'user',
      'assistant',
    ])
    expect(JSON.stringify(waits.body)).not.toContain(secret)
    const still = await get(`/runs/${mine.body.run.run_id}`, await keyOf('a'))
    expect(still.body).toMatchObject({ status: 'interrupted', outcome: null })
  })

  it('finds, retries and cancels nothing of A by a filter or by ids', async () => {
    const theirs = { headers: showing(await keyOf('f')) }
    const mine = await keyOf('a')
    const body = { assistant_id: 'clerk', input: secret, metadata: { of: 'a' } }
    const made = await call(box.api, 'POST', '/runs/wait', { body, headers: showing(mine) })
    const { run_id } = made.body.run
    const before = (await get(`/runs/${run_id}/events`, mine)).body
    const listed = await get(`/runs?metadata=${encodeURIComponent('{"of":"a"}')}`, mine)
    expect(listed.body.runs.map((run: { run_id: string }) => run.run_id)).toEqual([run_id])
    for (const path of ['/runs', '/runs?agent=clerk', `/runs?after=${run_id}`])
      expect((await call(box.api, 'GET', path, theirs)).body).toEqual({ runs: [], next: null })
    expect((await call(box.api, 'GET', '/runs/stats', theirs)).body.total).toBe(0)
    expect((await call(box.api, 'GET', '/queues', theirs)).body).toEqual([])
    const post = (path: string, asked: object) =>
      call(box.api, 'POST', path, { ...theirs, body: asked })
    const filter = { agent: 'clerk' }
    expect((await post('/runs/cancel', { filter })).body).toMatchObject({ count: 0 })
    expect((await post('/runs/retry', { filter })).body).toMatchObject({ runs: [] })
    for (const run of [run_id, spare.run_id, 'order-1', 'nothing-like-it'])
      expect((await post('/runs/retry', { run_ids: [run] })).body.runs).toMatchObject([
        { run_id: run, code: 'unknown_run', status: 404 },
      ])
    expect((await get(`/runs/${run_id}/events`, mine)).body).toEqual(before)
    const enqueuer = { headers: showing(await keyOf('a', ['enqueue'])), body: { filter } }
    expect(await call(box.api, 'POST', '/runs/cancel', enqueuer)).toMatchObject({
      status: 403,
      body: { scope: 'read' },
    })
  })

  it('cannot answer for A by resuming, nor may a key that only enqueues', async () => {
    expect(await resume(await keyOf('e'))).toMatchObject({ status: 404 })
    expect(await resume(await keyOf('a', ['enqueue', 'read']))).toMatchObject({
      status: 403,
      body: { code: 'forbidden_scope', scope: 'approve' },
    })
  })
})

describe('what is recorded', () => {
  it('names keys by their ids, and holds none', async () => {
    const auditor = await keyOf('a', ['audit'])
    const events = await fed(box.api, 'type=run.created', undefined, showing(auditor))
    const { key } = await maker.make('a', ['enqueue'])
    expect(events[0].actor).toMatch(/^key:[0-9a-f]{16}$/)
    expect(key.id).toMatch(/^[0-9a-f]{16}$/)
    const said = JSON.stringify(events) + box.logged.join('\n')
    for (const text of texts.values()) expect(said).not.toContain(text.split('_')[2])
    const listed = (await get('/keys', await keyOf('a', ['admin']))).body
    for (const text of texts.values())
      expect(JSON.stringify(listed)).not.toContain(text.split('_')[2])
    expect(listed.some((each: { last_used_at: string | null }) => each.last_used_at)).toBe(true)
  })
})
