/** What must hold between a run and those of its thread that are to make way for it. */
import { factSchemas } from '@signalbox/core'
import { isEnd, type RunRecord } from './run-record.ts'
import { isBefore, threadsOf } from './check-threads.ts'

/** When somebody must have noticed. */
export interface Patience {
  /** Nothing has failed since. Milliseconds since the epoch. */
  readonly since: number
  readonly withinMs: number
}

/** `runs`: all of the register, with positions in the feed. */
export function supersedingViolations(
  runs: readonly RunRecord[],
  patience: Patience,
): readonly string[] {
  return threadsOf(runs).flatMap((spans) => {
    const thread = spans.map(({ run }) => run)
    return thread.flatMap((run) => [
      ...askedViolations(run, thread),
      ...leftViolations(run, thread, patience),
    ])
  })
}

const isSuperseding = ({ head: { multitask } }: RunRecord): boolean =>
  multitask === 'interrupt' || multitask === 'rollback'

/** Processes and the register may round differently. */
const roundedMs = 1

/** Who is asked to make way is told for whom: one of the same thread, behind him, due, that wants just that. */
function askedViolations({ head, log }: RunRecord, thread: readonly RunRecord[]) {
  const older = thread.find((run) => run.head.runId === head.runId)
  return log
    .filter(
      ({ type, payload }) => type === 'cancel.requested' && payload['reason'] === 'superseded',
    )
    .flatMap((event) => {
      const { by, action } = factSchemas['cancel.requested'].parse(event.payload)
      const newer = thread.find((run) => run.head.runId === by)
      const name = `${head.runId} was asked to make way for ${by}`
      if (!newer || !older || !isSuperseding(newer)) return [`slot ${name}, which does not ask`]
      if (newer.head.multitask !== action) return [`slot ${name}, by ${action}`]
      if (!isBefore(older, newer)) return [`slot ${name}, which stands before it`]
      return event.at + roundedMs < newer.head.dueAt ? [`slot ${name}, which is not due`] : []
    })
}

/** Once faults have stopped, nobody is left in the way of one who is due (I12). */
function leftViolations(
  by: RunRecord,
  thread: readonly RunRecord[],
  { since, withinMs }: Patience,
): readonly string[] {
  if (!isSuperseding(by)) return []
  const over = by.log.find(isEnd)?.at ?? Infinity
  return thread
    .filter((run) => run !== by && isBefore(run, by))
    .filter(({ head, log }) => {
      const { dueAt, createdAt } = by.head
      const until = Math.max(since, dueAt, createdAt, head.createdAt) + withinMs
      const moved = log.find((event) => event.type === 'cancel.requested' || isEnd(event))?.at
      return (moved ?? Infinity) > until && over > until
    })
    .map(({ head }) => `I12 nobody asked ${head.runId} to make way for ${by.head.runId}`)
}
