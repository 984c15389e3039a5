/**
 * Short histories: seeds in which a run may have so few events that some come to the end of their history, whatever they are
 * doing then. Such a run ends, once, and nobody goes round.
 */
import { decisionSchemas } from '@signalbox/core'
import type { AppendItem, StoredEvent } from '@signalbox/engine'
import { createMemoryRegister, type MemoryRegister } from '@signalbox/testing/memory'
import type { RunRecord } from '../invariants/run-record.ts'
import { seeded } from './seeded.ts'

/** How many seeds are one. */
const short = 0.08
/** Of the events that a run may have there: most are kept for its end. */
const fewest = 120
const most = 300

/** Events that a run may have in a seed; undefined: as many as in production. */
function eventsMaxOf(seed: number): number | undefined {
  const unit = seeded(seed * 59 + 17)
  // The shorter, the more often: how long most runs become.
  return unit() < short ? fewest + Math.floor(unit() ** 3 * (most - fewest)) : undefined
}

/** A register, and what it has seen. */
export interface Counted {
  readonly register: MemoryRegister
  /** Appends about each run. */
  readonly appends: ReadonlyMap<string, number>
  /** When events were written, by their positions, whatever the clocks of those who drafted them say. */
  readonly writtenAt: ReadonlyMap<number, number>
}

/** A register whose runs may have so many events, with the number of appends about each run. */
export function countedRegister(seed: number, clock: { readonly now: () => number }): Counted {
  const eventsMax = eventsMaxOf(seed)
  const register = createMemoryRegister(clock, eventsMax === undefined ? {} : { eventsMax })
  const appends = new Map<string, number>()
  const writtenAt = new Map<number, number>()
  const { tables } = register
  const append = (item: AppendItem) => {
    appends.set(item.runId, (appends.get(item.runId) ?? 0) + 1)
    const before = tables.written
    const answer = register.append(item)
    for (let n = before + 1; n <= tables.written; n++) writtenAt.set(n, clock.now())
    return answer
  }
  return { register: { ...register, append }, appends, writtenAt }
}

/** Appends that add nothing are repetitions and lost races: a few for each event, however long the run waits. */
const appendsMax = (events: number): number => 200 + 10 * events

const isLeaving = ({ type, payload }: StoredEvent): boolean =>
  type === 'run.transitioned' && decisionSchemas[type].parse(payload).path.at(-1) === 'cancelling'

/** What must hold of the histories of a seed. */
export function historyViolations(
  { register, appends }: Counted,
  runs: readonly RunRecord[],
): readonly string[] {
  const { eventsMax } = register.tables
  return runs.flatMap(({ head: { runId }, log }) => {
    const bad: string[] = []
    if (log.length > eventsMax) bad.push(`${runId} has ${log.length} events of ${eventsMax}`)
    const faults = log.filter(({ type }) => type === 'run.faulted')
    if (faults.length > 1) bad.push(`I22 ${runId} was faulted ${faults.length}x`)
    if (faults.some(({ payload }) => payload['code'] !== 'history_too_long'))
      bad.push(`I22 ${runId} was faulted: ${JSON.stringify(faults[0]?.payload)}`)
    const end = log.find(
      ({ type, payload }) => type === 'run.transitioned' && payload['outcome'] !== null,
    )
    if (faults.length > 0 && end?.verdict !== 'failed')
      bad.push(`I22 ${runId} was faulted, and ended as ${end?.verdict}`)
    // What is kept for the end is enough for a cancel, step by step.
    const fault = faults[0]
    if (fault && log.some((event) => event.seq < fault.seq && isLeaving(event)))
      bad.push(`I22 ${runId} was faulted while it was being cancelled`)
    const count = appends.get(runId) ?? 0
    if (count > appendsMax(log.length))
      bad.push(`I22 ${runId} was appended to ${count} times for ${log.length} events`)
    return bad
  })
}
