/**
 * Sharded pub/sub on a Redis Cluster (Redis 7): a message goes to the node alone that the slot of its channel belongs to, instead of
 * to all of them.
 *
 * S1 Each look at the topology, every two seconds, compares the wanted subscriptions with the held ones and makes up the
 *    difference. So neither an answer that never comes nor any order of outages and moves of slots leaves a channel deaf for good.
 *    (ioredis has a group of subscribers of its own. It waits for a connection that was given up while it was being made, and no
 *    channel of the cluster is subscribed to ever after.)
 * S2 There is one connection per node that holds a wanted channel. It connects again by itself, and it is pinged: silent ones are cut.
 * S3 A wanted channel that no node has confirmed is missing, whatever the cause, and the health says so once it lasts. Trouble that
 *    passes by itself takes nothing down; nothing but the answer of a node brings up again what is down.
 */
import { Command } from 'ioredis'
import type { PubSub } from './pub-sub.ts'
import type { ClusterFamily, RedisClient, RedisFamily } from './redis-client.ts'

/** A connection to one node. */
interface Node {
  readonly client: RedisFamily
  /** Channels that it holds or has just asked for, each with the asking. */
  held: Map<string, Promise<unknown>>
}

/** A wanted channel that no node has confirmed. */
interface Missing {
  /** By the monotonic clock. */
  readonly since: number
  /** Why it was lost or refused, the last time. Null: it was asked for, or will be, and nothing went wrong yet. */
  readonly error: Error | null
}

/** Trouble that lasts no longer than this, a connect or a slot on its way, does not count. Milliseconds. */
const passingMs = 5_000

/** How soon after a refusal that names another node the slots are looked at again; the double each time while it lasts. Milliseconds. */
const lookAgain = { firstMs: 100, lastMs: 2_000 } as const

/** `host:port`, as the client names its nodes. */
type NodeKey = string

export class ShardedChannels implements PubSub {
  readonly #sender: RedisClient
  readonly #cluster: ClusterFamily
  /** Slots by wanted channel. */
  readonly #wanted = new Map<string, number>()
  readonly #nodes = new Map<NodeKey, Node>()
  readonly #missing = new Map<string, Missing>()
  #lookingAgain = false
  #lookAgainMs: number = lookAgain.firstMs
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
    if (!this.#wanted.has(channel)) {
      this.#wanted.set(channel, new Command('ssubscribe', [channel]).getSlot())
      this.#missing.set(channel, { since: performance.now(), error: null })
    }
    this.#place(channel)
    return Promise.resolve()
  }

  unsubscribe(channel: string): Promise<unknown> {
    const owner = this.#ownerOf(channel)
    this.#wanted.delete(channel)
    this.#missing.delete(channel)
    // Its node may hold a channel of which no answer came.
    for (const [key, node] of this.#nodes)
      if (key === owner || node.held.has(channel)) release(node, channel)
    return Promise.resolve()
  }

  /** Nothing: every node that connects again gets its channels. */
  subscribeAgain(): Promise<unknown> {
    return Promise.resolve()
  }

  hear(told: (channel: string, message: string) => void): void {
    this.#told = told
  }

  async ping(wasUp: boolean): Promise<void> {
    const now = performance.now()
    for (const [channel, { since, error }] of this.#missing)
      if (now - since > passingMs || (error !== null && !wasUp))
        throw error ?? new Error(`no node has answered about ${channel}`)
    const nodes = [...this.#nodes.values()].filter(({ client }) => client.status === 'ready')
    await Promise.all([this.#cluster, ...nodes.map(({ client }) => client)].map((c) => c.ping()))
  }

  close(): void {
    this.#wanted.clear()
    this.#missing.clear()
    for (const { client } of this.#nodes.values()) client.disconnect()
    this.#nodes.clear()
  }

  #settle(): void {
    for (const [key, node] of this.#nodes)
      for (const channel of node.held.keys())
        if (this.#ownerOf(channel) !== key) {
          release(node, channel)
          this.#miss(channel, new Error(`its slot has left ${key}`))
        }
    if (this.#missing.size === 0) this.#lookAgainMs = lookAgain.firstMs
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
    if (owner !== undefined) this.#hold(this.#nodes.get(owner) ?? this.#connect(owner), channel)
    return owner
  }

  #ownerOf(channel: string): NodeKey | undefined {
    const slot = this.#wanted.get(channel)
    return slot === undefined ? undefined : this.#cluster.slots[slot]?.[0]
  }

  #connect(key: NodeKey): Node {
    const client = this.#cluster.nodeClient(key)
    const node: Node = { client, held: new Map() }
    const forget = (why: Error) => {
      const { held } = node
      node.held = new Map()
      for (const channel of held.keys()) this.#miss(channel, why)
    }
    client.on('error', (error) => {
      if (client.status === 'ready') return
      for (const channel of this.#missing.keys())
        if (this.#ownerOf(channel) === key) this.#miss(channel, error)
    })
    client.on('close', () => forget(new Error(`the connection to ${key} was lost`)))
    client.on('end', () => {
      if (this.#nodes.get(key) === node) this.#nodes.delete(key)
    })
    // Redis ends the subscriptions of a slot that moves away, and the slot may be back before the next look.
    client.on('moved', () => {
      forget(new Error(`a slot has left ${key}`))
      this.#lookAgain()
    })
    client.on('ready', () => this.#settle())
    client.on('smessage', (channel: string, message: string) => this.#told(channel, message))
    this.#nodes.set(key, node)
    return node
  }

  #hold({ client, held }: Node, channel: string): void {
    if (client.status !== 'ready' || held.has(channel)) return
    const asking = client.ssubscribe(channel)
    held.set(channel, asking)
    asking.then(
      () => {
        if (held.get(channel) === asking && this.#isHeld(channel)) this.#missing.delete(channel)
      },
      (error: unknown) => {
        // Refused, or not answered in time: the next look asks again.
        if (held.get(channel) === asking) held.delete(channel)
        if (!this.#isHeld(channel)) this.#miss(channel, error)
      },
    )
  }

  #isHeld(channel: string): boolean {
    return [...this.#nodes.values()].some(({ held }) => held.has(channel))
  }

  #miss(channel: string, error: unknown): void {
    if (!this.#wanted.has(channel) || !(error instanceof Error)) return
    const { since } = this.#missing.get(channel) ?? { since: performance.now() }
    this.#missing.set(channel, { since, error })
  }

  /** Soon, and not as fast as a node may refuse whose slots nobody else knows yet. */
  #lookAgain(): void {
    if (this.#lookingAgain) return
    this.#lookingAgain = true
    setTimeout(() => {
      this.#lookingAgain = false
      if (this.#nodes.size > 0) this.#cluster.refreshSlotsCache()
    }, this.#lookAgainMs).unref()
    this.#lookAgainMs = Math.min(2 * this.#lookAgainMs, lookAgain.lastMs)
  }
}

function release({ client, held }: Node, channel: string): void {
  held.delete(channel)
  if (client.status === 'ready') client.sunsubscribe(channel).catch(() => {})
}
