/** A Redis that is full and throws away what it likes, or is emptied: jobs are hints, and the register finds what was lost. */
import { setTimeout as sleep } from 'node:timers/promises'
import { families } from '../families.ts'
import type { Fault } from '../schedule.ts'
import type { Stack } from '../stack.ts'
import { timelineViolations } from './check.ts'
import { crowd } from './crowd.ts'
import { settleMs } from './outages.ts'

const fullMs = 8_000
const flushes = 4

const fault = (
  name: string,
  spoil: (redis: NonNullable<Stack['redis']>) => Promise<void>,
): Fault => ({
  name,
  waves: ['work'],
  parts: [...families, crowd(2)],
  patienceMs: settleMs,
  settleMs,
  async play({ redis }, middle) {
    if (!redis) throw new Error('this stack has no Redis')
    await middle()
    await spoil(redis)
  },
  missed: () => Promise.resolve([]),
  check: timelineViolations,
})

/** It has less memory than it uses already, and evicts every key it can, or refuses every write. */
const full = (policy: 'allkeys-random' | 'noeviction'): Fault =>
  fault(`Redis is full, with ${policy}`, async (redis) => {
    await redis.command('CONFIG', 'SET', 'maxmemory-policy', policy)
    await redis.command('CONFIG', 'SET', 'maxmemory', '1mb')
    await sleep(fullMs)
    await redis.command('CONFIG', 'SET', 'maxmemory', '0')
  })

const flushed = fault('Redis is flushed again and again', async (redis) => {
  for (let n = 0; n < flushes; n++) {
    await redis.command('FLUSHALL')
    await sleep(1_000)
  }
})

export const redisDays: readonly Fault[] = [full('allkeys-random'), full('noeviction'), flushed]
