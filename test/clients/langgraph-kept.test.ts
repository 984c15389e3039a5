/**
 * LangGraph's own clients over a real server: the store, crons, and assistants. Would catch: a field they read that is not there, a filter that
 * finds too much, a field without effect that is taken silently, a tenant who sees another, a time that is fired twice.
 */
import type { Client } from 'langgraph-sdk-15'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, eventually, fed } from '../../packages/server/test/support/http.ts'
import { type KeepingScene, openKeepingScene } from './support/keeping-scene.ts'
import { versions } from './support/resources-scene.ts'

let scene: KeepingScene

beforeAll(async () => {
  scene = await openKeepingScene()
})
afterAll(() => scene?.close())

const uuid = () => crypto.randomUUID()

const refusal = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'it was accepted',
    (error: unknown) => String(error),
  )

describe.each(versions)('the store, with client %s', (_version, name) => {
  let client: Client
  const root = uuid()

  beforeAll(async () => {
    client = await scene.clientOf(name)
  })

  it('keeps an item until it is deleted', async () => {
    const { store } = client
    const namespace = [root, 'ann', 'notes']
    expect(await store.getItem(namespace, 'tea')).toBeNull()
    await store.putItem(namespace, 'tea', { likes: 'green', cups: 2 })
    const item = await store.getItem(namespace, 'tea')
    expect(item).toMatchObject({ namespace, key: 'tea', value: { likes: 'green', cups: 2 } })
    expect(Date.parse(item?.createdAt ?? '')).toBeGreaterThan(0)
    await store.putItem(namespace, 'tea', { likes: 'black' }, { index: false, ttl: 5 })
    const after = await store.getItem(namespace, 'tea', { refreshTtl: false })
    expect(after).toMatchObject({ value: { likes: 'black' }, createdAt: item?.createdAt })
    await store.deleteItem(namespace, 'tea')
    await store.deleteItem(namespace, 'tea')
    expect(await store.getItem(namespace, 'tea')).toBeNull()
  })

  it('finds items by prefix and by what they say, newest first', async () => {
    const { store } = client
    const values = { a: { n: 1, who: { age: 30 } }, b: { n: 2, who: { age: 40 } }, c: { n: '2' } }
    for (const [key, value] of Object.entries(values))
      await store.putItem([root, 'f', key], key, value)
    await store.putItem([root, 'foreign'], 'x', { n: 1 })
    const keys = async (filter?: Record<string, unknown>, page = {}) =>
      (await store.searchItems([root, 'f'], { ...(filter ? { filter } : {}), ...page })).items.map(
        (item) => item.key,
      )
    expect(await keys()).toEqual(['c', 'b', 'a'])
    expect(await keys(undefined, { limit: 1, offset: 1 })).toEqual(['b'])
    expect(await keys({ n: 1 })).toEqual(['a'])
    expect(await keys({ n: { $eq: 2 } })).toEqual(['b'])
    expect(await keys({ n: { $ne: 2 } })).toEqual(['c', 'a'])
    expect(await keys({ n: { $gt: 1 } })).toEqual(['b'])
    expect(await keys({ n: { $lt: 5 } })).toEqual(['b', 'a'])
    expect(await keys({ n: { $gte: 1, $lt: 2 } })).toEqual(['a'])
    expect(await keys({ n: { $lte: '2' } })).toEqual(['c'])
    expect(await keys({ who: { age: { $gt: 30 } } })).toEqual(['b'])
    expect(await keys({ who: { age: 30 }, n: 1 })).toEqual(['a'])
    expect(await keys({ missing: { $ne: 1 } })).toHaveLength(3)
    expect(await keys({ missing: null })).toEqual([])
    expect(await keys({ who: {} })).toEqual([])
  })

  it('lists namespaces', async () => {
    const { store } = client
    for (const each of [
      ['l', 'x', '1'],
      ['l', 'y', '1'],
      ['l', 'y', '2'],
    ])
      await store.putItem([root, ...each], 'k', {})
    const list = async (options: object) =>
      (await store.listNamespaces({ prefix: [root, 'l'], ...options })).namespaces
    expect(await list({ suffix: ['1'] })).toEqual([
      [root, 'l', 'x', '1'],
      [root, 'l', 'y', '1'],
    ])
    expect(await list({ maxDepth: 3 })).toEqual([
      [root, 'l', 'x'],
      [root, 'l', 'y'],
    ])
    expect(await list({ limit: 1, offset: 2 })).toEqual([[root, 'l', 'y', '2']])
  })

  it('hides what belongs to another tenant', async () => {
    const namespace = [root, 'away']
    await client.store.putItem(namespace, 'k', { n: 1 })
    const given = "update signalbox.store_item set tenant_id = 'other' where namespace = $1"
    await scene.sql(given, [namespace])
    expect(await client.store.getItem(namespace, 'k')).toBeNull()
    expect((await client.store.searchItems(namespace)).items).toEqual([])
    expect((await client.store.listNamespaces({ prefix: namespace })).namespaces).toEqual([])
    await client.store.deleteItem(namespace, 'k')
    const rows = await scene.sql('select from signalbox.store_item where namespace = $1', [
      namespace,
    ])
    expect(rows).toHaveLength(1)
  })
})

