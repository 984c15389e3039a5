/**
 * Bad days: seeds in which something is wrong for longer than one call takes. A seed has one of them or none, and crosses it
 * with whatever else the seed plays. Times are milliseconds of the schedule.
 */
import { seeded } from './seeded.ts'

/** Something is wrong with a process, or with all, for a while. */
export interface Trouble {
  /** The process; null: all of them. */
  readonly of: string | null
  readonly from: number
  readonly until: number
  /** The register refuses at once, answers when the trouble is over, or the process itself stands still. */
  readonly how: 'fails' | 'hangs' | 'freezes'
}

/** The wall clock of a process is set, and its monotonic clock is not. */
export interface Jump {
  readonly of: string
  readonly from: number
  /** When it is set right again. Infinity: never. */
  readonly until: number
  readonly byMs: number
}

/**
 * `handover`: processes are stopped as they should be, and started again. `victim`: the register fails for one run, for ever.
 * `lacking`: some policies cannot be loaded, by some processes or by all. `versions`: some processes know a version of the
 * machine that others do not. `clock`: the wall clock of a process is set.
 */
export type DayKind =
  | 'none'
  | 'outage'
  | 'late'
  | 'freeze'
  | 'handover'
  | 'victim'
  | 'lacking'
  | 'versions'
  | 'clock'

/** Policies that cannot be loaded. */
export interface Lack {
  readonly of: readonly string[]
  /** Infinity: as long as the seed is played. */
  readonly until: number
}

export interface Day {
  readonly kind: DayKind
  readonly troubles: readonly Trouble[]
  /** Null: all wall clocks are right. */
  readonly jump: Jump | null
  /** Null: every process can load every policy. */
  readonly lack: Lack | null
  /** Processes that know the first version of the machine alone. */
  readonly older: readonly string[]
  /** How late answers of ports come at most, where they do. */
  readonly lateMs: number
  /** Until when ports fail and processes crash. */
  readonly faultsEndMs: number
  /** Whatever a fault had begun has come to its end. */
  readonly calmMs: number
}

/** How long ports fail and processes crash on a day that is not a bad one. */
const faultsEndMs = 4_000
const leaseMs = 300
const hourMs = 3_600_000

/** How many seeds have each. */
const shares: readonly (readonly [DayKind, number])[] = [
  ['outage', 0.08],
  ['late', 0.06],
  ['freeze', 0.05],
  ['handover', 0.05],
  ['victim', 0.05],
  ['lacking', 0.05],
  ['versions', 0.04],
  ['clock', 0.03],
]

/** Those that do the work; people and clients are in trouble only where all are. */
const workers = ['o1', 'o2', 'w1', 'w2', 'b1'] as const

type Unit = () => number

export function dayOf(seed: number): Day {
  const unit = seeded(seed * 71 + 5)
  let drawn = unit()
  const found = shares.find(([, share]) => {
    const isIt = drawn < share
    drawn -= share
    return isIt
  })
  const kind = found?.[0] ?? 'none'
  const troubles = troublesOf(kind, unit)
  const lateMs = kind === 'late' ? 10 * leaseMs : 0
  const lack = kind === 'lacking' ? lackOf(unit) : null
  const ends = Math.max(faultsEndMs, ...troubles.map(({ until }) => until))
  return {
    kind,
    troubles,
    jump: kind === 'clock' ? jumpOf(unit) : null,
    lack,
    older: kind === 'versions' ? someOf(unit) : [],
    lateMs,
    faultsEndMs: ends,
    calmMs: ends + lateMs,
  }
}

const pick = <T>(unit: Unit, one: T, other: T): T => (unit() < 0.5 ? one : other)

/** Some of the workers: of those that decide one is not among them, nor of those that call tools. */
const someOf = (unit: Unit): readonly string[] => [
  pick(unit, 'o1', 'o2'),
  pick(unit, 'w1', 'w2'),
  ...(unit() < 0.5 ? ['b1'] : []),
]

/** Some processes lack the policies, for a while or for ever; or all do, until long after the faults. */
function lackOf(unit: Unit): Lack {
  if (unit() < 0.4) return { of: workers, until: faultsEndMs + 3_000 + unit() * 2_000 }
  const until = unit() < 0.5 ? 500 + unit() * 3_000 : Infinity
  return { of: someOf(unit), until }
}

function troublesOf(kind: DayKind, unit: Unit): readonly Trouble[] {
  if (kind !== 'outage' && kind !== 'freeze') return []
  const times = 1 + Math.floor(unit() * (kind === 'freeze' ? 4 : 2))
  return Array.from({ length: times }, () => {
    const from = unit() * 2_500
    // Of one lease to ten: a shorter one is what a lease is there for.
    const until = from + leaseMs * (1 + unit() * 9)
    const one = workers[Math.floor(unit() * workers.length)] ?? 'o1'
    if (kind === 'freeze') return { of: one, from, until, how: 'freezes' }
    const how = unit() < 0.5 ? 'fails' : 'hangs'
    return { of: unit() < 0.3 ? one : null, from, until, how }
  })
}

/** An hour forward or back; in half of the seeds it is set right again. */
function jumpOf(unit: Unit): Jump {
  const from = unit() * 2_500
  const until = unit() < 0.5 ? from + 500 + unit() * 2_000 : Infinity
  const one = workers[Math.floor(unit() * workers.length)] ?? 'o1'
  return { of: unit() < 0.8 ? one : 'client', from, until, byMs: pick(unit, hourMs, -hourMs) }
}

/** Is there nobody who could decide and work? Clients and people are never without policies. */
export const isOfAll = ({ of }: Lack): boolean => of.length === workers.length

/** What a process is in at a moment. */
export const troubleAt = ({ troubles }: Day, process: string, now: number): Trouble | undefined =>
  troubles.find(
    ({ of, from, until }) => (of === null || of === process) && from <= now && now < until,
  )
