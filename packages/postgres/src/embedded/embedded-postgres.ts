/**
 * A real PostgreSQL server as a child of this product: made, started, adopted and stopped without a thought.
 *
 * E1 One owner per data directory, by a kernel lock (`owner-lock.ts`).
 * E2 `fsync` and full page writes stay on: an acknowledged append survives (I2).
 * E3 It listens on 127.0.0.1 only, nobody gets in without the password, and that stands in a file of mode 0600.
 * E4 With `orphan: 'stop'` no server survives its owner by more than a few seconds, however the owner ends.
 */
import { resolve } from 'node:path'

import type { Log } from '@signalbox/engine'

import { type Binaries, findBinaries } from './binaries.ts'
import { hasCluster, makeCluster, removeDrafts } from './cluster.ts'
import { prepareDataDir } from './data-dir.ts'
import { knock, serverUrl } from './knock.ts'
import { type Layout, layoutOf } from './layout.ts'
import { obtainPostmaster, type Postmaster } from './obtain-postmaster.ts'
import { findOrphan } from './orphan.ts'
import { chooseOsUser, type OsUser } from './os-user.ts'
import { type OwnerLock, takeOwnerLock } from './owner-lock.ts'
import { ensurePassword } from './password.ts'
import { serverArguments, type ServerSettings } from './settings.ts'
import { killPostmaster, stopPostmaster } from './stop-postmaster.ts'
import { startWatchdog, type Watchdog } from './watchdog.ts'

/** How to run the embedded server. */
export interface EmbeddedPostgresOptions {
  /** Made if it is not there. Everything of the server stands below it. */
  readonly dataDir: string
  /** Left out: any free port, another at every start. */
  readonly port?: number
  /** Server settings on top of ours, such as `shared_buffers`. Those that would blind the supervisor are refused. */
  readonly settings?: ServerSettings
  readonly log?: Log
  /** What becomes of the server if the owner dies without `stop()`. `keep`: the next start adopts it. Default `stop`. */
  readonly orphan?: 'stop' | 'keep'
  /**
   * Only as root, whose Postgres must run as another user: where the data goes if that user cannot enter `dataDir`.
   * Left out: that is an error.
   */
  readonly fallbackDir?: string
  /** Milliseconds until a start, crash recovery included, is given up. Default 120 000. */
  readonly startTimeoutMs?: number
  /** Milliseconds until a fast shutdown becomes an immediate one. Default 10 000. */
  readonly stopTimeoutMs?: number
}

/** A running embedded server. */
export interface EmbeddedPostgres {
  /** For the superuser, with the password: never log it. */
  readonly url: string
  readonly port: number
  /** Of the postmaster. */
  readonly pid: number
  /** Where the data is: `dataDir` without links, or a directory below `fallbackDir`. */
  readonly dataDir: string
  /** True: the server was running already, left by an owner who was killed. */
  readonly adopted: boolean
  /** Settles when the server is gone, asked for or not. */
  readonly exited: Promise<void>
  /** Stops the server and gives the data directory back. May be called again. */
  stop(): Promise<void>
  /** Ends the server as a power cut would, for tests, and gives the data directory back. */
  killImmediate(): Promise<void>
}

/** How long to wait for the watchdog of an owner who has just died: longer than its escalation takes. */
const cleanerMs = 30_000

/**
 * Starts the server of a data directory, making the cluster at the first start, or adopts the one that runs.
 *
 * @throws EmbeddedPostgresError
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const asked = await chooseOsUser(layoutOf(resolve(options.dataDir)).cluster)
  const dir = await prepareDataDir(options.dataDir, asked, options.fallbackDir ?? null)
  const layout = layoutOf(dir)
  // Again, for the cluster that is there may be another user's than the one asked for elsewhere.
  const user = await chooseOsUser(layout.cluster)
  const args = serverArguments(layout.cluster, options.settings ?? {})
  const binaries = await findBinaries(user)
  const stopMs = options.stopTimeoutMs ?? 10_000
  const lock = await takeOwnerLock(layout, 'owner', cleanerMs)
  const watchdog = options.orphan === 'keep' ? null : startWatchdog(layout.dir, stopMs, options.log)
  try {
    const password = await prepareCluster(layout, binaries, user)
    const postmaster = await obtainPostmaster(
      { layout, program: binaries.postgres, args, user },
      {
        port: options.port ?? null,
        startMs: options.startTimeoutMs ?? 120_000,
        stopMs,
        answers: (port, deadline) => knock({ port, password, cluster: layout.cluster }, deadline),
      },
    )
    watchdog?.serverRuns()
    const url = serverUrl(postmaster.port, password)
    return new Supervised({ layout, lock, watchdog, postmaster, url, stopMs, log: options.log })
  } catch (error) {
    const orphan = options.orphan === 'keep' ? null : await findOrphan(layout.cluster)
    if (orphan !== null) await stopPostmaster(orphan.pid, layout.cluster, stopMs)
    watchdog?.dismiss()
    await lock.release()
    throw error
  }
}

async function prepareCluster(
  layout: Layout,
  binaries: Binaries,
  user: OsUser | null,
): Promise<string> {
  await removeDrafts(layout)
  const exists = await hasCluster(layout)
  const password = await ensurePassword(layout, exists)
  if (!exists) await makeCluster(layout, binaries, { user, password })
  return password
}

interface Held {
  readonly layout: Layout
  readonly lock: OwnerLock
  readonly watchdog: Watchdog | null
  readonly postmaster: Postmaster
  readonly url: string
  readonly stopMs: number
  readonly log: Log | undefined
}

class Supervised implements EmbeddedPostgres {
  readonly url: string
  readonly port: number
  readonly pid: number
  readonly dataDir: string
  readonly adopted: boolean
  readonly exited: Promise<void>
  readonly #held: Held
  #ending: Promise<void> | null = null

  constructor(held: Held) {
    this.#held = held
    this.url = held.url
    this.port = held.postmaster.port
    this.pid = held.postmaster.pid
    this.dataDir = held.layout.dir
    this.adopted = held.postmaster.adopted
    this.exited = held.postmaster.gone.then(() => {
      if (this.#ending === null) held.log?.error('the embedded Postgres ended by itself')
    })
    held.log?.info('embedded Postgres runs', {
      port: this.port,
      pid: this.pid,
      dataDir: this.dataDir,
      adopted: this.adopted,
    })
  }

  stop(): Promise<void> {
    const { layout, stopMs } = this.#held
    return this.#end(() => stopPostmaster(this.pid, layout.cluster, stopMs))
  }

  killImmediate(): Promise<void> {
    return this.#end(() => killPostmaster(this.pid, this.#held.layout.cluster))
  }

  #end(stopServer: () => Promise<void>): Promise<void> {
    this.#ending ??= this.#giveBack(stopServer)
    return this.#ending
  }

  async #giveBack(stopServer: () => Promise<void>): Promise<void> {
    await stopServer()
    this.#held.watchdog?.dismiss()
    await this.#held.lock.release()
  }
}
