/**
 * The wake bus over NOTIFY.
 *
 * N1 The write path never notifies: a NOTIFY takes a lock of the whole server until its commit. Signals are sent on a
 *    connection of their own, one statement at a time, without waiting for the disk. They are gathered for a few
 *    milliseconds; what somebody waits for to go on working leaves at the end of this turn of the event loop, with all
 *    that was gathered, unless a sending has only just been.
 * N2 Subscribers of this process are told at once, without the server; the echo of the own NOTIFY is ignored.
 * N3 Nothing is sent where nobody listens: processes say `hello` and `here`, and deltas go out only for runs that
 *    another process said it wants. What is not repeated every heartbeat expires after three.
 * N4 Everything may be lost, nothing throws: a poll backs every wake (P1).
 */
import { randomBytes } from 'node:crypto'

import { limits } from '@signalbox/core'
import type { Delta, Log, WakeBus, WakeTopic } from '@signalbox/engine'

import { Audience } from './audience.ts'
import { readFrame, type WakeSignal } from './frame.ts'
import { Link } from './link.ts'
import { Outbox } from './outbox.ts'
import { packSignals } from './pack.ts'
import { Peers } from './peers.ts'

/** How to run the bus. */
export interface NotifyWakeBusOptions {
  /** A direct connection: LISTEN does not work through a pooler in transaction mode. Never logged. */
  readonly url: string
  readonly log: Log
  /** How long signals are gathered before they are sent, and the least time between two sendings. Default 5 ms. */
  readonly coalesceMs?: number
  /** How often this process says that it is there and what it wants. Default 10 000 ms. */
  readonly heartbeatMs?: number
}

const channel = 'signalbox_wake'
const notify = 'select pg_notify($1, payload) from unnest($2::text[]) as payload'
/** After a connect others are assumed to be there until they had time to say so, at most this long. */
const greetingMsMax = 1000
const missedHeartbeats = 3

/** A wake bus that also says whether its connections answer. */
export interface NotifyWakeBus extends WakeBus {
  /** Asks over both connections; rejects if one is lost, or after ten seconds if one is silent. */
  answers(): Promise<void>
}

/** Connects the bus of this process. Throws if the first connection cannot be made; later outages heal by themselves. */
export async function createNotifyWakeBus(options: NotifyWakeBusOptions): Promise<NotifyWakeBus> {
  const bus = new NotifyingWakeBus(options)
  await bus.open()
  return bus
}

class NotifyingWakeBus implements NotifyWakeBus {
  /** Names this process in every payload. */
  readonly #id = randomBytes(9).toString('base64url')
  readonly #log: Log
  readonly #coalesceMs: number
  readonly #heartbeatMs: number
  readonly #sender: Link
  readonly #listener: Link
  readonly #wakes: Audience<readonly string[]>
  readonly #deltas: Audience<Delta>
  readonly #outbox = new Outbox()
  readonly #peers: Peers
  #greetingUntil = 0
  #timer: NodeJS.Timeout | undefined
  #dueAt = Infinity
  #sentAt = -Infinity
  #heartbeat: NodeJS.Timeout | null = null
  #flushing: Promise<void> | null = null
  #closed = false

