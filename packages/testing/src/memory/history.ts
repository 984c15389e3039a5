/**
 * Room in the history of a run: `kept` and `has_room` of the SQL. A run holds so many events, whoever writes them; of those,
 * some are kept for what must still be said.
 *
 * L1 Work (a claim, a decision that asks for effects, what is said to the run, a note) leaves enough to settle and to end
 *    everything that is open, step by step.
 * L2 A decision that asks for nothing and does not end the run leaves half of that: enough to end it at once.
 * L3 Facts leave enough for a fault, a fault and the end leave nothing: so a run can always be ended.
 *    The note that ends an attempt leaves as much: there is one for each claim, which had room for both.
 * L4 After the end, notes leave enough to say that the run is deleted.
 */
import { limits } from '@signalbox/core'
import type { DecisionDraft, EventDraft, FactDraft, SettleDraft } from '@signalbox/engine'
import { countUnsettled, type RunRow, type Tables } from './tables.ts'

const faultKept = 8
const deletionKept = 4

/** Events that are kept of a live run's history while so many of its effects are open. */
const keptForEnd = (open: number): number => limits.eventsKept + limits.eventsKeptPerEffect * open

const fits = ({ eventsMax }: Tables, { seq }: RunRow, events: number): boolean =>
  seq + events <= eventsMax

const hasRoomForWork = (tables: Tables, run: RunRow, events: number): boolean =>
  fits(tables, run, events + keptForEnd(countUnsettled(tables, run.runId)))

export function hasRoomForFact(tables: Tables, run: RunRow, { type }: FactDraft): boolean {
  if (type === 'run.faulted') return fits(tables, run, 1)
  return type === 'input.injected'
    ? hasRoomForWork(tables, run, 1)
    : fits(tables, run, 1 + faultKept)
}

export function hasRoomForDecision(
  tables: Tables,
  run: RunRow,
  { events, effects, status }: DecisionDraft,
): boolean {
  if (status === 'ended') return fits(tables, run, events.length)
  const kept = keptForEnd(countUnsettled(tables, run.runId) + effects.length)
  return fits(tables, run, events.length + (effects.length > 0 ? kept : kept / 2))
}

const deletions = new Set(['run.hidden', 'thread.hidden', 'payload.erased'])

/** Once more is two events more: the attempt, and what comes of it. */
const followedBy = 2

export function hasRoomForNotes(
  tables: Tables,
  run: RunRow,
  { notes, settle }: { readonly notes: readonly EventDraft[]; readonly settle?: SettleDraft },
): boolean {
  const isDeletion = notes.every(({ type }) => deletions.has(type))
  const events = notes.length + (settle?.expect === 'done' ? followedBy : 0)
  if (run.status === 'ended') return fits(tables, run, events + (isDeletion ? 0 : deletionKept))
  const isKept = isDeletion || settle?.expect === 'started'
  return isKept ? fits(tables, run, events + faultKept) : hasRoomForWork(tables, run, events)
}

/** A claim after the end is of a webhook: its outcome is a note. */
export const hasRoomForClaim = (tables: Tables, run: RunRow): boolean =>
  run.status === 'ended' ? fits(tables, run, 2 + deletionKept) : hasRoomForWork(tables, run, 1)
