/** A Redis that falls silent, is full, evicts, is shared, or has a new master: said, bounded, and over when it is over. */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createBullDispatcher,
  createBullHintSource,
  createRedisWakeBus,
  examineRedis,
  type RedisBackend,
} from '@signalbox/bullmq'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../test/contract/free-port.ts'
import { dispatchUntil, until } from './support/eventually.ts'
import { recordingLog } from './support/recording-log.ts'
import { redisMissing, RedisServer, skipRedis } from './support/redis-server.ts'
import { silentProxy } from './support/silent-proxy.ts'

/** Both ends of the queue and a bus, gone with the test. */
async function open(backend: RedisBackend) {
  const log = recordingLog()
  const dispatcher = createBullDispatcher(backend, { log })
  const source = createBullHintSource(backend, { log })
  const bus = await createRedisWakeBus({ ...backend, log })
  const [seen, heard] = [new Set<string>(), new Set<string>()]
  await source.start([{ queue: 'a', concurrency: 2 }], async (effectId) => {
    seen.add(effectId)
    return 'done'
  })
  bus.subscribe('run', (ids) => ids.forEach((id) => heard.add(id)))
  const close = async () => {
    await source.stop(0)
    await Promise.all([dispatcher.close(), bus.close()])
  }
  onTestFinished(close)
  return { log, dispatcher, source, bus, seen, heard }
}

async function server(settings: readonly string[] = []): Promise<RedisServer> {
  const redis = await RedisServer.start(settings)
  onTestFinished(() => redis.close())
  return redis
}

const hint = (effectId: string) => ({ effectId, queue: 'a', dispatch: 0 })