describe('the store', () => {
  const item = { namespace: ['a'], key: 'k', value: {} }
  const words = 'search by namespace_prefix and filter'

  it.each([
    ['PUT', '/items', { ...item, namespace: [] }, 'invalid_request', 'namespace'],
    ['PUT', '/items', { ...item, namespace: ['a.b'] }, 'invalid_request', 'namespace[0]'],
    ['PUT', '/items', { ...item, namespace: ['a\n'] }, 'invalid_request', 'namespace[0]'],
    ['PUT', '/items', { ...item, namespace: ['x'.repeat(101)] }, 'invalid_request', 'namespace[0]'],
    ['PUT', '/items', { ...item, namespace: Array(17).fill('a') }, 'invalid_request', 'namespace'],
    [
      'PUT',
      '/items',
      { ...item, namespace: Array(9).fill('x'.repeat(99)) },
      'invalid_request',
      'namespace',
    ],
    ['PUT', '/items', { ...item, key: '' }, 'invalid_request', 'key'],
    ['PUT', '/items', { ...item, value: 'text' }, 'invalid_request', 'value'],
    ['PUT', '/items', { ...item, value: { x: 'x'.repeat(262_144) } }, 'invalid_request', 'value'],
    ['PUT', '/items', { ...item, ttl: 0 }, 'invalid_request', 'ttl'],
    ['PUT', '/items', { ...item, ttl: 1e9 }, 'invalid_request', 'ttl'],
    ['PUT', '/items', { ...item, index: ['text'] }, 'not_available', 'index', words],
    ['DELETE', '/items', { namespace: ['a'] }, 'invalid_request', 'key'],
    ['GET', '/items?namespace=&key=k', undefined, 'invalid_request', 'namespace[0]'],
    ['GET', '/items?namespace=a', undefined, 'invalid_request', 'key'],
    [
      'GET',
      '/items?namespace=a&key=k&refresh_ttl=maybe',
      undefined,
      'invalid_request',
      'refresh_ttl',
    ],
    ['POST', '/items/search', { query: 'tea' }, 'not_available', 'query', words],
    ['POST', '/items/search', { limit: 101 }, 'invalid_request', 'limit'],
    ['POST', '/items/search', { filter: { n: { $in: [1] } } }, 'invalid_request', 'filter.n.$in'],
    ['POST', '/items/search', { filter: { $gt: 1 } }, 'invalid_request', 'filter.$gt'],
    ['POST', '/items/search', { filter: { n: { $gt: true } } }, 'invalid_request', 'filter.n.$gt'],
    [
      'POST',
      '/items/search',
      { filter: Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`f${n}`, n])) },
      'invalid_request',
      'filter',
    ],
    ['POST', '/namespaces', { max_depth: 0 }, 'invalid_request', 'max_depth'],
    ['POST', '/namespaces', { prefix: [''] }, 'invalid_request', 'prefix[0]'],
  ])('%s %s %j is %s and names %s', async (method, path, body, code, field, says = ' ') => {
    const refused = await call(scene.box.api, method, `/store${path}`, { body })
    expect(refused).toMatchObject({ status: 422, body: { code, field } })
    expect(refused.body.detail).toContain(says)
  })

  it('takes fields it does not know, and says when it is full', async () => {
    const put = (over: object) =>
      call(scene.box.api, 'PUT', '/store/items', { body: { ...item, ...over } })
    expect(await put({ surprise: 1 })).toMatchObject({ status: 204, body: '' })
    const fill = "update signalbox.store_usage set items = $1 where tenant_id = 'default'"
    await scene.sql(fill, [100_000])
    const refused = await put({ key: 'another' })
    expect(refused).toMatchObject({ status: 409, body: { code: 'quota_reached' } })
    await scene.sql(fill, [10])
  })

  it('prolongs what is read, unless asked not to', async () => {
    const left = async () => {
      const rows = await scene.sql(
        `select round(extract(epoch from expires_at - now()) / 60)::int as minutes
         from signalbox.store_item where key = 'short'`,
      )
      return rows[0]?.['minutes']
    }
    const shorten = `update signalbox.store_item set expires_at = now() + interval '1 minute' where key = 'short'`
    const body = { ...item, key: 'short', ttl: 5 }
    await call(scene.box.api, 'PUT', '/store/items', { body })
    const get = (query: string) =>
      call(scene.box.api, 'GET', `/store/items?namespace=a&key=short${query}`)
    const search = (over: object) =>
      call(scene.box.api, 'POST', '/store/items/search', {
        body: { namespace_prefix: ['a'], ...over },
      })
    await scene.sql(shorten)
    await get('&refresh_ttl=false')
    await search({ refresh_ttl: false })
    expect(await left()).toBe(1)
    await get('')
    expect(await left()).toBe(5)
    await scene.sql(shorten)
    await search({})
    expect(await left()).toBe(5)
  })
})

