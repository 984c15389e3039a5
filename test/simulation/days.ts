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

/** `handover`: processes are stopped as they should be, and started again. `victim`: the register fails for one run, for ever. */
export type DayKind = 'none' | 'outage' | 'late' | 'freeze' | 'handover' | 'victim'

export interface Day {
  readonly kind: DayKind
  readonly troubles: readonly Trouble[]
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

/** How many seeds have each. */
const shares: readonly (readonly [DayKind, number])[] = [
  ['outage', 0.08],
  ['late', 0.06],
  ['freeze', 0.05],
  ['handover', 0.05],
  ['victim', 0.05],
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
  const ends = Math.max(faultsEndMs, ...troubles.map(({ until }) => until))
  return { kind, troubles, lateMs, faultsEndMs: ends, calmMs: ends + lateMs }
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

/** What a process is in at a moment. */
export const troubleAt = ({ troubles }: Day, process: string, now: number): Trouble | undefined =>
  troubles.find(
    ({ of, from, until }) => (of === null || of === process) && from <= now && now < until,
  )
