/** The schedules to play: each failpoint of the recording once, then the faults of the infrastructure, then storms. */
import type { Register } from '@signalbox/engine'
import { seeded } from '../simulation/seeded.ts'
import { isKilled } from './declared.ts'
import { infrastructureFaults, killAt, storm } from './faults.ts'
import { pointsOf, type Recording } from './recording.ts'
import type { Fault } from './schedule.ts'
import type { Backend } from './stack.ts'
import { type Wave, waves } from './workload.ts'

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

/** For each wave. */
const stormsPerBackend = { some: 2, full: 20 }
/** Later hits of a point that is met all the time are like earlier ones. */
const hitMax = 8

export function schedulesOf(
  recordings: ReadonlyMap<Backend, Recording>,
  choice: Choice,
): readonly Schedule[] {
  const { backends, full, only, seed } = choice
  const unit = seeded(seed)
  const points = [...new Set([...recordings.values()].flatMap(pointsOf))].filter(isKilled).sort()
  const places = points.flatMap((point) =>
    wavesOf(point, recordings).map((wave) => ({ point, wave })),
  )
  const kills = places.flatMap((place, n) => {
    const chosen = full ? backends : [backends[n % backends.length] ?? 'postgres']
    return chosen.map((backend) => ({ backend, fault: killOf(place, recordings, unit()) }))
  })
  const storms = full ? stormsPerBackend.full : stormsPerBackend.some
  const others = backends.flatMap((backend) =>
    (['work', 'family'] as const).flatMap((wave) => [
      ...infrastructureFaults(backend, wave).map((fault) => ({ backend, fault })),
      ...Array.from({ length: storms }, (_, n) => ({ backend, fault: storm(seed + n, wave) })),
    ]),
  )
  return [...kills, ...others]
    .filter(({ fault }) => only === null || fault.name.includes(only))
    .map((each, n) => ({ ...each, seed: seed + n }))
}

/** Methods of the register that are about trees of runs: they are met in every wave, and have something to do in one. */
const ofFamilies: readonly (keyof Register)[] = [
  'children',
  'endedChildren',
  'orphans',
  'openBudget',
  'reserve',
  'spend',
  'settleBudgets',
]

/**
 * What a parent's cancel is sure to bring about. Elsewhere the reconciler may look right between a create and the cancels that
 * follow it, and send them itself: on a slow machine a recording has that, and the next three runs have not.
 */
const ofCancelledFamilies = 'orchestrator.register.append(cancel.requested)'

/** So often a point is met in a clean run that a kill will meet it. */
const surely = 3

/** The first wave that meets a point; for an append that trees of runs make as well, also theirs. */
function wavesOf(point: string, recordings: ReadonlyMap<Backend, Recording>): readonly Wave[] {
  const hits = (wave: Wave): readonly number[] =>
    [...recordings.values()].map((recording) => recording.hits[wave].get(point) ?? 0)
  const [first] = waves.filter((wave) => hits(wave).some((n) => n > 0))
  const [, , method = ''] = point.split('.')
  if (ofFamilies.some((each) => each === method) || point.startsWith(ofCancelledFamilies))
    return ['family']
  const isTwice =
    first === 'work' &&
    point.startsWith('orchestrator.register.append') &&
    Math.min(...hits('family')) >= surely
  return first === undefined ? [] : isTwice ? [first, 'family'] : [first]
}

/** Killed in the wave that meets the point, at its first hit or at a chosen one of its many. */
function killOf(
  { point, wave }: { readonly point: string; readonly wave: Wave },
  recordings: ReadonlyMap<Backend, Recording>,
  chance: number,
): Fault {
  const least = Math.min(...[...recordings.values()].map(({ hits }) => hits[wave].get(point) ?? 0))
  const often = Math.min(Math.floor(least / 3), hitMax)
  return killAt({ point, hit: 1 + Math.floor(chance * often) }, wave)
}
