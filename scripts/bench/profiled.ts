/** The load of a set-up under the profiler: both processes, and the functions of Postgres. */
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Counters } from './cost.ts'
import { profiler } from './cpu-profile.ts'
import type { Machine } from './machine.ts'
import type { Around } from './measure.ts'
import {
  type PostgresProfile,
  readPostgresProfile,
  resetPostgresProfile,
} from './postgres-profile.ts'
import { type ProfileSummary, summarise } from './profile-summary.ts'

export interface Profiles {
  /** Where the profiles are, for the developer tools of a browser or an editor. */
  readonly files: readonly string[]
  readonly orchestrator: ProfileSummary
  readonly worker: ProfileSummary
  readonly postgres: PostgresProfile
}

const folder = resolve('.signalbox/bench')

/** Answers what to do around the load, and how to read the profiles afterwards. */
export function profiling(name: string, machine: Machine) {
  const files = {
    orchestrator: join(folder, `${name}-orchestrator.cpuprofile`),
    worker: join(folder, `${name}-worker.cpuprofile`),
  }
  const own = profiler()
  const asked = <T>(ask: (counters: Counters) => Promise<T>): Promise<T> =>
    withCounters(machine.postgres.adminUrl, ask)
  const around: Around = async ({ worker }, load) => {
    await mkdir(folder, { recursive: true })
    await asked(resetPostgresProfile)
    await own(null)
    await worker.ask({ kind: 'profile', file: null })
    await load()
    await own(files.orchestrator)
    await worker.ask({ kind: 'profile', file: files.worker })
  }
  const read = async (): Promise<Profiles> => ({
    files: Object.values(files),
    orchestrator: await summarise(files.orchestrator),
    worker: await summarise(files.worker),
    postgres: await asked(readPostgresProfile),
  })
  return { around, read }
}

async function withCounters<T>(url: string, ask: (counters: Counters) => Promise<T>): Promise<T> {
  const counters = await Counters.connect(url)
  try {
    return await ask(counters)
  } finally {
    await counters.close()
  }
}
