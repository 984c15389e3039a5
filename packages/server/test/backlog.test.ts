/**
 * Calls that wait (I12, I13). Would catch: a queue that grows while nobody works, a backlog that costs more to drain the longer it
 * has waited, calls that a flushed queue has forgotten. `SIGNALBOX_BACKLOG=20000` makes it as long as that; 125 otherwise.
 */
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { redisMissing, skipRedis } from '../../bullmq/test/support/redis-server.ts'
import { Backlog } from './support/backlog.ts'

const asked = process.env['SIGNALBOX_BACKLOG']
const calls = Number(asked ?? 125)
/** Of redispatches, that come each 200 ms at first: a dozen. */
const waitMs = 3_000
/** For a slow machine; most of it is the draining, three times. */
const timeout = 600_000 + 100 * calls
/** Statements of polls, that go by time and not by calls. */
const polls = 100

const backends = [
  ['Postgres', 'postgres', false],
  [`Redis${redisMissing}`, 'redis', skipRedis],
] as const

describe.each(backends)('a backlog on %s', (_name, backend, skip) => {
  it.skipIf(skip)('costs no more to drain than a queue that was empty', { timeout }, async () => {
    const backlog = await Backlog.open(backend)
    onTestFinished(() => backlog.close())
    const drain = async () => {
      await backlog.startWorker()
      await backlog.drained()
      await backlog.stopWorker()
    }
    // Once for the caches and plans of all processes, which are not what is counted.
    await backlog.pile(50)
    await drain()

    await backlog.pile(calls)
    const fresh = await backlog.costOf(drain)

    await backlog.pile(calls)
    let most = 0
    for (const end = performance.now() + waitMs; performance.now() < end; await setTimeout(100))
      most = Math.max(most, await backlog.jobs())
    expect(most).toBeLessThanOrEqual(calls)
    const waited = await backlog.costOf(drain)
    if (asked !== undefined) console.log(JSON.stringify({ backend, calls, most, fresh, waited }))
    expect(waited.commands).toBeLessThanOrEqual(fresh.commands * 1.05)
    expect(waited.statements).toBeLessThanOrEqual(fresh.statements * 1.05 + polls)

    await backlog.pile(calls)
    await backlog.flush()
    const flushedAt = performance.now()
    while ((await backlog.jobs()) < calls) await setTimeout(100)
    expect(performance.now() - flushedAt).toBeLessThan(30_000)
    await drain()
  })
})