describe.each(versions)('crons, with client %s', (_version, name) => {
  let client: Client

  beforeAll(async () => {
    client = await scene.clientOf(name)
  })

  const mark = uuid()
  const payload = (over: object = {}) => ({
    schedule: '0 9 * * MON',
    input: { messages: [{ role: 'user', content: 'Note milk.' }] },
    metadata: { mark },
    ...over,
  })

  it('are made, found, counted, changed and deleted', async () => {
    const threadId = uuid()
    const free = await client.crons.create('clerk', payload({ timezone: 'Europe/Berlin' }))
    expect(free).toMatchObject({
      assistant_id: 'clerk',
      thread_id: null,
      schedule: '0 9 * * MON',
      metadata: { mark },
      payload: { assistant_id: 'clerk', input: payload().input, metadata: { mark } },
    })
    expect(new Date(free.next_run_date).getUTCDay()).toBe(1)
    // The oldest client sends no time zone.
    const hours = name === 'langgraph-sdk-2' ? [9] : [7, 8]
    expect(hours).toContain(new Date(free.next_run_date).getUTCHours())
    const bound = await client.crons.createForThread(threadId, 'asker', payload())
    expect(bound.thread_id).toBe(threadId)
    expect((await client.threads.get(threadId)).thread_id).toBe(threadId)

    const search = async (query: object) =>
      (await client.crons.search({ limit: 1000, ...query }))
        .filter((cron) => cron.metadata['mark'] === mark)
        .map((cron) => cron.cron_id)
    expect(await search({})).toEqual([bound.cron_id, free.cron_id])
    expect(await search({ sortBy: 'created_at', sortOrder: 'asc' })).toEqual([
      free.cron_id,
      bound.cron_id,
    ])
    expect(await search({ assistantId: 'clerk' })).toEqual([free.cron_id])
    expect(await search({ threadId })).toEqual([bound.cron_id])

    const cronId = free.cron_id
    const patched = await call(scene.box.api, 'PATCH', `/runs/crons/${cronId}`, {
      body: { enabled: false },
    })
    expect(patched.body).toMatchObject({ enabled: false, next_run_date: null, metadata: { mark } })
    await client.crons.delete(cronId)
    await client.crons.delete(bound.cron_id)
    expect(await search({})).toEqual([])
    expect(await refusal(client.crons.delete(cronId))).toContain('unknown_cron')
  })

  it('run when their time has come, once for each time', async () => {
    const threadId = uuid()
    const { cron_id: cronId } = await client.crons.createForThread(threadId, 'clerk', payload())
    const at = await due(cronId)
    const run = await client.runs.get(threadId, `cron:${cronId}:${at.getTime()}`).catch(() => null)
    const runId = run?.run_id ?? (await firedRun(cronId))
    await client.runs.join(threadId, runId)
    expect(await client.runs.list(threadId)).toMatchObject([
      { run_id: runId, metadata: { mark, cron_id: cronId }, status: 'success' },
    ])
    const fired = await call(scene.box.api, 'GET', `/runs/crons/${cronId}`)
    expect(fired.body).toMatchObject({
      last_run_id: runId,
      last_run_date: at.toISOString(),
      last_error: null,
    })
    expect(Date.parse(fired.body.next_run_date)).toBeGreaterThan(Date.now())
    const events = await fed(scene.box.api, `run_id=${runId}&type=run.created`)
    expect(events).toMatchObject([{ actor: `cron:${cronId}` }])
    await client.crons.delete(cronId)
    expect((await client.runs.get(threadId, runId)).status).toBe('success')
  })
})

