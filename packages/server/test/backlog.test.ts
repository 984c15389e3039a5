/**
 * Calls that wait (I12, I13). Would catch: a queue that grows while nobody works, a backlog that costs more to drain the longer it
 * has waited, calls that a flushed queue has forgotten. `SIGNALBOX_BACKLOG=20000` makes it as long as that; 500 otherwise.
 */
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { redisMissing, skipRedis } from '../../bullmq/test/support/redis-server.ts'
import { Backlog } from './support/backlog.ts'

const calls = Number(process.env['SIGNALBOX_BACKLOG'] ?? 500)
/** Of redispatches, that come each 200 ms at first: a dozen. */
const waitMs = 3_000
/** Statements of polls, that go by time and not by calls. */
const polls = 100

async function suite(backend: 'postgres' | 'redis'): Promise<void> {
  const backlog = await Backlog.open(backend)
  onTestFinished(() => backlog.close())
  const drain = async () => {
    await backlog.startWorker()
    await backlog.drained()
    await backlog.stopWorker()
  }
  // Once for the caches and plans of all processes, which are not what is counted.
  await backlog.pile(100)
  await drain()

  await backlog.pile(calls)
  const fresh = await backlog.costOf(drain)

  await backlog.pile(calls)
  let most = 0
  for (const end = performance.now() + waitMs; performance.now() < end; await setTimeout(100))
    most = Math.max(most, await backlog.jobs())
  expect(most).toBeLessThanOrEqual(calls)
  const waited = await backlog.costOf(drain)
  expect(waited.commands).toBeLessThanOrEqual(fresh.commands * 1.05)
  expect(waited.statements).toBeLessThanOrEqual(fresh.statements * 1.05 + polls)

  await backlog.pile(calls)
  await setTimeout(500)
  await backlog.flush()
  const flushedAt = performance.now()
  await drain()
  expect(performance.now() - flushedAt).toBeLessThan(30_000 + calls * 10)
}

describe('a backlog', () => {
  it('costs as much to drain as an empty queue, on Postgres', { timeout: 600_000 }, () =>
    suite('postgres'),
  )
  it.skipIf(skipRedis)(
    `costs as much to drain as an empty queue, on Redis${redisMissing}`,
    { timeout: 600_000 },
    () => suite('redis'),
  )
})
