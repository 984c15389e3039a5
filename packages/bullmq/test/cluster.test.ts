/** The queue and the bus on a Redis Cluster of three nodes: the contracts, and what a node that dies costs. */
import {
  createBullDispatcher,
  createBullHintSource,
  createRedisWakeBus,
  type RedisBackend,
} from '@signalbox/bullmq'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { dispatchContract, wakeBusContract } from '@signalbox/testing/contract'
import { dispatchUntil, until } from './support/eventually.ts'
import { recordingLog } from './support/recording-log.ts'
import { RedisCluster } from './support/redis-cluster.ts'
import { redisMissing, skipRedis } from './support/redis-server.ts'
import { spawnHangingWorker } from './support/spawn-hanging-worker.ts'

describe.skipIf(skipRedis)(`redis cluster${redisMissing}`, () => {
  let cluster: RedisCluster
  let made = 0
  beforeAll(async () => {
    cluster = await RedisCluster.start()
  })
  afterAll(() => cluster?.close())

  const backendOf = (prefix: string): RedisBackend => ({ kind: 'redis', url: cluster.url, prefix })

  dispatchContract('bullmq on a cluster', async () => {
    made += 1
    const backend = backendOf(`cluster${made}`)
    const log = recordingLog()
    const dispatcher = createBullDispatcher(backend, { log })
    return {
      dispatcher,
      source: createBullHintSource(backend, { log }),
      flush: () => cluster.flush(),
      kill: async () => {
        const holder = await cluster.holderOf(`{${backend.prefix}}`)
        await holder.kill()
        await holder.start()
        await cluster.whole()
      },
      hangingWorker: (queue) => spawnHangingWorker(backend, queue),
      close: () => dispatcher.close(),
    }
  })

  const twoBuses = async () => {
    made += 1
    const options = { url: cluster.url, prefix: `bus${made}`, log: recordingLog() }
    const [a, b] = await Promise.all([createRedisWakeBus(options), createRedisWakeBus(options)])
    const close = async () => void (await Promise.all([a.close(), b.close()]))
    onTestFinished(close)
    return { a, b, close }
  }
  wakeBusContract('sharded pub/sub', twoBuses)

  it('says that a node is away, and goes on when it is back', { timeout: 120_000 }, async () => {
    const backend = backendOf('away')
    const log = recordingLog()
    const dispatcher = createBullDispatcher(backend, { log })
    const source = createBullHintSource(backend, { log })
    const { a, b } = await twoBuses()
    onTestFinished(async () => {
      await source.stop(0)
      await dispatcher.close()
    })
    const seen = new Set<string>()
    await source.start([{ queue: 'a', concurrency: 2 }], async (effectId) => {
      seen.add(effectId)
      return 'done'
    })
    await dispatchUntil(dispatcher, 'before.0', () => seen.has('before.0'))
    const heard = new Set<string>()
    // Of many runs, so that each node has channels.
    const runs = Array.from({ length: 30 }, (_, n) => `r${n}`)
    for (const runId of runs) b.subscribeDeltas(runId, () => heard.add(runId))
    const sayAll = () => {
      for (const runId of runs)
        a.publishDelta({ runId, messageId: 'm', attempt: 1, kind: 'text', offset: 0, text: 'x' })
    }
    const allHeard = async () => {
      heard.clear()
      await until(async () => {
        sayAll()
        await new Promise((resolve) => setTimeout(resolve, 100))
        return heard.size === runs.length
      })
    }
    await allHeard()

    const holder = await cluster.holderOf('{away}')
    await holder.kill()
    await until(async () => {
      const began = performance.now()
      await dispatcher.dispatch([{ effectId: 'lost.0', queue: 'a', dispatch: 0 }])
      expect(performance.now() - began).toBeLessThan(5_000)
      return !dispatcher.up()
    })
    expect(log.lines.filter(({ level }) => level === 'warn').length).toBeGreaterThan(0)
    await expect(dispatcher.depth('a')).rejects.toThrow(/./)

    await holder.start()
    await cluster.whole()
    await dispatchUntil(dispatcher, 'after.0', () => seen.has('after.0'))
    await until(() => dispatcher.up() && source.up())
    await allHeard()
  })
})
