/** What stands in the stores, who may write there, and what a hint that is not one does. */
import {
  createBullDispatcher,
  createBullHintSource,
  createRedisWakeBus,
  prepare,
} from '@signalbox/bullmq'
import type { Hint } from '@signalbox/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dispatchUntil, until } from './support/eventually.ts'
import { PostgresServer } from './support/postgres-server.ts'
import { recordingLog, saidOf } from './support/recording-log.ts'
import { redisMissing, RedisServer, skipRedis } from './support/redis-server.ts'

const usable: Hint = { effectId: '0199f3a0-7c1d-7000-8000-000000000001.7', queue: 'a', dispatch: 3 }
const unusable: readonly Hint[] = [
  { ...usable, effectId: 'with:colon' },
  { ...usable, effectId: '42' },
  { ...usable, effectId: '' },
  { ...usable, effectId: 'x'.repeat(201) },
  { ...usable, queue: 'a:b' },
  { ...usable, queue: '' },
  { ...usable, dispatch: Number.NaN },
]

/** One more than the unusable ones is the usable one that was late: on a busy machine it may be. */
function expectLost(lost: number, least: number): void {
  expect([least, least + 1]).toContain(lost)
}

describe('postgres', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.close())

  it('prepares once, however many try at the same time', async () => {
    await server.query('create role queue_user login password $$secret$$')
    const backend = { kind: 'postgres', url: server.url, schema: 'many' } as const
    await Promise.all(Array.from({ length: 8 }, () => prepare(backend, { grantTo: 'queue_user' })))
    await prepare(backend)
    const [row] = await server.query('select count(*)::int n, max(version) v from many.migration')
    expect(row).toEqual({ n: row?.['v'], v: row?.['v'] })
  })

  it('works as a role that has the schema and nothing else', async () => {
    await server.query('create role narrow login password $$secret$$')
    await prepare({ kind: 'postgres', url: server.url }, { grantTo: 'narrow' })
    const url = server.url.replace('postgres:secret', 'narrow:secret')
    // An own start-up option must not displace the schema.
    const backend = { kind: 'postgres', url: `${url}?options=-c%20lock_timeout%3D7s` } as const
    const log = recordingLog()
    const dispatcher = createBullDispatcher(backend, { log })
    const source = createBullHintSource(backend, { log })
    const seen = new Set<string>()
    await source.start([{ queue: 'a', concurrency: 2 }], async (effectId) => {
      seen.add(effectId)
      return 'done'
    })
    await dispatcher.dispatch([
      { ...usable, effectId: 'bulk.0' },
      { ...usable, effectId: 'bulk.1' },
    ])
    await dispatchUntil(dispatcher, 'one.0', () => seen.size === 3)
    await source.stop(1_000)
    await dispatcher.close()
    expect(saidOf(log.lines)).toEqual([])
  })

  it('holds the effect id and nothing else, without waiting for the disk', async () => {
    const backend = { kind: 'postgres', url: server.url, schema: 'rows' } as const
    await prepare(backend)
    const dispatcher = createBullDispatcher(backend, { log: recordingLog() })
    await server.query(`create function rows.told() returns trigger language plpgsql as
      $$ begin new.name := current_setting('synchronous_commit'); return new; end $$`)
    await server.query(
      'create trigger told before insert on rows.job for each row execute function rows.told()',
    )
    await dispatcher.dispatch(unusable)
    expect(dispatcher.health().lost).toBe(unusable.length)
    await dispatcher.dispatch([...unusable, usable, ...unusable])
    const rows = () => server.query('select queue, id, name, data, max_attempts from rows.job')
    // Given up or not: the hint arrives, at its own time.
    await until(async () => (await rows()).length > 0)
    expectLost(dispatcher.health().lost, 3 * unusable.length)
    await dispatcher.close()
    expect(await rows()).toEqual([
      {
        queue: 'a',
        id: `${usable.effectId}-3`,
        name: 'off',
        data: usable.effectId,
        max_attempts: 1,
      },
    ])
  })

  it('adds hints of one turn of the loop at once, each queue for itself', async () => {
    const backend = { kind: 'postgres', url: server.url, schema: 'turn' } as const
    await prepare(backend)
    const dispatcher = createBullDispatcher(backend, { log: recordingLog() })
    const send = (effectId: string, queue: string) =>
      dispatcher.dispatch([{ effectId, queue, dispatch: 1 }])
    await send('warm.0', 'warm')
    await Promise.all([
      send('e.0', 'a'),
      send('e.1', 'b'),
      Promise.resolve().then(() => send('e.2', 'a')),
      send('e.3', 'b'),
      send('e.0', 'a'),
    ])
    const arrived = () => server.query(`select id from turn.job where queue <> 'warm'`)
    await until(async () => (await arrived()).length >= 4)
    await dispatcher.close()
    const commits = await server.query(
      `select queue, count(*)::int jobs, count(distinct xmin::text)::int commits
         from turn.job where queue <> 'warm' group by queue order by queue`,
    )
    expect(commits).toEqual([
      { queue: 'a', jobs: 2, commits: 1 },
      { queue: 'b', jobs: 2, commits: 1 },
    ])
  })

  it('leaves no row of a job that is done', async () => {
    const backend = { kind: 'postgres', url: server.url, schema: 'done' } as const
    await prepare(backend)
    const log = recordingLog()
    const dispatcher = createBullDispatcher(backend, { log })
    const source = createBullHintSource(backend, { log })
    let performed = 0
    await source.start([{ queue: 'a', concurrency: 1 }], async () => {
      performed += 1
      if (performed === 2) throw new Error('a secret word')
      return performed === 1 ? 'done' : 'not_mine'
    })
    for (const dispatch of [1, 2, 3]) await dispatcher.dispatch([{ ...usable, dispatch }])
    await until(() => performed === 3)
    await source.stop(10_000)
    await dispatcher.close()
    expect(await server.query('select id from done.job')).toEqual([])
    const kept = await server.query(
      'select data::text from done.event union all select data::text from done.job',
    )
    expect(JSON.stringify(kept)).not.toContain('secret')
  })

  it('survives losing a connection that BullMQ has checked out', async () => {
    const { QueueConnection } = await import('../src/postgres-connection.ts')
    const connection = new QueueConnection({ kind: 'postgres', url: server.url })
    const client = await connection.pool.connect()
    const listener = await connection.getListenClient()
    listener.removeAllListeners()
    await server.terminateAll()
    await expect(client.query('select 1')).rejects.toThrow(/connection/i)
    client.release(true)
    connection.sever()
  })
})

