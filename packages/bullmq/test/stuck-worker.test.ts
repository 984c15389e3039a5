/**
 * Workers whose connection never answers. Would catch: a queue that nobody takes jobs from while its store answers and nothing is
 * said; a worker that is idle, or busy, and is replaced for it.
 */
import { createBullDispatcher } from '@signalbox/bullmq'
import { createRedisBackend } from 'bullmq'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConnectionWatch } from '../src/health.ts'
import { pause } from '../src/pace.ts'
import { redisClient } from '../src/redis-client.ts'
import { startWorker } from '../src/worker.ts'
import { until } from './support/eventually.ts'
import { recordingLog } from './support/recording-log.ts'
import { redisMissing, RedisServer, skipRedis } from './support/redis-server.ts'

let server: RedisServer | null = null
const never = new AbortController().signal

/** A worker on a queue, and how often it was called stuck. The first `hanging` answers of the store never come. */
function working(
  queue: string,
  how: { readonly stuckMs: number; readonly hanging?: number; readonly isAway?: () => boolean },
) {
  const url = server?.url ?? ''
  const log = recordingLog()
  const watch = new ConnectionWatch('queue', log)
  const client = redisClient(url, 'worker', watch)
  const performed: string[] = []
  const held = Promise.withResolvers<void>()
  let [asked, stuck] = [0, 0]
  const perform = async (effectId: string): Promise<void> => {
    performed.push(effectId)
    if (effectId.startsWith('long')) await held.promise
  }
  const open = () =>
    startWorker({ queue, concurrency: 1, perform }, watch, {
      connection: client,
      prefix: 'stuck',
      stuckMs: how.stuckMs,
      answers: async () => {
        if (how.isAway?.()) throw new Error('the store is away')
        await client.ping()
      },
      factory: (name, opts, extra) => {
        const backend = createRedisBackend(name, opts, extra)
        const take = backend.moveToActive.bind(backend)
        backend.moveToActive = (...given) =>
          (asked += 1) <= (how.hanging ?? 0) ? new Promise(() => {}) : take(...given)
        return backend
      },
      stuck() {
        stuck += 1
        const before = worker
        worker = open()
        void before.close(true)
      },
    })
  let worker = open()
  const dispatcher = createBullDispatcher({ kind: 'redis', url, prefix: 'stuck' }, { log })
  return {
    performed,
    log,
    health: () => watch.health(),
    stuck: () => stuck,
    letGo: () => held.resolve(),
    dispatch: (effectId: string) => dispatcher.dispatch([{ effectId, queue, dispatch: 1 }]),
    async close() {
      held.resolve()
      await worker.close()
      await dispatcher.close()
      client.sever()
    },
  }
}

describe.skipIf(skipRedis)(`a worker of a queue${redisMissing}`, () => {
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server?.close())

  it.concurrent('that is never answered is replaced, and its jobs are done', async () => {
    const it_ = working('hangs', { stuckMs: 1_000, hanging: 1 })
    await it_.dispatch('a.0')
    await until(() => it_.performed.includes('a.0'))
    expect(it_.stuck()).toBe(1)
    expect(JSON.stringify(it_.log.lines)).toContain('asks for no jobs any more')
    await it_.close()
  })

  it.concurrent('that waits for an answer of a store that is away says so, and is replaced when it is back', async () => {
    let isAway = true
    const it_ = working('away', { stuckMs: 1_000, hanging: 1, isAway: () => isAway })
    await until(() => it_.health().status === 'down')
    expect(it_.health().error).toContain('the store is away')
    await pause(2_000, never)
    expect(it_.stuck()).toBe(0)
    isAway = false
    await it_.dispatch('a.0')
    await until(() => it_.performed.includes('a.0'))
    expect(it_.stuck()).toBe(1)
    expect(it_.health()).toMatchObject({ status: 'up', error: null })
    await it_.close()
  })

  it.concurrent('that works on as much as it may is not', async () => {
    const it_ = working('busy', { stuckMs: 500 })
    await it_.dispatch('long.0')
    await until(() => it_.performed.length > 0)
    await pause(2_000, never)
    expect(it_.stuck()).toBe(0)
    it_.letGo()
    await it_.close()
  })

  it.concurrent('that is idle is not', async () => {
    const it_ = working('idle', { stuckMs: 6_500 })
    await pause(9_000, never)
    expect(it_.stuck()).toBe(0)
    await it_.dispatch('b.0')
    await until(() => it_.performed.includes('b.0'))
    await it_.close()
  })
})