it.each(versions.filter(([version]) => version !== '2.0.0'))(
  'crons are changed by client %s',
  async (_version, name) => {
    const client = await scene.clientOf(name)
    const free = await client.crons.create('clerk', {
      schedule: '0 9 * * MON',
      input: { prompt: 'Note milk.' },
    })
    const cronId = free.cron_id
    const end = new Date(Date.now() + 90 * 86_400_000).toISOString()
    const change = { schedule: '30 4 * * *', timezone: 'UTC', enabled: true, endTime: end }
    const changed = await client.crons.update(cronId, change)
    expect(changed).toMatchObject({ schedule: '30 4 * * *', enabled: true, end_time: end })
    expect(changed.payload).toEqual(free.payload)
    expect(changed.next_run_date).toMatch(/T04:30:00\.000Z$/)
    expect(await client.crons.count({ assistantId: 'clerk' })).toBeGreaterThan(0)
    expect(await client.crons.update(cronId, { endTime: null })).toMatchObject({ end_time: null })
    await client.crons.delete(cronId)
  },
)

/** Lets the time of a cron come: an hour ago, as if nobody had been there. */
async function due(cronId: string): Promise<Date> {
  const [row] = await scene.sql(
    `update signalbox.cron set next_at = date_trunc('minute', now()) - interval '1 hour' where id = $1
     returning next_at`,
    [cronId],
  )
  if (!(row?.['next_at'] instanceof Date)) throw new Error('there is no such cron')
  return row['next_at']
}

/** The run of the time that was fired last. */
const firedRun = (cronId: string) =>
  eventually(async () => {
    const { body } = await call(scene.box.api, 'GET', `/runs/crons/${cronId}`)
    return body.last_run_id === null ? undefined : String(body.last_run_id)
  })

const cron = (over: object = {}) => ({
  assistant_id: 'clerk',
  input: 'Note milk.',
  schedule: '0 9 * * *',
  ...over,
})

