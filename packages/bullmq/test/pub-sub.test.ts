/**
 * Channels on a cluster that is away. Would catch: a channel that is asked for by more and more loops the longer an outage lasts,
 * one for each stream that came and went meanwhile; and a loop that goes on for a channel that nobody listens to.
 */
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { pubSub } from '../src/pub-sub.ts'
import { ClusterFamily } from '../src/redis-client.ts'

const away = () => Promise.reject(new Error('the node is away'))

it('a channel that streams come to and leave in an outage is asked for by one loop, until nobody wants it', async () => {
  let asked = 0
  const listener: ClusterFamily = Object.create(ClusterFamily.prototype)
  const ssubscribe = () => {
    asked += 1
    return away()
  }
  Object.assign(listener, { status: 'reconnecting', ssubscribe, sunsubscribe: away })
  const channels = pubSub(listener, listener)
  // Streams of one run, whose clients connect again and again.
  for (let n = 0; n < 50; n++) {
    void channels.subscribe('live:run')
    await channels.unsubscribe('live:run').catch(() => {})
  }
  void channels.subscribe('live:run')
  await setTimeout(1_000)
  asked = 0
  await setTimeout(4_000)
  expect(asked).toBeGreaterThan(0)
  // Every two seconds in the end, as all of its connections are made again.
  expect(asked).toBeLessThan(8)
  await channels.unsubscribe('live:run').catch(() => {})
  asked = 0
  await setTimeout(3_000)
  expect(asked).toBe(0)
})

it('a subscription that the failure of an earlier one takes away is made again', async () => {
  const held = new Set<string>()
  let asked = 0
  const listener: ClusterFamily = Object.create(ClusterFamily.prototype)
  const ssubscribe = async (channel: string) => {
    asked += 1
    if (asked > 1) return held.add(channel)
    await setTimeout(50)
    return away()
  }
  const sunsubscribe = async (channel: string) => {
    await setTimeout(100)
    held.delete(channel)
  }
  Object.assign(listener, { status: 'ready', ssubscribe, sunsubscribe })
  const channels = pubSub(listener, listener)
  void channels.subscribe('live:run')
  void channels.unsubscribe('live:run')
  await setTimeout(70)
  void channels.subscribe('live:run')
  await setTimeout(1_000)
  expect([...held]).toEqual(['live:run'])
})
