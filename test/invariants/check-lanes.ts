/** What must hold between runs that share a lane: how many are at work, how many begin, and who goes first. */
import type { Lane } from '@signalbox/engine'
import { spanOf, type Span } from './check-threads.ts'
import { isStep, type RunRecord } from './run-record.ts'

/** `runs`: all of the register, with positions in the feed. */
export function laneViolations(runs: readonly RunRecord[]): readonly string[] {
  const spans = runs.filter(({ head }) => head.lanes.length > 0).map(spanOf)
  return spans.flatMap((span) =>
    span.run.head.lanes.flatMap((lane) => {
      const others = spans.filter((other) => other !== span && isIn(other, lane))
      return [
        ...roomViolations(span, lane, others),
        ...rateViolations(span, lane, others),
        ...queueViolations(span, lane, others),
      ]
    }),
  )
}

const isIn = ({ run }: Span, { key }: Lane): boolean =>
  run.head.lanes.some((lane) => lane.key === key)

const wasAdmitted = ({ run }: Span): boolean => run.log.some(({ type }) => type === 'run.admitted')

/** Whoever is admitted finds fewer at work than the most. */
function roomViolations(span: Span, { key, most }: Lane, others: readonly Span[]) {
  if (most === undefined || !wasAdmitted(span)) return []
  const working = others.filter((other) => isAtWork(other, span.admitted)).length
  const { runId } = span.run.head
  return working < most ? [] : [`lane ${key}: ${runId} was admitted beside ${working} of ${most}`]
}

/** Was it at work at that position of the feed? Not if it may have waited for a human. */
function isAtWork({ run, admitted, ended }: Span, position: string): boolean {
  if (admitted > position || ended < position) return false
  const before = run.log.filter((event) => (event.position ?? '') < position)
  const path = before.findLast(isStep)?.payload['path']
  const state = Array.isArray(path) ? path.at(-1) : 'queued'
  const asks = before.some(({ type }) => type === 'tool.unknown')
  return state !== 'approval' && state !== 'input' && !(state === 'tools' && asks)
}

/** No more are admitted within a time than the rate says. */
function rateViolations(span: Span, { key, rate, perMs = 0 }: Lane, others: readonly Span[]) {
  const { runId, admittedAt } = span.run.head
  if (rate === undefined || admittedAt === null) return []
  const started = others.filter(
    ({ run, admitted }) =>
      admitted < span.admitted &&
      (run.head.admittedAt ?? 0) > admittedAt - perMs &&
      run.head.lanes.some((lane) => lane.key === key && lane.rate !== undefined),
  ).length
  return started < rate ? [] : [`lane ${key}: ${runId} was admitted as one of ${started + 1}`]
}

/** Who is created does not go before those who wait for the lane already. */
function queueViolations(span: Span, { key }: Lane, others: readonly Span[]): readonly string[] {
  const { run, created } = span
  // Admitted by its create, not right after it.
  if (run.log[1]?.type !== 'run.admitted' || run.head.admittedAt !== run.head.createdAt) return []
  return others
    .filter((other) => other.created < created && other.run.head.dueAt <= run.head.dueAt)
    .filter((other) => created < other.admitted && created < other.ended)
    .map((other) => `lane ${key}: ${run.head.runId} was admitted before ${other.run.head.runId}`)
}