describe('crons', () => {
  const post = async (over: object = {}) =>
    (await call(scene.box.api, 'POST', '/runs/crons', { body: cron(over) })).body

  it.each([
    [cron({ schedule: '@daily' }), 'invalid_request', 'schedule'],
    [cron({ schedule: '* * * * * *' }), 'invalid_request', 'schedule'],
    [cron({ schedule: undefined }), 'invalid_request', 'schedule'],
    [cron({ timezone: 'Mars/Base' }), 'invalid_request', 'timezone'],
    [cron({ end_time: 'soon' }), 'invalid_request', 'end_time'],
    [cron({ end_time: '2020-01-01T00:00:00Z' }), 'invalid_request', 'end_time'],
    [cron({ assistant_id: 'nobody' }), 'unknown_agent', 'assistant_id'],
    [cron({ input: null }), 'invalid_request', 'input'],
    [
      cron({ input: { messages: [{ role: 'robot', content: 'x' }] } }),
      'invalid_request',
      'input.messages[0].role',
    ],
    [cron({ input: null, command: { resume: 1 } }), 'invalid_request', 'command.resume'],
    [cron({ checkpoint_id: 'x' }), 'invalid_request', 'checkpoint_id'],
    [cron({ on_run_completed: 'delete' }), 'not_available', 'on_run_completed'],
    [cron({ input: 'x'.repeat(262_144) }), 'invalid_request', 'input'],
  ])('%j is %s and names %s', async (body, code, field) => {
    const before = await call(scene.box.api, 'POST', '/runs/crons/count', { body: {} })
    for (const path of ['/runs/crons', `/threads/${uuid()}/runs/crons`]) {
      const refused = await call(scene.box.api, 'POST', path, { body })
      expect(refused.body).toMatchObject({ code, field })
      expect(refused.body.detail).toContain(' ')
    }
    const after = await call(scene.box.api, 'POST', '/runs/crons/count', { body: {} })
    expect(after.body).toBe(before.body)
  })

  it('are changed under the same rules, and not at all if one is broken', async () => {
    const made = await post({ surprise: 1 })
    const path = `/runs/crons/${made.cron_id}`
    expect(made.payload).not.toHaveProperty('surprise')
    for (const [body, field] of [
      [{ schedule: 'never', metadata: { a: 1 } }, 'schedule'],
      [{ input: { messages: [] } }, 'input.messages'],
      [{ end_time: '2020-01-01T00:00:00Z' }, 'end_time'],
    ]) {
      const refused = await call(scene.box.api, 'PATCH', path, { body })
      expect(refused).toMatchObject({ status: 422, body: { field } })
    }
    const kept = await call(scene.box.api, 'GET', path)
    expect(kept.body).toEqual(made)
    const missing = await call(scene.box.api, 'PATCH', `/runs/crons/${uuid()}`, { body: {} })
    expect(missing).toMatchObject({ status: 404, body: { code: 'unknown_cron' } })
  })

  it('belong to their tenant, and have a limit', async () => {
    const { cron_id: cronId } = await post()
    await scene.sql("update signalbox.cron set tenant_id = 'other' where id = $1", [cronId])
    for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as const)
      expect(await call(scene.box.api, method, `/runs/crons/${cronId}`, { body })).toMatchObject({
        status: 404,
      })
    const found = await call(scene.box.api, 'POST', '/runs/crons/search', { body: { limit: 1000 } })
    expect(found.body.map((each: { cron_id: string }) => each.cron_id)).not.toContain(cronId)
    await scene.sql(
      `insert into signalbox.cron select gen_random_uuid(), 'default', null, 'clerk', '* * * * *', null, null, false,
       '{}', '{}', '{}', null, null, null, null, 1, now(), now() from generate_series(1, 1000)`,
    )
    expect(await post()).toMatchObject({
      code: 'quota_reached',
      detail: expect.stringContaining('1000'),
    })
    await scene.sql("delete from signalbox.cron where body = '{}'")
  })

  it('say why a time had no run, and go on', async () => {
    const { cron_id: cronId } = await post()
    await scene.sql("update signalbox.cron set assistant = 'gone' where id = $1", [cronId])
    await due(cronId)
    const fired = await eventually(async () => {
      const { body } = await call(scene.box.api, 'GET', `/runs/crons/${cronId}`)
      return body.last_error === null ? undefined : body
    })
    expect(fired).toMatchObject({
      last_run_id: null,
      last_error: expect.stringContaining('unknown_agent'),
    })
    expect(Date.parse(fired.next_run_date)).toBeGreaterThan(Date.now())
  })

  it('that ended while nobody was there have no late run', async () => {
    const { cron_id: cronId } = await post()
    await scene.sql(
      "update signalbox.cron set end_at = now() - interval '30 minutes' where id = $1",
      [cronId],
    )
    await due(cronId)
    const fired = await eventually(async () => {
      const { body } = await call(scene.box.api, 'GET', `/runs/crons/${cronId}`)
      return body.last_error === null ? undefined : body
    })
    expect(fired).toMatchObject({ last_run_id: null, next_run_date: null })
    const runs = await scene.sql('select from signalbox.alias where key like $1', [
      `cron:${cronId}:%`,
    ])
    expect(runs).toEqual([])
  })

  it('whose process died between a run and the next time have that run, once', async () => {
    const { cron_id: cronId } = await post()
    const at = await due(cronId)
    const runId = await firedRun(cronId)
    const path = `/runs/crons/${cronId}`
    // As the process left it that died: the run is there, the time is still due. Then its owner changed it, too.
    for (const change of [{}, { input: 'Note tea.' }]) {
      await call(scene.box.api, 'PATCH', path, { body: change })
      await scene.sql('update signalbox.cron set next_at = $2, last_run = null where id = $1', [
        cronId,
        at,
      ])
      expect(await firedRun(cronId)).toBe(runId)
    }
    const { body } = await call(scene.box.api, 'GET', path)
    expect(body).toMatchObject({ last_error: null, payload: { input: 'Note tea.' } })
    const made = await scene.sql('select from signalbox.run where metadata @> $1', [
      { cron_id: cronId },
    ])
    expect(made).toHaveLength(1)
  })

  it('are fired by two processes once for each time, each with a thread of its own', async () => {
    const other = await scene.another()
    try {
      const made = await Promise.all(Array.from({ length: 20 }, () => post()))
      const ids = made.map(({ cron_id }) => String(cron_id))
      for (const round of [1, 2]) {
        await scene.sql(
          `update signalbox.cron set last_run = null,
           next_at = date_trunc('minute', now()) - $2 * interval '1 hour' where id = any($1)`,
          [ids, round],
        )
        const runs = await Promise.all(ids.map(firedRun))
        expect(new Set(runs).size).toBe(20)
      }
      const rows = await scene.sql(
        `select count(*)::int as runs, count(distinct r.thread_id)::int as threads
         from signalbox.run r where r.metadata ->> 'cron_id' = any($1)`,
        [ids],
      )
      expect(rows).toEqual([{ runs: 40, threads: 40 }])
      expect(other.logged.join('\n')).not.toContain('could not be fired')
    } finally {
      await other.stop()
    }
  })
})

