import { setTimeout as sleep } from 'node:timers/promises'

import type { Log } from '@signalbox/engine'
import type { Client } from 'pg'
import { newClient } from '../client.ts'
import { lifelines } from '../pool.ts'

/** How a link connects and what it does with a connection. */
export interface LinkOptions {
  readonly url: string
  /** Shown in `pg_stat_activity`. */
  readonly name: string
  readonly log: Log
  /** Prepares every new connection before it counts as up. */
  readonly prepare: (client: Client) => Promise<void>
  readonly onUp?: () => void
  readonly onNotification?: (payload: string) => void
}

const connectMs = 5000
const queryMs = 10_000
const closeMs = 1000
const backoffMs = { first: 100, most: 5000 }

/**
 * One connection that is made again whenever it is lost, with a growing and jittered delay. While it is down, queries
 * answer false: what they carried is lost, as hints may be.
 */
export class Link {
  readonly #options: LinkOptions
  #client: Client | null = null
  #retry: NodeJS.Timeout | null = null
  #delayMs = backoffMs.first
  #closed = false

  constructor(options: LinkOptions) {
    this.#options = options
  }

  get isUp(): boolean {
    return this.#client !== null
  }

  /** Makes the connection. Throws if it cannot be made: the first time that is a wrong address, not an outage. */
  async open(): Promise<void> {
    const { url, name, prepare } = this.#options
    const client = newClient({
      connectionString: url,
      application_name: name,
      ...lifelines,
      connectionTimeoutMillis: connectMs,
      query_timeout: queryMs,
    })
    client.on('error', (error) => this.#lost(client, error))
    client.on('end', () => this.#lost(client, null))
    client.on('notification', ({ payload }) => this.#options.onNotification?.(payload ?? ''))
    try {
      await client.connect()
      await prepare(client)
    } catch (error) {
      discard(client)
      throw error
    }
    if (this.#closed) return discard(client)
    this.#client = client
    this.#delayMs = backoffMs.first
    this.#options.onUp?.()
  }

  /** Runs a statement. False: there is no connection, or it was lost; never throws. */
  async query(text: string, values: readonly unknown[] = []): Promise<boolean> {
    const client = this.#client
    if (client === null) return false
    try {
      await client.query(text, [...values])
      return true
    } catch (error) {
      // A connection that fails a query this simple is not worth keeping.
      this.#lost(client, error)
      return false
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#retry !== null) clearTimeout(this.#retry)
    const client = this.#client
    this.#client = null
    if (client === null) return
    // The goodbye of a connection that died silently would wait for the kernel to notice.
    await Promise.race([client.end().catch(() => undefined), sleep(closeMs, null, { ref: false })])
  }

  #lost(client: Client, error: unknown): void {
    if (this.#client !== client) return
    this.#client = null
    discard(client)
    const reason = error instanceof Error ? error.message : 'the server closed it'
    const { log, name } = this.#options
    log.warn('a connection of the wake bus is lost', { name, reason })
    this.#retryLater()
  }

  #retryLater(): void {
    if (this.#closed) return
    const { log, name } = this.#options
    const delay = this.#delayMs * (0.5 + Math.random())
    this.#delayMs = Math.min(this.#delayMs * 2, backoffMs.most)
    this.#retry = setTimeout(() => {
      this.open().then(
        () => log.info('a connection of the wake bus is back', { name }),
        () => this.#retryLater(),
      )
    }, delay)
    // A process that has nothing else to do must be able to end during an outage.
    this.#retry.unref()
  }
}

function discard(client: Client): void {
  client.end().catch(() => undefined)
}
