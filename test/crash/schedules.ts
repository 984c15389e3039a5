/**
 * The schedules to play: failpoints of the recording, then the faults of the infrastructure, then storms. There are some 500;
 * without `full` a part of every kind is played, another one for each seed, and a core of them always.
 */
import type { Register } from '@signalbox/engine'
import { sampled } from '../../scripts/ci/sampled.ts'
import { seeded } from '../simulation/seeded.ts'
import { isKilled } from './declared.ts'
import { withFiles } from './failpoints.ts'
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
  /** Every failpoint on every backend, every fault in every wave, and more storms. */
  readonly full: boolean
  /** Only faults whose name holds this: all of them. */
  readonly only: string | null
  readonly seed: number
}

/** On each backend. One of them is in a sample. */
const stormsPerWave = 20
/** Later hits of a point that is met all the time are like earlier ones. */
const hitMax = 8

/** One failpoint in so many of a port of a role is killed at in a sample, on each backend another one. */
const failpointsIn = 8
/** One fault of the infrastructure in so many is played among trees of runs as well. */
const familyFaultsIn = 3

/** What a sample always has: between these a worker has done something that nobody has heard of. */
const always = new Set([
  'api.register.append(run.created).after',
  'orchestrator.register.append(decision).after',
  'worker.register.append(claim).after',
  'worker.toolHost.call.after',
  'worker.register.append(tool.completed).after',
  // And between these, files have come that nothing names yet.
  'api.uploads.putPart.after',
  'api.uploads.use.after',
  `api.register.append(run.created${withFiles}).after`,
  `worker.register.append(tool.completed${withFiles}).after`,
])

export interface Chosen {
  readonly schedules: readonly Schedule[]
  /** How many there are in all. */
  readonly all: number
}

export function schedulesOf(recordings: ReadonlyMap<Backend, Recording>, choice: Choice): Chosen {
  const all = everything(recordings, choice)
  const { only, full, seed } = choice
  const wanted = all.filter(({ fault }) => only === null || fault.name.includes(only))
  const chosen = full || only !== null ? wanted : sampleOf(wanted, seed)
  return {
    schedules: chosen.map(({ backend, fault }, n) => ({ backend, fault, seed: seed + n })),
    all: all.length,
  }
}

interface Case {
  readonly backend: Backend
  readonly fault: Fault
  /** Always played; else one in so many of its group. */
  readonly share: 'always' | { readonly group: string; readonly oneIn: number }
}

function everything(
  recordings: ReadonlyMap<Backend, Recording>,
  { backends, seed }: Choice,
): readonly Case[] {
  return [
    ...killsOf(recordings, backends, seed),
    ...backends.flatMap((backend) =>
      (['work', 'family'] as const).flatMap((wave) => [
        ...faultsOf(backend, wave),
        ...stormsOf(backend, wave, seed),
      ]),
    ),
  ]
}

function killsOf(
  recordings: ReadonlyMap<Backend, Recording>,
  backends: readonly Backend[],
  seed: number,
): readonly Case[] {
  const unit = seeded(seed)
  const points = [...new Set([...recordings.values()].flatMap(pointsOf))].filter(isKilled).sort()
  const places = points.flatMap((point) =>
    wavesOf(point, recordings).map((wave) => ({ point, wave })),
  )
  return places.flatMap((place) =>
    backends.map((backend, n) => {
      const isCore = always.has(place.point) && n === seed % backends.length
      const group = `${place.point.split('.').slice(0, 2).join('.')} on ${backend}`
      const fault = killOf(place, recordings, unit())
      return { backend, fault, share: isCore ? 'always' : { group, oneIn: failpointsIn } }
    }),
  )
}

const faultsOf = (backend: Backend, wave: Wave): readonly Case[] =>
  infrastructureFaults(backend, wave).map((fault) => {
    const group = `faults of ${backend}`
    return { backend, fault, share: wave === 'work' ? 'always' : { group, oneIn: familyFaultsIn } }
  })

const stormsOf = (backend: Backend, wave: Wave, seed: number): readonly Case[] =>
  Array.from({ length: stormsPerWave }, (_, n) => {
    const group = `storms of ${backend}, ${wave}`
    return { backend, fault: storm(seed + n, wave), share: { group, oneIn: stormsPerWave } }
  })

function sampleOf(all: readonly Case[], number: number): readonly Case[] {
  const drawn = new Set(
    sampled(
      all.flatMap((each) => (each.share === 'always' ? [] : [{ each, ...each.share }])),
      number,
    ).map(({ each }) => each),
  )
  return all.filter((each) => each.share === 'always' || drawn.has(each))
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
