/**
 * Wakes and live text over Redis pub/sub.
 *
 * W1 Nothing here throws or waits for Redis. While it is away, messages between processes are lost; a poll backs
 *    every wake, and text in flight is read from the message once it is complete.
 * W2 Listeners of this process are served without Redis, each message once: the echo of our own is not delivered.
 * W3 What is published within `coalesceMs` of the last sending travels together; what comes alone leaves at the end of
 *    this turn of the event loop.
 */
import { randomUUID } from 'node:crypto'
import type { Delta, Log, WakeBus, WakeTopic } from '@signalbox/engine'
import { settings } from './backend.ts'
import { type EndHealth, ConnectionWatch } from './health.ts'
import { Listeners } from './listeners.ts'
import { liveChannel, Outbox, topicChannel } from './outbox.ts'
import { orTimeout, settlesWithin } from './pace.ts'
import { channelNames, type ChannelNames } from './prefix.ts'
import { type PubSub, pubSub } from './pub-sub.ts'
import { firstOutcome, type RedisClient, redisClient } from './redis-client.ts'
import { decode, encode, isDeltaOf, isWakeId } from './wake-wire.ts'

/** A wake bus that also says how its Redis is. */
export interface RedisWakeBus extends WakeBus {
  health(): EndHealth
  /** Asks Redis over every connection. Rejects if one is lost; may hang while one is silent. */
  answers(): Promise<void>
  /** False while Redis is away. */
  up(): boolean
}

/** Options of a Redis wake bus. */
export interface WakeBusOptions {
  /** An address as `parseRedisUrl` takes it. */
  readonly url: string
  /** First part of every channel. Default `signalbox`. */
  readonly prefix?: string
  readonly log: Log
  /** Milliseconds within which messages travel together. Default 2. */
  readonly coalesceMs?: number
}

/** Resolves once Redis has answered or refused, after two seconds at the latest. Until it comes, the bus works within the process. */
export async function createRedisWakeBus(options: WakeBusOptions): Promise<RedisWakeBus> {
  const sending = new ConnectionWatch('redis wake bus (publish)', options.log)
  const listening = new ConnectionWatch('redis wake bus (subscribe)', options.log)
  const sender = redisClient(options.url, 'sender', sending)
  const listener = redisClient(options.url, 'listener', listening)
  const bus = new PubSubWakeBus({ options, sending, listening, sender, listener })
  const outcomes = Promise.all([firstOutcome(sender), firstOutcome(listener)])
  await settlesWithin(outcomes, settings.startMs)
  return bus
}

interface Parts {
  readonly options: WakeBusOptions
  readonly sending: ConnectionWatch
  readonly listening: ConnectionWatch
  readonly sender: RedisClient
  readonly listener: RedisClient
}

/** A connection without traffic shows that it is dead only when something is asked over it. Where it is, it is asked sooner. */
const pingEveryMs = 10_000
const pingDownEveryMs = 1_000
const publishesInFlightMax = 10_000

class PubSubWakeBus implements RedisWakeBus {
  readonly #parts: Parts
  readonly #names: ChannelNames
  readonly #channels: PubSub
  readonly #origin = randomUUID()
  readonly #listeners: Listeners
  readonly #outbox = new Outbox()
  #ping: NodeJS.Timeout | undefined
  #sentAt = 0
  #scheduled = false
  #inFlight = 0
  #closed = false