describe.each(versions)('assistants, with client %s', (_version, name) => {
  let client: Client

  beforeAll(async () => {
    client = await scene.clientOf(name)
  })

  const input = { messages: [{ role: 'user', content: 'Note milk.' }] }
  const said = async (assistantId: string): Promise<string> => {
    const values = Object(await client.runs.wait(uuid(), assistantId, { input }))
    return String(values.messages.at(-1).content)
  }

  it('are made of agents, changed by versions, and run as their version says', async () => {
    const { assistants } = client
    const assistantId = uuid()
    const context = { instructions: 'You are Bob.', model: 'other', limits: { maxTurns: 5 } }
    const made = await assistants.create({
      graphId: 'clerk',
      assistantId,
      name: `bob ${assistantId}`,
      description: 'Notes for Bob.',
      metadata: { owner: assistantId },
      context,
    })
    expect(made).toMatchObject({
      assistant_id: assistantId,
      graph_id: 'clerk',
      version: 1,
      description: 'Notes for Bob.',
      context,
      config: {},
      model: { model: 'other' },
      limits: { maxTurns: 5, maxTokens: 1000 },
      tools: expect.arrayContaining([expect.objectContaining({ name: 'note' })]),
    })
    expect(await assistants.get(assistantId)).toEqual(made)
    expect(await said(assistantId)).toContain('You are Bob.')

    const config = { configurable: { instructions: 'You are Bea.', model: 'scripted:other' } }
    const change = { config, context: {}, metadata: { n: 1 } }
    expect(await assistants.update(assistantId, change)).toMatchObject({
      version: 2,
      config,
      name: `bob ${assistantId}`,
      metadata: { owner: assistantId, n: 1 },
      limits: { maxTurns: 10 },
    })
    expect(await said(assistantId)).toContain('You are Bea.')
    const kept = await assistants.getVersions(assistantId)
    expect(kept.map((each) => each.version)).toEqual([2, 1])
    expect(kept[1]).toMatchObject({ context, config: {} })
    expect(await assistants.setLatest(assistantId, 1)).toMatchObject({ version: 1, context })
    expect(await said(assistantId)).toContain('You are Bob.')
    // A change goes on from the version that runs use, and is a new one.
    expect(await assistants.update(assistantId, { name: 'Bo' })).toMatchObject({
      version: 3,
      context,
    })

    expect((await assistants.getGraph(assistantId)).nodes.length).toBeGreaterThan(3)
    expect(await assistants.getSchemas(assistantId)).toMatchObject({ graph_id: 'clerk' })
    expect(await assistants.getSubgraphs(assistantId)).toEqual({})
    await assistants.delete(assistantId)
    expect(await refusal(assistants.get(assistantId))).toContain('unknown_agent')
    expect(await refusal(said(assistantId))).toContain('unknown_agent')
  })

  it('are found among the configured ones, and pin what runs had', async () => {
    const { assistants } = client
    const metadata = { mark: uuid() }
    const made = await assistants.create({ graphId: 'clerk', metadata })
    expect(made.name).toBe('Untitled')
    const search = (query: object) => assistants.search({ limit: 1000, ...query })
    expect(await search({ metadata })).toEqual([made])
    const ofClerk = (await search({ graphId: 'clerk' })).map((each) => each.assistant_id)
    expect(ofClerk).toEqual(expect.arrayContaining(['clerk', made.assistant_id]))
    expect(
      (await search({ graphId: 'clerk', sortBy: 'created_at', sortOrder: 'desc' }))[0],
    ).toEqual(made)
    const counted = await call(scene.box.api, 'POST', '/assistants/count', { body: { metadata } })
    expect(counted.body).toBe(1)

    const threadId = uuid()
    const run = await client.runs.create(threadId, made.assistant_id, { input })
    await client.runs.join(threadId, run.run_id)
    const mine = { assistant_id: made.assistant_id, assistant_version: 1 }
    const { metadata: marks } = await client.runs.get(threadId, run.run_id)
    expect(marks).toMatchObject(mine)
    // The same definition as the agent's own, since it changes nothing.
    const own = await client.runs.create(uuid(), 'clerk', { input })
    expect(Reflect.get(own, 'definition_hash')).toBe(Reflect.get(run, 'definition_hash'))
    await assistants.delete(made.assistant_id)
    expect((await client.runs.get(threadId, run.run_id)).status).toBe('success')
  })

  it('are there once, and belong to their tenant', async () => {
    const { assistants } = client
    const assistantId = uuid()
    const made = await assistants.create({ graphId: 'clerk', assistantId })
    const again = { graphId: 'asker', assistantId }
    expect(await refusal(assistants.create(again))).toContain('assistant_exists')
    expect(await assistants.create({ ...again, ifExists: 'do_nothing' })).toEqual(made)
    for (const table of ['assistant', 'assistant_version'])
      await scene.sql(`update signalbox.${table} set tenant_id = 'other' where id = $1`, [
        assistantId,
      ])
    const asks: readonly (() => Promise<unknown>)[] = [
      () => assistants.get(assistantId),
      () => assistants.update(assistantId, { name: 'x' }),
      () => assistants.setLatest(assistantId, 1),
      () => assistants.getVersions(assistantId),
      () => assistants.delete(assistantId),
      () => client.runs.create(uuid(), assistantId, { input }),
      () => client.crons.create(assistantId, { schedule: '* * * * *', input }),
    ]
    for (const ask of asks) expect(await refusal(ask())).toContain('unknown_agent')
    expect(
      (await assistants.search({ limit: 1000 })).map((each) => each.assistant_id),
    ).not.toContain(assistantId)
  })
})

