/** Conversations in memory: which runs, up to which event, make what a run sees. The SQL function says the same. */
import { conversationTypes, factSchemas } from '@signalbox/core'
import type { Moment, StoredEvent, ThreadRef } from '@signalbox/engine'
import { type RunRow, type Tables, threadKey } from './tables.ts'

interface Stretch {
  readonly runs: readonly RunRow[]
  /** The last of them is seen up to here. */
  readonly through: number
}

/** Deeper than anybody forks. */
const stretchesMax = 1000

/** The events of a conversation, in the order in which they were said: of a run, or of what a thread's next run will see. */
export function conversationOf(
  tables: Tables,
  thread: ThreadRef,
  runId: string | null,
): readonly StoredEvent[] {
  return stretchesOf(tables, thread, runId)
    .toReversed()
    .flatMap(({ runs, through }) =>
      runs.flatMap((run, n) => {
        const last = n === runs.length - 1 ? through : Infinity
        return (tables.events.get(run.runId) ?? []).filter((event) => event.seq <= last)
      }),
    )
}

/** The events of a conversation after a moment of it; null if the moment is not in it, or nothing was said after it. */
export function continuationOf(
  events: readonly StoredEvent[],
  { runId, seq }: Moment,
): readonly StoredEvent[] | null {
  const at = events.findIndex((event) => event.runId === runId && event.seq === seq)
  const after = at < 0 ? [] : events.slice(at + 1)
  return after.some(({ type }) => conversationTypes.some((one) => one === type)) ? after : null
}

/** A conversation from the run on whose turns its newest summary keeps; all of it where there is none. */
export function sinceCutOf(events: readonly StoredEvent[]): readonly StoredEvent[] {
  const cut = events.findLast(({ type, salt }) => type === 'context.compacted' && salt !== '')
  if (!cut) return events
  const { keep } = factSchemas['context.compacted'].parse(cut.payload)
  const first = events.findIndex(({ runId }) => runId === keep.runId)
  return first < 0 ? events : events.slice(first)
}

function stretchesOf(tables: Tables, thread: ThreadRef, runId: string | null): readonly Stretch[] {
  const found: Stretch[] = []
  let next = runId === null ? headOf(tables, thread) : heardBy(tables, thread, runId)
  while (next && found.length < stretchesMax) {
    const last = tables.runs.get(next.runId)
    if (!last) break
    const before = placed(tables, last).filter((run) => isSeen(run, last))
    const base = before.findLastIndex((run) => run.base !== null)
    found.push({ runs: before.slice(Math.max(base, 0)), through: next.seq })
    next = before[base]?.base ?? tables.threads.get(threadKey(last))?.origin ?? null
  }
  return found
}

/** The moment that a run has heard last: of one that has no place yet, the moment it goes on from. Null: the thread has not heard the run. */
function heardBy(tables: Tables, thread: ThreadRef, runId: string): Moment | null {
  const run = tables.runs.get(runId)
  if (run?.place === null && threadKey(run) === threadKey(thread))
    return run.base ?? headOf(tables, thread)
  const seq = heardThrough(tables, thread, runId)
  return seq === null ? null : { runId, seq }
}

/** The last event of a run that a thread has heard: of its own, and of what was said before it began. Null: none of it. */
export function heardThrough(tables: Tables, thread: ThreadRef, runId: string): number | null {
  const own = tables.runs.get(runId)
  if (own && isOn(own, thread)) return Infinity
  const origin = tables.threads.get(threadKey(thread))?.origin
  const last = origin && tables.runs.get(origin.runId)
  if (!last) return null
  if (runId === origin.runId) return origin.seq
  for (const { runs, through } of stretchesOf(tables, last, last.runId))
    if (runs.some((heard) => heard.runId === runId))
      return runs.at(-1)?.runId === runId ? through : Infinity
  return null
}

/** Where the next run of a thread goes on from. */
function headOf(tables: Tables, thread: ThreadRef): Moment | null {
  const last = placed(tables, thread).findLast(({ outcome }) => outcome !== 'rolled_back')
  if (last) return { runId: last.runId, seq: Infinity }
  return tables.threads.get(threadKey(thread))?.origin ?? null
}

const isSeen = (run: RunRow, last: RunRow): boolean =>
  run === last || ((run.place ?? 0) < (last.place ?? 0) && run.outcome !== 'rolled_back')

/** Is it a run of the thread? */
export const isOn = (run: RunRow, { tenantId, threadId }: ThreadRef): boolean =>
  run.tenantId === tenantId && run.threadId === threadId

/** The runs of a thread that have a place, in order. */
export const placed = ({ runs }: Tables, thread: ThreadRef): readonly RunRow[] =>
  [...runs.values()]
    .filter((run) => isOn(run, thread) && run.place !== null)
    .toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0))
