/** Publishing and subscribing, on a single Redis and on a cluster. */
import { ClusterFamily, type RedisClient } from './redis-client.ts'
import { ShardedChannels } from './sharded-channels.ts'

export interface PubSub {
  publish(channel: string, message: string): Promise<unknown>
  subscribe(channel: string): Promise<unknown>
  unsubscribe(channel: string): Promise<unknown>
  /** After a connect: what was subscribed to before is not any more. */
  subscribeAgain(channels: readonly string[]): Promise<unknown>
  hear(listener: (channel: string, message: string) => void): void
  /**
   * Asks over every connection that listens. Rejects if one is lost; may hang while one is silent. What may pass by itself does not
   * count where all was well before (`wasUp`).
   */
  ping(wasUp: boolean): Promise<unknown>
  /** Gives up what it holds besides the clients that it was given. */
  close(): void
}

export function pubSub(sender: RedisClient, listener: RedisClient): PubSub {
  if (listener instanceof ClusterFamily) return new ShardedChannels(sender, listener)
  return {
    publish: (channel, message) => sender.publish(channel, message),
    subscribe: (channel) => listener.subscribe(channel),
    unsubscribe: (channel) => listener.unsubscribe(channel),
    subscribeAgain: (channels) =>
      channels.length === 0 ? Promise.resolve() : listener.subscribe(...channels),
    hear: (told) => void listener.on('message', told),
    ping: () => listener.ping(),
    close: () => {},
  }
}
