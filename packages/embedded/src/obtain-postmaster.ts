/**
 * From whatever stands in the data directory to a server that answers. Called under the owner's lock only, so that
 * nobody else starts or stops a server here, the last words of an older one aside.
 */
import { setTimeout as sleep } from 'node:timers/promises'

import { EmbeddedPostgresError } from './errors.ts'
import { freePort } from './free-port.ts'
import { findOrphan } from './orphan.ts'
import { type PostmasterFile, startedWith } from './postmaster-file.ts'
import { isPostmasterOf } from './process-facts.ts'
import { type ServerPlan, spawnPostmaster } from './spawn-postmaster.ts'
import { stopPostmaster } from './stop-postmaster.ts'

/** A server that accepts connections. */
export interface Postmaster {
  readonly pid: number
  readonly port: number
  /** True: it was running already, left by an owner who was killed. */
  readonly adopted: boolean
  /** Settles when the process is gone. */
  readonly gone: Promise<void>
}

/** How to obtain it. */
export interface ObtainOptions {
  /** Null: any free port. */
  readonly port: number | null
  readonly startMs: number
  readonly stopMs: number
  /** Is it our server that listens there, and does it let us in? */
  readonly answers: (port: number, deadline: number) => Promise<boolean>
}

const pollMs = 20

/**
 * The traces of an older server of this directory while it goes: its backends hold the shared memory for a moment
 * after a `kill -9`, its lock file until the end.
 */
const passing = /pre-existing shared memory block|lock file "postmaster\.pid" already exists/
const portTaken = /could not bind|could not create any TCP\/IP sockets/

/**
 * Adopts the server that runs, if it runs as wanted, or starts one.
 *
 * @throws EmbeddedPostgresError `port_in_use` or `start_failed`
 */
export async function obtainPostmaster(
  plan: ServerPlan,
  options: ObtainOptions,
): Promise<Postmaster> {
  const deadline = Date.now() + options.startMs
  let said = 'an older server of this data directory does not go away'
  while (Date.now() < deadline) {
    const orphan = await findOrphan(plan.layout.cluster)
    if (orphan !== null) {
      const adopted = await adopt(orphan, plan, { ...options, deadline })
      if (adopted !== null) return adopted
      continue
    }
    const port = options.port ?? (await freePort())
    const result = await spawnPostmaster(plan, port, deadline)
    if (result.up) {
      if (await options.answers(port, deadline)) return { ...result, port, adopted: false }
      await stopPostmaster(result.pid, plan.layout.cluster, options.stopMs)
      throw failed('it does not accept the password of its data directory')
    }
    said = result.said
    if (portTaken.test(said) && options.port !== null)
      throw new EmbeddedPostgresError(
        'port_in_use',
        `Port ${port} of 127.0.0.1 is taken. Choose another for the embedded Postgres, or none: then a free one is found.`,
      )
    if (!passing.test(said) && !portTaken.test(said)) break
    await sleep(pollMs)
  }
  throw failed(said)
}

async function adopt(
  orphan: PostmasterFile,
  plan: ServerPlan,
  options: ObtainOptions & { readonly deadline: number },
): Promise<Postmaster | null> {
  const { deadline } = options
  const { cluster } = plan.layout
  if (orphan.status !== 'ready' && Date.now() + options.stopMs < deadline) {
    // On its way up or down: a moment later it is ready or gone.
    await sleep(pollMs)
    return null
  }
  const { pid, port } = orphan
  if (port !== null && (options.port === null || options.port === port)) {
    const same = await startedWith(cluster, plan.program, plan.args)
    if (same && (await options.answers(port, deadline))) {
      return { pid, port, adopted: true, gone: pollGone(pid, cluster) }
    }
  }
  await stopPostmaster(pid, cluster, options.stopMs)
  return null
}

/** The end of a process that is no child of ours can only be asked for. */
function pollGone(pid: number, cluster: string): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      void isPostmasterOf(pid, cluster).then((alive) => {
        if (alive) return
        clearInterval(timer)
        resolve()
      })
    }, 500)
    timer.unref()
  })
}

function failed(said: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError('start_failed', `The embedded Postgres did not start: ${said}`)
}
