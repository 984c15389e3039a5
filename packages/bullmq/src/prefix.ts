/** The name that sets installations on one Redis apart: the first part of every key and channel. */
import { settings } from './backend.ts'
import { parseRedisUrl } from './redis-url.ts'

/**
 * The first part of every key. On a cluster it is a hash tag: the scripts of BullMQ touch several keys, which must be on one
 * node. A prefix that is a hash tag already stays as it is.
 */
export function keyPrefix(url: string, prefix: string = settings.redisPrefix): string {
  return parseRedisUrl(url).kind === 'cluster' && !prefix.startsWith('{') ? `{${prefix}}` : prefix
}

/** Names of channels, there and back. */
export interface ChannelNames {
  nameOf(channel: string): string
  channelOf(name: string): string
}

/**
 * On a cluster the channels of runs are spread over the nodes by their whole name. Those of topics are on one node: there are few of
 * them, every process listens to them from its start, and so what is said on one is not said on another node first.
 */
export function channelNames(url: string, prefix: string = settings.redisPrefix): ChannelNames {
  const plain = `${prefix.replaceAll(/[{}]/g, '')}:`
  const tagged = `{${plain.slice(0, -1)}}:`
  const isCluster = parseRedisUrl(url).kind === 'cluster'
  return {
    nameOf: (channel) => (isCluster && channel.startsWith('wake:') ? tagged : plain) + channel,
    channelOf: (name) => name.slice(name.startsWith(tagged) ? tagged.length : plain.length),
  }
}