  constructor(options: NotifyWakeBusOptions) {
    const { url, log } = options
    this.#log = log
    this.#coalesceMs = options.coalesceMs ?? 5
    this.#heartbeatMs = options.heartbeatMs ?? 10_000
    this.#wakes = new Audience(log)
    this.#deltas = new Audience(log)
    this.#peers = new Peers(missedHeartbeats * this.#heartbeatMs, () => performance.now())
    this.#sender = new Link({
      url,
      log,
      name: 'signalbox-wake-send',
      prepare: async (client) => void (await client.query('set synchronous_commit = off')),
      onUp: () => this.#announce('here'),
    })
    this.#listener = new Link({
      url,
      log,
      name: 'signalbox-wake-listen',
      prepare: async (client) => void (await client.query(`listen ${channel}`)),
      onUp: () => this.#announce('hello'),
      onNotification: (payload) => this.#hear(payload),
    })
  }

  async open(): Promise<void> {
    try {
      await this.#sender.open()
      await this.#listener.open()
    } catch (error) {
      await this.close()
      throw error
    }
    this.#heartbeat = setInterval(() => this.#beat(), this.#heartbeatMs)
    this.#heartbeat.unref()
  }

  publish(topic: WakeTopic, ids: readonly string[]): void {
    const sound = this.#closed ? [] : ids.filter((id) => this.#isSound(id))
    if (sound.length === 0) return
    this.#wakes.tell(topic, sound)
    if (!this.#hasPeers()) return
    for (const id of sound) this.#send({ kind: 'wake', topic, id })
  }

  subscribe(topic: WakeTopic, listener: (ids: readonly string[]) => void): () => void {
    if (this.#closed) return () => undefined
    return this.#wakes.add(topic, listener)
  }

  publishDelta(delta: Delta): void {
    if (this.#closed || !this.#isSound(delta.runId) || !this.#isSound(delta.messageId)) return
    this.#deltas.tell(delta.runId, delta)
    if (this.#peers.anyWants(delta.runId)) this.#send({ kind: 'delta', delta })
  }

  subscribeDeltas(runId: string, listener: (delta: Delta) => void): () => void {
    if (this.#closed || !this.#isSound(runId)) return () => undefined
    const isFirst = !this.#deltas.has(runId)
    const remove = this.#deltas.add(runId, listener)
    if (isFirst && this.#hasPeers()) this.#send({ kind: 'want', runId })
    return () => {
      remove()
      const isLast = !this.#closed && !this.#deltas.has(runId)
      if (isLast && this.#hasPeers()) this.#send({ kind: 'drop', runId })
    }
  }

  async answers(): Promise<void> {
    const links = [this.#sender, this.#listener]
    const answered = await Promise.all(links.map((link) => link.query('select 1')))
    if (answered.includes(false)) throw new Error('a connection of the wake bus is lost')
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    if (this.#heartbeat !== null) clearInterval(this.#heartbeat)
    this.#wakes.clear()
    this.#deltas.clear()
    await this.#listener.close()
    await this.#flushing
    this.#outbox.add({ kind: 'bye' })
    await this.#flush()
    await this.#sender.close()
  }

  #hasPeers(): boolean {
    return !this.#peers.isEmpty || performance.now() < this.#greetingUntil
  }

  #isSound(id: string): boolean {
    if (id.length <= limits.idCharsMax) return true
    this.#log.warn('the wake bus dropped an id that is too long', { chars: id.length })
    return false
  }

  #announce(kind: 'hello' | 'here'): void {
    if (kind === 'hello')
      this.#greetingUntil = performance.now() + Math.min(greetingMsMax, this.#heartbeatMs)
    this.#send({ kind })
    for (const runId of this.#deltas.keys) this.#send({ kind: 'want', runId })
  }

  #beat(): void {
    // A connection may be dead without a word: only a question tells. While deaf we forget nobody.
    if (this.#listener.isUp) this.#peers.expire()
    void this.#listener.query('select 1')
    this.#announce('here')
  }

  #send(signal: WakeSignal): void {
    this.#outbox.add(signal)
    this.#schedule(isUrgent(signal))
  }

  /** One flush at a time: while the server is slow, signals gather in the outbox, which is bounded. */
  #schedule(urgent: boolean): void {
    if (this.#closed || this.#flushing !== null) return
    const now = performance.now()
    const dueAt = urgent ? Math.max(now, this.#sentAt + this.#coalesceMs) : now + this.#coalesceMs
    if (dueAt >= this.#dueAt) return
    this.#dueAt = dueAt
    clearTimeout(this.#timer)
    if (dueAt > now) this.#timer = setTimeout(() => this.#sendAll(), dueAt - now)
    else setImmediate(() => this.#sendAll())
  }

  #sendAll(): void {
    if (this.#closed) return
    this.#sentAt = performance.now()
    this.#dueAt = Infinity
    this.#flushing = this.#flush().finally(() => {
      this.#flushing = null
      if (!this.#outbox.isEmpty) this.#schedule(true)
    })
  }

  async #flush(): Promise<void> {
    const { signals, dropped } = this.#outbox.take()
    if (dropped > 0) this.#log.warn('the wake bus dropped signals: too many at once', { dropped })
    const payloads = packSignals(this.#id, signals)
    if (payloads.length > 0) await this.#sender.query(notify, [channel, payloads])
  }

  #hear(payload: string): void {
    const frame = this.#closed ? null : readFrame(payload)
    if (frame === null || frame.from === this.#id) return
    const isNew = this.#peers.seen(frame.from)
    for (const signal of frame.signals) this.#obey(frame.from, signal)
    this.#tellWakes(frame.signals)
    const greets = frame.signals.some((signal) => signal.kind === 'hello')
    const leaves = frame.signals.some((signal) => signal.kind === 'bye')
    if ((isNew || greets) && !leaves) this.#announce('here')
  }

  #obey(from: string, signal: WakeSignal): void {
    switch (signal.kind) {
      case 'bye':
        return this.#peers.gone(from)
      case 'want':
        return this.#peers.wants(from, signal.runId)
      case 'drop':
        return this.#peers.drops(from, signal.runId)
      case 'delta':
        return this.#deltas.tell(signal.delta.runId, signal.delta)
      case 'hello':
      case 'here':
      case 'wake':
    }
  }

  #tellWakes(signals: readonly WakeSignal[]): void {
    const wakes = signals.filter((signal) => signal.kind === 'wake')
    for (const [topic, group] of Map.groupBy(wakes, (wake) => wake.topic)) {
      const ids = group.map((wake) => wake.id)
      this.#wakes.tell(topic, ids)
    }
  }
}

/** Somebody waits to work. Streams that read on, and text, are glad to travel with others. */
const isUrgent = (signal: WakeSignal): boolean => signal.kind === 'wake' && signal.topic !== 'run'
