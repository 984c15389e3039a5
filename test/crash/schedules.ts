/** The schedules to play: each failpoint of the recording once, then the faults of the infrastructure, then storms. */
import { seeded } from '../simulation/schedule.ts'
import { isKilled } from './declared.ts'
import { infrastructureFaults, killAt, storm } from './faults.ts'
import type { Recording } from './recording.ts'
import type { Fault } from './schedule.ts'
import type { Backend } from './stack.ts'

export interface Schedule {
  readonly backend: Backend
  readonly fault: Fault
  readonly seed: number
}

export interface Choice {
  readonly backends: readonly Backend[]
  /** Every failpoint on every backend, and more storms. */
  readonly full: boolean
  /** Only faults whose name holds this. */
  readonly only: string | null
  readonly seed: number
}

const stormsPerBackend = { some: 2, full: 20 }
/** Later hits of a point that is met all the time are like earlier ones. */
const hitMax = 12

export function schedulesOf(
  recordings: ReadonlyMap<Backend, Recording>,
  choice: Choice,
): readonly Schedule[] {
  const { backends, full, only, seed } = choice
  const unit = seeded(seed)
  const points = [...new Set([...recordings.values()].flatMap(pointsOf))].filter(isKilled).sort()
  const kills = points.flatMap((point, n) => {
    const chosen = full ? backends : [backends[n % backends.length] ?? 'postgres']
    return chosen.map((backend) => ({ backend, fault: killOf(point, recordings, unit()) }))
  })
  const storms = full ? stormsPerBackend.full : stormsPerBackend.some
  const others = backends.flatMap((backend) => [
    ...infrastructureFaults(backend).map((fault) => ({ backend, fault })),
    ...Array.from({ length: storms }, (_, n) => ({ backend, fault: storm(seed + n) })),
  ])
  return [...kills, ...others]
    .filter(({ fault }) => only === null || fault.name.includes(only))
    .map((each, n) => ({ ...each, seed: seed + n }))
}

const pointsOf = ({ hits }: Recording): readonly string[] => [
  ...hits.work.keys(),
  ...hits.stall.keys(),
]

/** Killed in the wave that meets the point, at its first hit or at a chosen one of its many. */
function killOf(point: string, recordings: ReadonlyMap<Backend, Recording>, chance: number): Fault {
  const least = (wave: 'work' | 'stall'): number =>
    Math.min(...[...recordings.values()].map(({ hits }) => hits[wave].get(point) ?? 0))
  const most = Math.max(...[...recordings.values()].map(({ hits }) => hits.work.get(point) ?? 0))
  const wave = most > 0 ? 'work' : 'stall'
  const often = Math.min(Math.floor(least(wave) / 3), hitMax)
  return killAt({ point, hit: 1 + Math.floor(chance * often) }, [wave])
}
