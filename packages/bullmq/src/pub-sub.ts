/**
 * Publishing and subscribing, on a single Redis and on a cluster. There a message goes to the node alone that its channel
 * belongs to (sharded pub/sub, Redis 7), instead of to all of them.
 */
import { backoffMs } from './pace.ts'
import { ClusterFamily, type RedisClient } from './redis-client.ts'

export interface PubSub {
  publish(channel: string, message: string): Promise<unknown>
  subscribe(channel: string): Promise<unknown>
  unsubscribe(channel: string): Promise<unknown>
  /** After a connect: what was subscribed to before is not any more. */
  subscribeAgain(channels: readonly string[]): Promise<unknown>
  hear(listener: (channel: string, message: string) => void): void
  /** Shows that a connection without traffic still answers. */
  ping(): Promise<unknown>
}

export function pubSub(sender: RedisClient, listener: RedisClient): PubSub {
  if (listener instanceof ClusterFamily) return sharded(sender, listener)
  return {
    publish: (channel, message) => sender.publish(channel, message),
    subscribe: (channel) => listener.subscribe(channel),
    unsubscribe: (channel) => listener.unsubscribe(channel),
    subscribeAgain: (channels) =>
      channels.length === 0 ? Promise.resolve() : listener.subscribe(...channels),
    hear: (told) => void listener.on('message', told),
    ping: () => listener.ping(),
  }
}

function sharded(sender: RedisClient, listener: ClusterFamily): PubSub {
  const wanted = new Set<string>()
  /** How often a subscription failed, of channels that do not hold one. */
  const failures = new Map<string, number>()
  /** Channels that are asked for again in a moment: by one loop, however many streams come and go meanwhile. */
  const waiting = new Set<string>()
  const subscribe = async (channel: string): Promise<void> => {
    try {
      await listener.ssubscribe(channel)
      failures.delete(channel)
    } catch {
      // The client keeps a list of its own, and must not hold a channel twice.
      await listener.sunsubscribe(channel).catch(() => {})
      again(channel)
    }
  }
  /** The node of the channel was away, or not known yet. What was taken away may be the subscription of a later stream: it is made again, too. */
  const again = (channel: string): void => {
    if (waiting.has(channel)) return
    waiting.add(channel)
    const failed = (failures.get(channel) ?? 0) + 1
    failures.set(channel, failed)
    setTimeout(() => {
      waiting.delete(channel)
      if (wanted.has(channel) && listener.status !== 'end') void subscribe(channel)
      else failures.delete(channel)
    }, backoffMs(failed)).unref()
  }
  return {
    publish: (channel, message) => sender.spublish(channel, message),
    subscribe: (channel) => {
      wanted.add(channel)
      return subscribe(channel)
    },
    unsubscribe: (channel) => {
      wanted.delete(channel)
      return listener.sunsubscribe(channel)
    },
    // The client does it by itself, for each node that comes back.
    subscribeAgain: () => Promise.resolve(),
    hear: (told) => void listener.on('smessage', told),
    // The client asks the nodes for their slots all the time.
    ping: () => Promise.resolve(),
  }
}