  constructor(parts: Parts) {
    this.#parts = parts
    const names = channelNames(parts.options.url, parts.options.prefix)
    this.#names = names
    const channels = pubSub(parts.sender, parts.listener)
    this.#channels = channels
    this.#listeners = new Listeners(parts.options.log, (channel, open) => {
      const name = names.nameOf(channel)
      this.#quietly(open ? channels.subscribe(name) : channels.unsubscribe(name))
    })
    parts.listener.on('ready', () => this.#subscribeAgain())
    channels.hear((channel, message) => this.#receive(channel, message))
    this.#pingIn(pingEveryMs)
  }

  publish(topic: WakeTopic, ids: readonly string[]): void {
    if (this.#closed || ids.length === 0) return
    this.#serve(topicChannel(topic), [...ids])
    if (!this.#outbox.addIds(topic, ids)) this.#drop(ids.length)
    this.#schedule()
  }

  subscribe(topic: WakeTopic, listener: (ids: readonly string[]) => void): () => void {
    return this.#add(topicChannel(topic), (items) => {
      const ids = items.filter(isWakeId)
      if (ids.length > 0) listener(ids)
    })
  }

  publishDelta(delta: Delta): void {
    if (this.#closed) return
    this.#serve(liveChannel(delta.runId), [delta])
    if (!this.#outbox.addDelta(delta)) this.#drop(1)
    this.#schedule()
  }

  subscribeDeltas(runId: string, listener: (delta: Delta) => void): () => void {
    return this.#add(liveChannel(runId), (items) => {
      for (const item of items) if (isDeltaOf(runId, item)) listener(item)
    })
  }

  health(): EndHealth {
    const [sending, listening] = [this.#parts.sending.health(), this.#parts.listening.health()]
    const worse = sending.status === 'up' ? listening : sending
    return { ...worse, lost: sending.lost }
  }

  async answers(): Promise<void> {
    await Promise.all([this.#parts.sender.ping(), this.#channels.ping(this.#wasUp())])
  }

  up(): boolean {
    return this.health().status !== 'down'
  }

  #wasUp(): boolean {
    return this.#parts.listening.health().status !== 'down'
  }

  #pingIn(ms: number): void {
    const ask = async (): Promise<number> => {
      try {
        await orTimeout(this.#channels.ping(this.#wasUp()), pingEveryMs)
        this.#parts.listening.up()
        return pingEveryMs
      } catch (error) {
        this.#parts.listening.down(error)
        return pingDownEveryMs
      }
    }
    this.#ping = setTimeout(() => {
      void ask().then((next) => this.#closed || this.#pingIn(next))
    }, ms)
    this.#ping.unref()
  }

  /** Sends what still waits, without waiting for an answer. */
  close(): Promise<void> {
    if (!this.#closed) {
      this.#send()
      this.#closed = true
      this.#parts.sending.end()
      this.#parts.listening.end()
      clearTimeout(this.#ping)
      this.#listeners.clear()
      this.#channels.close()
      this.#quietly(this.#parts.sender.quit())
      this.#quietly(this.#parts.listener.quit())
      // A Redis that does not answer would keep both open.
      setTimeout(() => {
        this.#parts.sender.disconnect()
        this.#parts.listener.disconnect()
      }, settings.closeMs).unref()
    }
    return Promise.resolve()
  }

  #add(channel: string, listen: (items: readonly unknown[]) => void): () => void {
    return this.#closed ? () => {} : this.#listeners.add(channel, listen)
  }

  /** Not on the publisher's stack: a listener that publishes must not run inside of the publisher. */
  #serve(channel: string, items: readonly unknown[]): void {
    if (!this.#listeners.has(channel)) return
    queueMicrotask(() => this.#listeners.deliver(channel, items))
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    const send = () => {
      this.#scheduled = false
      this.#send()
    }
    const waitMs = this.#sentAt + (this.#parts.options.coalesceMs ?? 2) - performance.now()
    if (waitMs <= 0) setImmediate(send)
    else setTimeout(send, waitMs)
  }

  #send(): void {
    if (this.#closed) return
    this.#sentAt = performance.now()
    const { sender } = this.#parts
    for (const { channel, items } of this.#outbox.take()) {
      if (sender.status !== 'ready' || this.#inFlight >= publishesInFlightMax) {
        this.#drop(items.length)
        continue
      }
      this.#inFlight += 1
      this.#channels.publish(this.#names.nameOf(channel), encode(this.#origin, items)).then(
        () => (this.#inFlight -= 1),
        (error: unknown) => {
          this.#inFlight -= 1
          this.#drop(items.length, error)
        },
      )
    }
  }

  #receive(channel: string, message: string): void {
    const items = decode(this.#origin, message)
    if (items !== null) this.#listeners.deliver(this.#names.channelOf(channel), items)
  }

  #subscribeAgain(): void {
    const names = this.#listeners.channels().map((channel) => this.#names.nameOf(channel))
    this.#quietly(this.#channels.subscribeAgain(names))
  }

  #drop(count: number, error: unknown = new Error('the bus is full or Redis is away')): void {
    this.#parts.sending.drop(count, error)
  }

  /** A subscription that fails is made again on the next 'ready'. */
  #quietly(command: Promise<unknown>): void {
    command.catch(() => {})
  }
}
