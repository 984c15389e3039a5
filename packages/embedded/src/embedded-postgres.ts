/**
 * A real PostgreSQL server as a child of this product: made, started, adopted and stopped without a thought.
 *
 * E1 One owner per data directory, by a kernel lock (`owner-lock.ts`).
 * E2 `fsync` and full page writes stay on: an acknowledged append survives (I2).
 * E3 It listens on 127.0.0.1 only, nobody gets in without the password, and that stands in a file of mode 0600.
 * E4 One that dies is started again (`supervised.ts`).
 * E5 With `orphan: 'stop'` no server survives its owner by more than a few seconds, however the owner ends.
 */
import { resolve } from 'node:path'

import type { Log } from '@signalbox/engine'

import { type Binaries, findBinaries } from './binaries.ts'
import { hasCluster, makeCluster, removeDrafts } from './cluster.ts'
import { prepareDataDir } from './data-dir.ts'
import type { EmbeddedPostgresError } from './errors.ts'
import { knock, serverUrl } from './knock.ts'
import { type Layout, layoutOf } from './layout.ts'
import { obtainPostmaster } from './obtain-postmaster.ts'
import { withoutRoom } from './no-room.ts'
import { findOrphan } from './orphan.ts'
import { chooseOsUser, type OsUser } from './os-user.ts'
import { takeOwnerLock } from './owner-lock.ts'
import { ensurePassword } from './password.ts'
import { serverArguments, type ServerSettings } from './settings.ts'
import { stopPostmaster } from './stop-postmaster.ts'
import { Supervised } from './supervised.ts'
import { startWatchdog } from './watchdog.ts'

/** The steps of a start: copies the programs to where their user can reach them, makes the cluster, starts the server. */
export type EmbeddedPhase = 'programs' | 'cluster' | 'postgres'

/** How to run the embedded server. */
export interface EmbeddedPostgresOptions {
  /** Made if it is not there. Everything of the server stands below it. */
  readonly dataDir: string
  /** Left out: any free port, another at every start. */
  readonly port?: number
  /** Server settings on top of ours, such as `shared_buffers`. Those that would blind the supervisor are refused. */
  readonly settings?: ServerSettings
  readonly log?: Log
  /** Told what comes next, where it takes its time. What it throws breaks the start off. */
  readonly onPhase?: (phase: EmbeddedPhase) => void
  /** Breaks off the making of a cluster; then nothing of it is left. */
  readonly signal?: AbortSignal
  /** The fate of the server if the owner dies without `stop()`. `keep`: the next start adopts it. Default `stop`. */
  readonly orphan?: 'stop' | 'keep'
  /**
   * Only as root, whose Postgres must run as another user: where the data goes if that user cannot enter `dataDir`.
   * Left out: that is an error.
   */
  readonly fallbackDir?: string
  /** Milliseconds until a start, crash recovery included, is given up. Default 120 000. */
  readonly startTimeoutMs?: number
  /** How long a server that died is tried to be started again. Milliseconds, default 120 000. */
  readonly giveUpMs?: number
  /** Milliseconds until a fast shutdown becomes an immediate one. Default 10 000. */
  readonly stopTimeoutMs?: number
}

/** A running embedded server. */
export interface EmbeddedPostgres {
  /** For the superuser, with the password: never log it. */
  readonly url: string
  readonly port: number
  /** Of the postmaster: another one after it died and was started again. */
  readonly pid: number
  /** Where the data is: `dataDir` without links, or a directory below `fallbackDir`. */
  readonly dataDir: string
  /** True: the server was running already, left by an owner who was killed. */
  readonly adopted: boolean
  /** Settles when the server is gone for good: stopped, or given up. One that dies is started again. */
  readonly exited: Promise<void>
  /** Settles if the server died and could not be started again; the message says why. */
  readonly failed: Promise<EmbeddedPostgresError>
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
  try {
    return await start(options)
  } catch (error) {
    throw withoutRoom(error, resolve(options.dataDir))
  }
}

async function start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { onPhase = () => {}, signal } = options
  const asked = await chooseOsUser(layoutOf(resolve(options.dataDir)).cluster)
  const dir = await prepareDataDir(options.dataDir, asked, options.fallbackDir ?? null)
  const layout = layoutOf(dir)
  // Again, for the cluster that is there may be another user's than the one asked for elsewhere.
  const user = await chooseOsUser(layout.cluster)
  const args = serverArguments(layout.cluster, options.settings ?? {})
  const binaries = await findBinaries(user, () => onPhase('programs'))
  const stopMs = options.stopTimeoutMs ?? 10_000
  const lock = await takeOwnerLock(layout, 'owner', cleanerMs)
  const watchdog = options.orphan === 'keep' ? null : startWatchdog(layout.dir, stopMs, options.log)
  try {
    const password = await prepareCluster(layout, binaries, { user, onPhase, signal })
    onPhase('postgres')
    const obtain = (port: number | null) =>
      obtainPostmaster(
        { layout, program: binaries.postgres, args, user },
        {
          port,
          startMs: options.startTimeoutMs ?? 120_000,
          stopMs,
          answers: (at, deadline) =>
            knock({ port: at, password, cluster: layout.cluster }, deadline),
        },
      )
    const postmaster = await obtain(options.port ?? null)
    watchdog?.serverRuns()
    const url = serverUrl(postmaster.port, password)
    const { log, giveUpMs = 120_000 } = options
    const held = { layout, lock, watchdog, postmaster, url, stopMs, giveUpMs, log, obtain }
    return new Supervised(held)
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
  making: {
    readonly user: OsUser | null
    readonly onPhase: (phase: EmbeddedPhase) => void
    readonly signal: AbortSignal | undefined
  },
): Promise<string> {
  await removeDrafts(layout)
  const exists = await hasCluster(layout)
  const password = await ensurePassword(layout, exists)
  if (exists) return password
  making.onPhase('cluster')
  await makeCluster(layout, binaries, { ...making, password })
  return password
}