const make = (body: object) => call(scene.box.api, 'POST', '/assistants', { body })

describe('assistants', () => {
  const made = { graph_id: 'clerk' }

  it.each([
    [{ context: { tools: ['hold'] } }, 'context.tools', 'configuration of the agent alone'],
    [{ context: { guardrails: {} } }, 'context.guardrails', 'configuration of the agent alone'],
    [{ context: { safety: { detectors: [] } } }, 'context.safety', 'configuration of the agent'],
    [{ config: { configurable: { loop: null } } }, 'config.configurable.loop', 'configuration of'],
    [{ context: { approvals: {} } }, 'context.approvals', 'configuration of the agent alone'],
    [{ context: { instruction: 'x' } }, 'context.instruction', 'Did you mean "instructions"?'],
    [{ config: { recursion_limit: 5 } }, 'config.recursion_limit', 'not what an assistant changes'],
    [{ context: { model: 'gpt-9' } }, 'context.model', 'scripted:once, scripted:other'],
    [{ context: { limits: { maxTurns: 11 } } }, 'context.limits.maxTurns', 'at most 10'],
    [{ context: { limits: { maxTurns: 0 } } }, 'context.limits.maxTurns', ' '],
    [{ context: { limits: { warnAt: 1 } } }, 'context.limits', 'warnAt'],
    [
      { context: { model: 'once' }, config: { configurable: { model: 'other' } } },
      'config.configurable.model',
      'stands in context already',
    ],
    [{ context: { instructions: 'x'.repeat(32_768) } }, 'context', 'at most 32768 bytes'],
    [{ graph_id: 'clark' }, 'graph_id', 'clerk'],
    [{ assistant_id: 'bob' }, 'assistant_id', 'UUID'],
  ])('%j names %s', async (over, field, says) => {
    const refused = await make({ ...made, ...over })
    expect(refused.body).toMatchObject({ field })
    expect(refused.body.detail).toContain(says)
    expect([404, 422]).toContain(refused.status)
  })

  it('that are configured cannot be changed', async () => {
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'x' }],
      ['DELETE', '', undefined],
      ['POST', '/latest', { version: 1 }],
    ] as const) {
      const refused = await call(scene.box.api, method, `/assistants/clerk${path}`, { body })
      expect(refused).toMatchObject({ status: 409, body: { code: 'assistant_configured' } })
    }
    const { body } = await make(made)
    const path = `/assistants/${body.assistant_id}`
    const patch = { context: { tools: [] } }
    expect(await call(scene.box.api, 'PATCH', path, { body: patch })).toMatchObject({ status: 422 })
    const latest = await call(scene.box.api, 'POST', `${path}/latest`, { body: { version: 2 } })
    expect(latest).toMatchObject({ status: 422, body: { field: 'version' } })
    const threads = await call(scene.box.api, 'DELETE', `${path}?delete_threads=true`)
    expect(threads.body).toMatchObject({ code: 'not_available', field: 'delete_threads' })
    expect((await call(scene.box.api, 'GET', path)).body).toEqual(body)
  })

  it('follow their agent: tighter limits bind, a model that is gone stops them', async () => {
    const context = { model: 'other', limits: { maxTurns: 5 } }
    const { body } = await make({ ...made, context })
    const path = `/assistants/${body.assistant_id}`
    // As if the configuration had said otherwise when it was written.
    const set = (value: object) =>
      scene.sql('update signalbox.assistant_version set context = $2 where id = $1', [
        body.assistant_id,
        value,
      ])
    await set({ limits: { maxTurns: 50, maxTokens: 7 } })
    const bound = await call(scene.box.api, 'GET', path)
    expect(bound.body.limits).toMatchObject({ maxTurns: 10, maxTokens: 7 })
    await set({ model: 'gone' })
    const run = { assistant_id: body.assistant_id, input: 'Note milk.' }
    const refused = await call(scene.box.api, 'POST', '/runs', { body: run })
    expect(refused).toMatchObject({ status: 409, body: { code: 'assistant_outdated' } })
    const shown = await call(scene.box.api, 'GET', path)
    expect(shown).toMatchObject({ status: 200, body: { context: { model: 'gone' } } })
    expect(shown.body).not.toHaveProperty('limits')
  })
})
