/**
 * Sharded pub/sub on a Redis Cluster (Redis 7): a message goes to the node alone that the slot of its channel belongs to, instead of
 * to all of them.
 *
 * S1 Each look at the topology, every two seconds, compares the wanted subscriptions with the held ones and makes up the
 *    difference. So neither an answer that never comes nor any order of outages and moves of slots leaves a channel deaf for good.
 *    (ioredis has a group of subscribers of its own. It waits for a connection that was given up while it was being made, and no
 *    channel of the cluster is subscribed to ever after.)
 * S2 There is one connection per node that holds a wanted channel. It connects again by itself, and it is pinged: silent ones are cut.
 */
import { Command } from 'ioredis'
import type { PubSub } from './pub-sub.ts'
import type { ClusterFamily, RedisClient, RedisFamily } from './redis-client.ts'

/** A connection to one node, and the channels that it holds or has just asked for. */
interface Node {
  readonly client: RedisFamily
  held: Set<string>
}

/** `host:port`, as the client names its nodes. */
type NodeKey = string

export class ShardedChannels implements PubSub {
  readonly #sender: RedisClient
  readonly #cluster: ClusterFamily
  /** Slots by wanted channel. */
  readonly #wanted = new Map<string, number>()
  readonly #nodes = new Map<NodeKey, Node>()
  #told: (channel: string, message: string) => void = () => {}

  constructor(sender: RedisClient, cluster: ClusterFamily) {
    this.#sender = sender
    this.#cluster = cluster
    cluster.on('refresh', () => this.#settle())
  }

  publish(channel: string, message: string): Promise<unknown> {
    return this.#sender.spublish(channel, message)
  }

  /** Resolves at once: the subscription is made as soon as its node is there. */
  subscribe(channel: string): Promise<unknown> {
    this.#wanted.set(channel, new Command('ssubscribe', [channel]).getSlot())
    this.#place(channel)
    return Promise.resolve()
  }

  unsubscribe(channel: string): Promise<unknown> {
    this.#wanted.delete(channel)
    for (const node of this.#nodes.values()) release(node, channel)
    return Promise.resolve()
  }

  /** Nothing: every node that connects again gets its channels. */
  subscribeAgain(): Promise<unknown> {
    return Promise.resolve()
  }

  hear(told: (channel: string, message: string) => void): void {
    this.#told = told
  }

  ping(): Promise<unknown> {
    const clients = [...this.#nodes.values()].map(({ client }) => client)
    return Promise.all([this.#cluster, ...clients].map((client) => client.ping()))
  }

  close(): void {
    this.#wanted.clear()
    for (const { client } of this.#nodes.values()) client.disconnect()
    this.#nodes.clear()
  }

  #settle(): void {
    for (const [key, node] of this.#nodes)
      for (const channel of node.held) if (this.#ownerOf(channel) !== key) release(node, channel)
    const owners = new Set<NodeKey | undefined>()
    for (const channel of this.#wanted.keys()) owners.add(this.#place(channel))
    for (const [key, { client }] of this.#nodes) {
      if (owners.has(key)) continue
      this.#nodes.delete(key)
      client.disconnect()
    }
  }

  /** Answers the node that the channel belongs to, whether or not it is there. */
  #place(channel: string): NodeKey | undefined {
    const owner = this.#ownerOf(channel)
    if (owner !== undefined) hold(this.#nodes.get(owner) ?? this.#connect(owner), channel)
    return owner
  }

  #ownerOf(channel: string): NodeKey | undefined {
    const slot = this.#wanted.get(channel)
    return slot === undefined ? undefined : this.#cluster.slots[slot]?.[0]
  }

  #connect(key: NodeKey): Node {
    const client = this.#cluster.nodeClient(key)
    const node: Node = { client, held: new Set() }
    const forget = () => void (node.held = new Set())
    client.on('close', forget)
    // Redis ends the subscriptions of a slot that moves away, and the slot may be back before the next look.
    client.on('moved', forget)
    client.on('ready', () => this.#settle())
    client.on('smessage', (channel: string, message: string) => this.#told(channel, message))
    this.#nodes.set(key, node)
    return node
  }
}

function hold({ client, held }: Node, channel: string): void {
  if (client.status !== 'ready' || held.has(channel)) return
  held.add(channel)
  // Refused, or not answered in time: the next look asks again.
  client.ssubscribe(channel).catch(() => held.delete(channel))
}

function release({ client, held }: Node, channel: string): void {
  if (held.delete(channel)) client.sunsubscribe(channel).catch(() => {})
}