describe.skipIf(skipRedis)(`redis${redisMissing}`, () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server?.close())

  it('holds the effect id and nothing else', async () => {
    const backend = { kind: 'redis', url: server.url, prefix: 'rows' } as const
    const dispatcher = createBullDispatcher(backend, { log: recordingLog() })
    await dispatcher.dispatch(unusable)
    expect(dispatcher.health().lost).toBe(unusable.length)
    await dispatcher.dispatch([...unusable, usable, ...unusable])
    const key = `rows:a:${usable.effectId}-3`
    // Given up or not: the hint arrives, at its own time.
    await until(async () => (await server.command('EXISTS', key)) === 1)
    expectLost(dispatcher.health().lost, 3 * unusable.length)
    await dispatcher.close()
    expect(await server.command('HGET', key, 'data')).toBe(JSON.stringify(usable.effectId))
    expect(await server.command('LRANGE', 'rows:a:wait', '0', '-1')).toEqual([
      `${usable.effectId}-3`,
    ])
    expect(await server.command('HGET', 'rows:a:meta', 'opts.maxLenEvents')).toBe('100')
  })

  it('leaves no job that is done, and has nothing to say about a normal life', async () => {
    const backend = { kind: 'redis', url: server.url, prefix: 'done' } as const
    const log = recordingLog()
    const dispatcher = createBullDispatcher(backend, { log })
    const source = createBullHintSource(backend, { log })
    const bus = await createRedisWakeBus({ url: server.url, log })
    let performed = 0
    await source.start([{ queue: 'a', concurrency: 1 }], async () => {
      performed += 1
      return performed === 1 ? 'done' : 'not_mine'
    })
    for (const dispatch of [1, 2]) await dispatcher.dispatch([{ ...usable, dispatch }])
    await until(() => performed === 2)
    await source.stop(10_000)
    await dispatcher.close()
    await bus.close()
    const keys = await server.command('KEYS', `done:a:${usable.effectId}*`)
    expect(keys).toEqual([])
    expect(await server.command('KEYS', 'done:a:active')).toEqual([])
    expect(saidOf(log.lines)).toEqual([])
  })
})
