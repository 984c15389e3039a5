/**
 * The state of a connection right now. A store of hints may be away for hours without harm, so its errors are neither
 * thrown nor allowed to flood the log: they become a state that an operator can read, and one line when it changes.
 */
import type { Log } from '@signalbox/engine'

/** State of one end of a queue or bus, for a readiness page or a metric. */
export interface EndHealth {
  /** `starting`: nothing known yet. */
  readonly status: 'starting' | 'up' | 'down'
  /** Since when, in milliseconds since the epoch. */
  readonly since: number
  /** The last error while not `up`; holds no credentials. */
  readonly error: string | null
  /** Hints or messages given up so far. Each costs latency, none costs work. */
  readonly lost: number
}

const warnEveryMs = 5_000
const errorCharsMax = 200
/** A refusal that is older says nothing of now: nothing may have been sent since. */
const refusalMs = 60_000

/** One line about an error: code and message, without what a connection string may have put into it. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  // A refused dual-stack connect is an AggregateError without a message of its own.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  const text = error.message.includes(code) ? error.message : `${code}: ${error.message}`
  return text.replaceAll(/\/\/[^@\s/]*@/g, '//').slice(0, errorCharsMax)
}

/** Follows one connection. `up` is called per job, so it costs a comparison when nothing changes. */
export class ConnectionWatch {
  readonly #name: string
  readonly #log: Log
  #health: EndHealth = { status: 'starting', since: Date.now(), error: null, lost: 0 }
  #warnedAt = -Infinity
  #unsaid = 0
  #ended = false
  /** When the store last refused what it was sent, by the monotonic clock; `-Infinity`: it takes it. */
  #refusedAt = -Infinity
  /** Was it logged that it is down? */
  #told = false

  constructor(name: string, log: Log) {
    this.#name = name
    this.#log = log
  }

  /** Something was answered. It says nothing about a store that is there, answers, and refuses what it is sent. */
  up(): void {
    if (this.#health.status === 'up' || this.#ended) return
    if (performance.now() - this.#refusedAt < refusalMs) return
    if (this.#health.status === 'down')
      this.#log.info('connected again', { to: this.#name, lost: this.#health.lost })
    this.#become('up', null)
  }

  /** Connected anew, or what was sent was taken. */
  connected(): void {
    this.#refusedAt = -Infinity
    this.up()
  }

  /** The store is there, and refuses what it is sent: its memory is full, it only reads. */
  refused(error: unknown): void {
    this.#refusedAt = performance.now()
    this.down(error, 'connected, and refused')
  }

  down(error: unknown, message = 'not connected'): void {
    if (this.#ended) return
    const text = describeError(error)
    if (this.#health.status !== 'down') this.#become('down', text)
    this.#health = { ...this.#health, error: text }
    // Once for each outage; of connections that come and go, now and then.
    if (!this.#told) this.#told = this.#warn(message, text)
  }

  /** The connection ended. The error before it, if there was one, says more. */
  closed(): void {
    if (this.#health.status !== 'down') this.down(new Error('connection closed'))
  }

  /** An error that says nothing about the connection. */
  note(error: unknown): void {
    // An error that follows from it is no news.
    if (this.#health.status !== 'down') this.#warn('queue error', describeError(error))
  }

  /** `count` hints or messages were given up. */
  drop(count: number, error: unknown): void {
    this.#health = { ...this.#health, lost: this.#health.lost + count }
    // Of one that is down this is known, and counted.
    if (this.#health.status !== 'down')
      this.#warn('given up, a poll finds it later', describeError(error))
  }

  /** The owner closes: whatever the connection says from now on is no news. */
  end(): void {
    this.#ended = true
  }

  health(): EndHealth {
    return this.#health
  }

  #become(status: EndHealth['status'], error: string | null): void {
    this.#told = false
    this.#health = { ...this.#health, status, since: Date.now(), error }
  }

  /** Whether it was logged: no more often than every five seconds. */
  #warn(message: string, error: string): boolean {
    if (this.#ended) return false
    const now = performance.now()
    if (now - this.#warnedAt < warnEveryMs) {
      this.#unsaid += 1
      return false
    }
    this.#log.warn(message, {
      to: this.#name,
      error,
      lost: this.#health.lost,
      unsaid: this.#unsaid,
    })
    this.#warnedAt = now
    this.#unsaid = 0
    return true
  }
}
