/**
 * A server that is started again when it dies, on the same data and port, so that every address of it stays right.
 *
 * R1 It is tried again with growing delays, until it has failed for `giveUpMs` without living for half a minute in between: a full
 *    disk gets time to be given room. Then, or at once if the data is gone, it has failed for good.
 * R2 A stop ends a start that is under way.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@signalbox/engine'
import { hasCluster } from './cluster.ts'
import { EmbeddedPostgresError } from './errors.ts'
import type { Layout } from './layout.ts'
import type { Postmaster } from './obtain-postmaster.ts'
import { findOrphan } from './orphan.ts'
import type { OwnerLock } from './owner-lock.ts'
import { killPostmaster, stopPostmaster } from './stop-postmaster.ts'
import type { Watchdog } from './watchdog.ts'

/** The parts of a supervisor, and how it gets another postmaster. */
export interface HeldPostmaster {
  readonly layout: Layout
  readonly lock: OwnerLock
  readonly watchdog: Watchdog | null
  readonly postmaster: Postmaster
  readonly url: string
  readonly stopMs: number
  readonly giveUpMs: number
  readonly log: Log | undefined
  /** Starts it again on the same port. */
  readonly obtain: (port: number) => Promise<Postmaster>
}

const delayMs = { first: 100, most: 5_000 }
/** One that lived so long has not failed. */
const livedMs = 30_000

export class Supervised {
  readonly url: string
  readonly port: number
  readonly dataDir: string
  readonly adopted: boolean
  readonly exited: Promise<void>
  readonly failed: Promise<EmbeddedPostgresError>
  readonly #held: HeldPostmaster
  readonly #ending = new AbortController()
  #postmaster: Postmaster
  #starting: Promise<unknown> = Promise.resolve()
  #ended: Promise<void> | null = null

  constructor(held: HeldPostmaster) {
    this.#held = held
    this.#postmaster = held.postmaster
    this.url = held.url
    this.port = held.postmaster.port
    this.dataDir = held.layout.dir
    this.adopted = held.postmaster.adopted
    const failed = Promise.withResolvers<EmbeddedPostgresError>()
    this.failed = failed.promise
    this.exited = this.#supervise().then((error) => {
      if (error) failed.resolve(error)
    })
    const { port, pid, dataDir, adopted } = this
    held.log?.info('embedded Postgres runs', { port, pid, dataDir, adopted })
  }

  get pid(): number {
    return this.#postmaster.pid
  }

  stop(): Promise<void> {
    const { layout, stopMs } = this.#held
    return this.#end((pid) => stopPostmaster(pid, layout.cluster, stopMs))
  }

  killImmediate(): Promise<void> {
    return this.#end((pid) => killPostmaster(pid, this.#held.layout.cluster))
  }

  #end(stopServer: (pid: number) => Promise<void>): Promise<void> {
    this.#ended ??= this.#giveBack(stopServer)
    return this.#ended
  }

  async #giveBack(stopServer: (pid: number) => Promise<void>): Promise<void> {
    this.#ending.abort()
    const orphan = await findOrphan(this.#held.layout.cluster)
    if (orphan !== null) await stopServer(orphan.pid)
    await this.#starting
    await stopServer(this.pid)
    this.#held.watchdog?.dismiss()
    await this.#held.lock.release()
  }

  /** Goes on until the server is stopped, which answers null, or has failed for good. */
  async #supervise(): Promise<EmbeddedPostgresError | null> {
    const { log } = this.#held
    const trouble = { since: 0, tries: 0 }
    for (let bornAt = performance.now(); ;) {
      await this.#postmaster.gone
      if (this.#ending.signal.aborted) return null
      const now = performance.now()
      if (trouble.tries === 0 || now - bornAt >= livedMs)
        Object.assign(trouble, { since: now, tries: 0 })
      log?.error('the embedded Postgres ended by itself, and is started again', { pid: this.pid })
      const error = await this.#startAgain(trouble)
      if (this.#ending.signal.aborted) return null
      if (error) {
        log?.error('the embedded Postgres is given up', { error: error.message })
        return error
      }
      log?.warn('the embedded Postgres runs again', { pid: this.pid, tries: trouble.tries })
      bornAt = performance.now()
    }
  }

  /** Tries until it runs. Answers why it is given up, or null: it runs, or was stopped. */
  async #startAgain(trouble: {
    readonly since: number
    tries: number
  }): Promise<EmbeddedPostgresError | null> {
    const { layout, giveUpMs, log } = this.#held
    const { signal } = this.#ending
    for (;;) {
      const delay = Math.min(delayMs.first * 2 ** Math.min(trouble.tries, 10), delayMs.most)
      if (trouble.tries > 0) await sleep(delay, null, { signal }).catch(() => null)
      if (signal.aborted) return null
      trouble.tries += 1
      const attempt = this.#attempt()
      this.#starting = attempt
      const error = await attempt
      if (error === null || signal.aborted) return null
      if (!(await hasCluster(layout).catch(() => false)))
        return new EmbeddedPostgresError(
          'data_dir_invalid',
          `The embedded Postgres ended, and its data below ${layout.dir} is gone or cannot be used. Put it back, or restore a dump.`,
          { cause: error },
        )
      if (performance.now() - trouble.since >= giveUpMs) return givenUp(error, trouble.tries)
      log?.warn('the embedded Postgres could not be started again yet', { error: error.message })
    }
  }

  /** Why it did not start, or null. Never rejects. */
  async #attempt(): Promise<Error | null> {
    const { watchdog, obtain } = this.#held
    try {
      watchdog?.serverStarts()
      this.#postmaster = await obtain(this.port)
      watchdog?.serverRuns()
      return null
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }
}

const givenUp = (error: Error, tries: number): EmbeddedPostgresError =>
  new EmbeddedPostgresError(
    error instanceof EmbeddedPostgresError ? error.code : 'start_failed',
    `The embedded Postgres ended, and could not be started again in ${tries} tries: ${error.message}`,
    { cause: error },
  )
