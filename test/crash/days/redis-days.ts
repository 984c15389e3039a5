/**
 * A Redis that is full and throws away what it likes, or is emptied, or a cluster that loses a node: jobs are hints, and the
 * register finds what was lost.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { queueSettings } from '@signalbox/bullmq'
import { families } from '../families.ts'
import type { Fault } from '../schedule.ts'
import type { Stack } from '../stack.ts'
import { dayViolations } from './check.ts'
import { atWork, crowd } from './crowd.ts'
import { settleMs } from './outages.ts'

const fullMs = 8_000
const flushes = 4
const awayMs = 10_000

const fault = (name: string, spoil: (stack: Stack) => Promise<void>): Fault => ({
  name,
  waves: ['work'],
  parts: [...families, crowd(2)],
  patienceMs: settleMs,
  settleMs,
  async play(stack) {
    await atWork(stack)
    await spoil(stack)
  },
  missed: () => Promise.resolve([]),
  check: dayViolations,
})

function redisOf<Server>(server: Server | null): Server {
  if (!server) throw new Error('this stack has no such Redis')
  return server
}

/** It has less memory than it uses already, and evicts every key it can, or refuses every write. */
const full = (policy: 'allkeys-random' | 'noeviction'): Fault =>
  fault(`Redis is full, with ${policy}`, async (stack) => {
    const redis = redisOf(stack.redis)
    await redis.command('CONFIG', 'SET', 'maxmemory-policy', policy)
    await redis.command('CONFIG', 'SET', 'maxmemory', '1mb')
    await sleep(fullMs)
    await redis.command('CONFIG', 'SET', 'maxmemory', '0')
  })

const flushed = fault('Redis is flushed again and again', async (stack) => {
  const redis = redisOf(stack.redis)
  for (let n = 0; n < flushes; n++) {
    await redis.command('FLUSHALL')
    await sleep(1_000)
  }
})

/** What the node held is lost, and until it is back the whole cluster refuses to work. */
const nodeAway = (which: 'queues' | 'something else'): Fault =>
  fault(`the node of a cluster that holds ${which} is away`, async (stack) => {
    const cluster = redisOf(stack.cluster)
    const holder = await cluster.holderOf(`{${queueSettings.redisPrefix}}`)
    const node = which === 'queues' ? holder : cluster.nodes.find((each) => each !== holder)
    await node?.kill()
    await sleep(awayMs)
    await node?.start()
    await cluster.whole()
  })

export const clusterDays: readonly Fault[] = [nodeAway('queues'), nodeAway('something else')]

export const redisDays: readonly Fault[] = [full('allkeys-random'), full('noeviction'), flushed]
