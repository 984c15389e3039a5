/** The queue of a thread in memory: who waits before whom, who may have the slot, and who is to make way. */
import type { Register, RunRef, Superseded, ThreadRef } from '@signalbox/engine'
import { byUrgency, lanesFull, sharesLane } from './lanes.ts'
import { isOn, placed } from './lineage.ts'
import { isAgentPaused } from './pauses.ts'
import type { RunRow, Tables } from './tables.ts'
import { inTurns, isNoneOf } from './turns.ts'

/** Does `a` stand before `b` in the queue of their thread? */
const isBefore = (a: RunRow, b: RunRow): boolean =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.runId < b.runId)

/** The runs of the same thread that have not ended. */
export const openOn = ({ runs }: Tables, thread: ThreadRef): RunRow[] =>
  [...runs.values()].filter((run) => isOn(run, thread) && run.status !== 'ended')

/** Is the slot free for this run: is it due, is its agent not paused, is there room in its lanes, holds nobody the thread, waits nobody before it? */
function isFree(tables: Tables, run: RunRow, now: number): boolean {
  if (run.dueAt > now || lanesFull(tables, run, now)) return false
  if (isAgentPaused(tables, now, run)) return false
  return !openOn(tables, run).some(
    (other) => other !== run && (other.admitted || isBefore(other, run)),
  )
}

/** Takes the thread's slot and the next place of its conversation, if it is free. */
export function takeSlot(tables: Tables, run: RunRow, now: number): boolean {
  if (run.status !== 'ended' && !run.admitted && isFree(tables, run, now)) {
    run.admitted = true
    run.admittedAt = now
    run.place = (placed(tables, run).at(-1)?.place ?? 0) + 1
  }
  return run.admitted
}

/** When the last of the runs of a thread that are under way came due; null if none is. */
export function lastDue(tables: Tables, thread: ThreadRef, now: number): number | null {
  const due = openOn(tables, thread)
    .map((run) => run.dueAt)
    .filter((dueAt) => dueAt <= now)
  return due.length > 0 ? Math.max(...due) : null
}

/** Names a run. */
export const refOf = ({ tenantId, runId }: RunRef): RunRef => ({ tenantId, runId })

/** The reads of queues for the reconciler. */
export function queuesOf(
  tables: Tables,
  clock: { readonly now: () => number },
): Pick<Register, 'admissibleRuns' | 'nextInThread' | 'nextInLanes' | 'superseded'> {
  const { runs } = tables
  const admissible = (): RunRow[] =>
    [...runs.values()].filter(
      (run) => !run.admitted && run.status !== 'ended' && isFree(tables, run, clock.now()),
    )
  return {
    admissibleRuns: async (limit, except) =>
      inTurns(admissible().filter(isNoneOf(except)).toSorted(byUrgency))
        .slice(0, limit)
        .map(refOf),
    nextInLanes: async (runId, limit) => {
      const own = runs.get(runId)
      return admissible()
        .filter((run) => own && sharesLane(run, own))
        .toSorted(byUrgency)
        .slice(0, limit)
        .map(refOf)
    },
    nextInThread: async (tenantId, threadId) => {
      const next = admissible().find((run) => isOn(run, { tenantId, threadId }))
      return next ? refOf(next) : null
    },
    superseded: async (limit, thread, except) =>
      [...runs.values()]
        .filter((run) => !thread || isOn(run, thread))
        .filter((run) => run.dueAt <= clock.now() && !run.admitted && run.status !== 'ended')
        .flatMap((by) => inTheWayOf(tables, by))
        .filter(isNoneOf(except))
        .slice(0, limit),
  }
}

function inTheWayOf(tables: Tables, by: RunRow): Superseded[] {
  const { multitask: action } = by
  if (action === 'enqueue' || action === 'reject') return []
  return openOn(tables, by)
    .filter((run) => isBefore(run, by) && !run.cancelRequested)
    .map((run) => ({ ...refOf(run), action, by: by.runId }))
}