describe.skipIf(skipRedis)(`redis${redisMissing}`, () => {
  it('that falls silent holds nobody up, is noticed, and is used again without a restart', async () => {
    const redis = await server()
    const proxy = await silentProxy(redis.port)
    onTestFinished(() => proxy.close())
    const { dispatcher, source, bus, seen } = await open({
      kind: 'redis',
      url: `redis://127.0.0.1:${proxy.port}`,
    })
    await dispatchUntil(dispatcher, 'before.0', () => seen.has('before.0'))

    proxy.fallSilent()
    const began = performance.now()
    await dispatcher.dispatch([hint('lost.0')])
    await expect(dispatcher.depth('a')).rejects.toThrow(/./)
    bus.publish('run', ['r1'])
    expect(performance.now() - began).toBeLessThan(10_000)
    await until(() => !dispatcher.up() && !bus.up() && !source.up())

    proxy.speak()
    const other = await createRedisWakeBus({ url: redis.url, log: recordingLog() })
    onTestFinished(() => other.close())
    const heard = new Set<string>()
    other.subscribe('run', (ids) => ids.forEach((id) => heard.add(id)))
    await dispatchUntil(dispatcher, 'after.0', () => seen.has('after.0'))
    await until(() => {
      bus.publish('run', ['r2'])
      return heard.has('r2') && dispatcher.up() && source.up() && bus.up()
    })
  })

  it('that is full is said once, and takes jobs again when there is room', async () => {
    const redis = await server()
    const { dispatcher, seen, log } = await open({ kind: 'redis', url: redis.url })
    await dispatchUntil(dispatcher, 'before.0', () => seen.has('before.0'))
    await redis.command('CONFIG', 'SET', 'maxmemory', '1')
    await until(async () => {
      await dispatcher.dispatch([hint('lost.0')])
      return !dispatcher.up()
    })
    // It answers all the while.
    expect(await dispatcher.depth('a')).toBe(0)
    expect(dispatcher.health()).toMatchObject({ status: 'down' })
    expect(dispatcher.health().error).toContain('OOM')
    expect(log.lines.filter(({ message }) => message === 'connected, and refused')).toHaveLength(1)
    await redis.command('CONFIG', 'SET', 'maxmemory', '0')
    await dispatchUntil(dispatcher, 'after.0', () => seen.has('after.0'))
    await until(() => dispatcher.up())
  })

  it('that takes again, and says so too late, counts as one that takes', async () => {
    const redis = await server()
    const { dispatcher, seen } = await open({ kind: 'redis', url: redis.url })
    await dispatchUntil(dispatcher, 'before.0', () => seen.has('before.0'))
    await redis.command('CONFIG', 'SET', 'maxmemory', '1')
    await until(async () => {
      await dispatcher.dispatch([hint('lost.0')])
      return !dispatcher.up()
    })
    await redis.command('CONFIG', 'SET', 'maxmemory', '0')
    const { lost } = dispatcher.health()
    await redis.command('CLIENT', 'PAUSE', '1000', 'WRITE')
    await dispatcher.dispatch([hint('late.0')])
    expect(dispatcher.health()).toMatchObject({ status: 'down', lost: lost + 1 })
    // Nothing else is dispatched: an idle process would call its store down for as long as it idles.
    await until(() => seen.has('late.0') && dispatcher.up())
  })

  it('that evicts is warned about', async () => {
    const redis = await server(['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'])
    const { log } = await open({ kind: 'redis', url: redis.url })
    await until(() => log.lines.some(({ fields }) => fields['policy'] === 'allkeys-lru'))
    expect(await examineRedis(redis.url)).toMatchObject({ trouble: null, evicts: ['allkeys-lru'] })
  })

  it('that two installations share keeps their queues and channels apart', async () => {
    const redis = await server()
    const [one, two] = await Promise.all(
      ['one', 'two'].map((prefix) => open({ kind: 'redis', url: redis.url, prefix })),
    )
    if (!one || !two) throw new Error('not opened')
    await dispatchUntil(one.dispatcher, 'job.0', () => one.seen.has('job.0'))
    one.bus.publish('run', ['r1'])
    await until(() => one.heard.has('r1'))
    await dispatchUntil(two.dispatcher, 'job.1', () => two.seen.has('job.1'))
    expect([...one.seen, ...two.seen]).toEqual(['job.0', 'job.1'])
    expect([...two.heard]).toEqual([])
  })

  it('that sentinels name is found', { timeout: 120_000 }, async () => {
    const [master, replica] = [await server(), await server()]
    const url = await sentinelOf(master)
    expect(await examineRedis(url)).toMatchObject({ trouble: null, version: expect.any(String) })
    const { dispatcher, seen } = await open({ kind: 'redis', url })
    await dispatchUntil(dispatcher, 'before.0', () => seen.has('before.0'))

    // A failover: what was in the old master and is not in the new one is lost, and found by the reconciler.
    await replica.command('REPLICAOF', '127.0.0.1', `${master.port}`)
    const sentinel = new Redis(Number(new URL(url.replace('redis-sentinel', 'http')).port))
    onTestFinished(() => sentinel.disconnect())
    await until(async () => {
      const replicas = await sentinel.call('SENTINEL', 'REPLICAS', 'main')
      return (
        Array.isArray(replicas) &&
        replicas.length === 1 &&
        JSON.stringify(replicas).includes('"master-link-status","ok"')
      )
    })
    await until(() =>
      sentinel.call('SENTINEL', 'FAILOVER', 'main').then(
        () => true,
        () => false,
      ),
    )
    await until(async () =>
      String(await replica.command('INFO', 'replication')).includes('role:master'),
    )
    await master.kill()
    await dispatchUntil(dispatcher, 'after.0', () => seen.has('after.0'))
  })

  it('that cannot be reached is examined in a bounded time, without its secrets', async () => {
    const found = await examineRedis(`redis://:geheim@127.0.0.1:${await freePort()}`)
    expect(found).toMatchObject({ version: null, evicts: [] })
    expect(found.trouble).toContain('ECONNREFUSED')
    expect(JSON.stringify(found)).not.toContain('geheim')
  })
})

/** The address of one sentinel that watches a master called `main`. */
async function sentinelOf(master: RedisServer): Promise<string> {
  const port = await freePort()
  const dir = await mkdtemp(join(tmpdir(), 'signalbox-sentinel-'))
  const file = join(dir, 'sentinel.conf')
  const lines = [
    `port ${port}`,
    `dir ${dir}`,
    `sentinel monitor main 127.0.0.1 ${master.port} 1`,
    'sentinel down-after-milliseconds main 2000',
    'sentinel failover-timeout main 10000',
  ]
  await writeFile(file, lines.join('\n'))
  const child = spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await rm(dir, { recursive: true, force: true })
  })
  return `redis-sentinel://127.0.0.1:${port}/main`
}
