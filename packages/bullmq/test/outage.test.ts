/** Stores that are not there, come late, go away or never answer. No hint is worth a crash, a throw or a hang (I13). */
import {
  type BullBackend,
  createBullDispatcher,
  createBullHintSource,
  prepare,
} from '@signalbox/bullmq'
import type { Log } from '@signalbox/engine'
import { describe, expect, it, onTestFinished } from 'vitest'
import { blackHole } from './support/black-hole.ts'
import { dispatchUntil, until } from './support/eventually.ts'
import { freePort } from '../../../test/contract/free-port.ts'
import { PostgresServer } from './support/postgres-server.ts'
import { recordingLog } from './support/recording-log.ts'
import { redisMissing, RedisServer, skipRedis } from './support/redis-server.ts'
import { reportsOf } from './support/reports-of.ts'

/** One end says as much in this time, whatever happens to its store. */
const warnEveryMs = 5_000

interface Store {
  readonly backend: BullBackend
  start(): Promise<void>
  stop(): Promise<void>
}

/** The store is down when this is called. */
async function comesLateAndGoesAway(store: Store): Promise<ReadonlySet<string>> {
  const log = recordingLog()
  const began = performance.now()
  const { dispatcher, source } = bothEnds(store.backend, log)
  const seen = new Set<string>()
  await source.start([{ queue: 'a', concurrency: 2 }], async (effectId) => {
    seen.add(effectId)
    return 'done'
  })
  await dispatcher.dispatch([{ effectId: 'lost.0', queue: 'a', dispatch: 1 }])
  // A dispatch is given up after its time, the start of a source too: the refusal may come later than both.
  await until(() => [dispatcher, source].every((end) => end.health().status === 'down'))
  expect(dispatcher.health()).toMatchObject({ status: 'down', lost: 1 })
  expect(source.health()).toMatchObject({ status: 'down', lost: 0 })
  expect(source.health().error).toContain('ECONNREFUSED')

  for (const round of ['first', 'second']) {
    await store.start()
    await dispatchUntil(dispatcher, `${round}.0`, () => seen.has(`${round}.0`))
    await until(() => [dispatcher, source].every((end) => end.health().status === 'up'))
    expect(dispatcher.health()).toMatchObject({ status: 'up', error: null })
    await store.stop()
    await dispatcher.dispatch([{ effectId: `${round}.1`, queue: 'a', dispatch: 1 }])
    await until(() => [dispatcher, source].every((end) => end.health().status === 'down'))
  }
  // Hundreds of errors by now, and few words about them.
  const warnings = log.lines.filter(({ level }) => level === 'warn').length
  const saidMost = 1 + (performance.now() - began) / warnEveryMs
  expect(warnings).toBeLessThanOrEqual(2 * saidMost)
  expect(JSON.stringify(log.lines)).not.toContain('secret')
  await source.stop(1_000)
  await dispatcher.close()
  return seen
}

/** A dispatcher and a source, gone with the test: they would ask for a store that is away for as long as they live. */
function bothEnds(backend: BullBackend, log: Log) {
  const dispatcher = createBullDispatcher(backend, { log })
  const source = createBullHintSource(backend, { log })
  onTestFinished(async () => {
    await source.stop(0)
    await dispatcher.close()
  })
  return { dispatcher, source }
}

const script = new URL('support/stop-without-store.ts', import.meta.url)
const arrivals = ['first.0', 'second.0']

/** Answers what the dispatcher has given up. */
async function answersNothing(backend: BullBackend): Promise<number> {
  const log = recordingLog()
  const dispatcher = createBullDispatcher(backend, { log })
  await dispatcher.dispatch([{ effectId: 'lost.0', queue: 'a', dispatch: 1 }])
  await dispatcher.close()
  const source = createBullHintSource(backend, { log })
  const started = source.start([{ queue: 'a', concurrency: 1 }], async () => 'done')
  await source.stop(0)
  await started
  return dispatcher.health().lost
}

it('postgres: comes late and goes away', async () => {
  const server = await PostgresServer.start()
  onTestFinished(() => server.close())
  const backend: BullBackend = { kind: 'postgres', url: server.url }
  await prepare(backend)
  await server.stop()
  const seen = await comesLateAndGoesAway({
    backend,
    start: () => server.start(),
    stop: () => server.stop(),
  })
  expect([...seen]).toEqual(arrivals)
})

it('postgres: never answers', async () => {
  const hole = await blackHole()
  onTestFinished(() => hole.close())
  const url = `postgres://a:secret@127.0.0.1:${hole.port}/a`
  expect(await answersNothing({ kind: 'postgres', url })).toBe(1)
})

it('postgres: asks a broken store again now and then, not as fast as it can', async () => {
  const server = await PostgresServer.start()
  onTestFinished(() => server.close())
  const backend: BullBackend = { kind: 'postgres', url: server.url, schema: 'here' }
  await prepare(backend)
  const { dispatcher, source } = bothEnds(backend, recordingLog())
  const gate = Promise.withResolvers<void>()
  let performed = 0
  await source.start([{ queue: 'a', concurrency: 1 }], async () => {
    performed += 1
    await gate.promise
    return 'done'
  })
  await dispatchUntil(dispatcher, 'busy.0', () => performed === 1)
  const failed = async () => {
    const [row] = await server.query(
      'select sum(xact_rollback)::int failed from pg_stat_database where datname = current_database()',
    )
    return Number(row?.['failed'])
  }
  await server.query('alter schema here rename to gone')
  // A worker that comes from a job, unlike one that waits, asks for the next at once.
  gate.resolve()
  await until(() => source.health().status === 'down')
  const before = await failed()
  // Five failures with pauses, a hundred without; a slow machine only makes them fewer.
  await new Promise((resolve) => setTimeout(resolve, 2_000))
  expect((await failed()) - before).toBeLessThan(30)

  await server.query('alter schema gone rename to here')
  await until(() => source.health().status === 'up')
})

it('postgres: a process whose store never came ends by itself', async () => {
  const url = `postgres://a:secret@127.0.0.1:${await freePort()}/a`
  const { sent, code, stderr } = await reportsOf(script, { kind: 'postgres', url })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(sent).toMatchObject([[{ status: 'down', lost: 1 }, { status: 'down' }]])
})

describe.skipIf(skipRedis)(`redis${redisMissing}`, () => {
  it('comes late and goes away', async () => {
    const server = await RedisServer.create()
    onTestFinished(() => server.close())
    const seen = await comesLateAndGoesAway({
      backend: { kind: 'redis', url: server.url },
      start: () => server.start(),
      stop: () => server.kill(),
    })
    expect([...seen]).toEqual(arrivals)
  })

  it('never answers', async () => {
    const hole = await blackHole()
    onTestFinished(() => hole.close())
    const url = `redis://:secret@127.0.0.1:${hole.port}`
    expect(await answersNothing({ kind: 'redis', url })).toBe(1)
  })

  it('a process whose store never came ends by itself', async () => {
    const url = `redis://127.0.0.1:${await freePort()}`
    const { sent, code, stderr } = await reportsOf(script, { kind: 'redis', url })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(sent).toMatchObject([
      [{ status: 'down', lost: 1 }, { status: 'down' }, { status: 'down' }],
    ])
  })
})
