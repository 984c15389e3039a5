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
  /** By channel, the subscription that stands: one that it replaced is not made again. */
  const wanted = new Map<string, symbol>()
  const subscribe = async (channel: string, one: symbol, failures = 0): Promise<void> => {
    try {
      await listener.ssubscribe(channel)
    } catch {
      // The client keeps a list of its own, and must not hold a channel twice.
      await listener.sunsubscribe(channel).catch(() => {})
      // The node of its channel was away, or not known yet.
      setTimeout(
        () => {
          if (wanted.get(channel) === one && listener.status !== 'end')
            void subscribe(channel, one, failures + 1)
        },
        backoffMs(failures + 1),
      ).unref()
    }
  }
  return {
    publish: (channel, message) => sender.spublish(channel, message),
    subscribe: (channel) => {
      const one = Symbol(channel)
      wanted.set(channel, one)
      return subscribe(channel, one)
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
