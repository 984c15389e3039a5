/** What must hold between the runs of one thread: who goes first, who is refused, and who has a place. */
import { factSchemas } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { isEnd, type RunRecord } from './run-record.ts'

/** A run, and from where to where it stands in the feed. Never: `~`, behind all positions. */
export interface Span {
  readonly run: RunRecord
  readonly created: string
  readonly admitted: string
  readonly ended: string
}

const never = '~'
const at = (event: StoredEvent | undefined): string => event?.position ?? never

export const spanOf = (run: RunRecord): Span => ({
  run,
  created: at(run.log[0]),
  admitted: at(run.log.find(({ type }) => type === 'run.admitted')),
  ended: at(run.log.find(isEnd)),
})

/** Does `a` stand before `b` in the queue of their thread? */
export const isBefore = ({ head: a }: RunRecord, { head: b }: RunRecord): boolean =>
  a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.runId < b.runId)

/** The spans of each thread. */
export function threadsOf(runs: readonly RunRecord[]): readonly (readonly Span[])[] {
  const threads = Map.groupBy(runs.map(spanOf), ({ run }) => run.head.threadId)
  return [...threads.values()]
}

/** `runs`: all of the register, with positions in the feed. */
export function threadViolations(runs: readonly RunRecord[]): readonly string[] {
  return threadsOf(runs).flatMap((spans) => [
    ...placeViolations(spans),
    ...spans.flatMap((span) => [
      ...overlaps(span, spans),
      ...turnViolations(span, spans),
      ...delayViolations(span),
      ...creationViolations(span, spans),
    ]),
  ])
}

/** Runs of one thread never overlap: the next is admitted after the end of the one before. */
const overlaps = (a: Span, spans: readonly Span[]): readonly string[] =>
  spans
    .filter((b) => b !== a && b.admitted !== never)
    .filter((b) => a.admitted < b.admitted && b.admitted < a.ended)
    .map((b) => `slot ${b.run.head.runId} was admitted before ${a.run.head.runId} ended`)

/** Whoever was admitted has a place, and nobody else; they are 1 to n, in the order of the admissions. */
function placeViolations(spans: readonly Span[]): readonly string[] {
  const bad = spans
    .filter(({ run, admitted }) => (run.head.place === null) !== (admitted === never))
    .map(({ run: { head } }) => `slot ${head.runId} has the place ${head.place}`)
  const inOrder = spans
    .filter(({ admitted }) => admitted !== never)
    .toSorted((a, b) => (a.admitted < b.admitted ? -1 : 1))
  inOrder.forEach(({ run: { head } }, n) => {
    if (head.place !== n + 1)
      bad.push(`slot ${head.runId} was admitted as number ${n + 1} to the place ${head.place}`)
  })
  return bad
}

/** Nobody goes before one who stood before him when he was admitted. */
const turnViolations = (a: Span, spans: readonly Span[]): readonly string[] =>
  a.admitted === never
    ? []
    : spans
        .filter((b) => b !== a && isBefore(b.run, a.run))
        .filter((b) => b.created < a.admitted && a.admitted < b.admitted && a.admitted < b.ended)
        .map((b) => `slot ${a.run.head.runId} was admitted before ${b.run.head.runId}`)

/** Nobody is admitted before his time. */
function delayViolations({ run: { head, log } }: Span): readonly string[] {
  const created = log[0] && factSchemas['run.created'].parse(log[0].payload)
  const { runId, dueAt, createdAt, admittedAt } = head
  if (dueAt < createdAt + (created?.delayMs ?? 0)) return [`slot ${runId} is due too soon`]
  return admittedAt !== null && admittedAt < dueAt ? [`slot ${runId} was admitted too soon`] : []
}

/**
 * What a create found that did not just wait: `reject` nobody who was due, `interrupt` and `rollback` stand behind all who
 * were.
 */
function creationViolations(span: Span, spans: readonly Span[]): readonly string[] {
  const { run, created } = span
  const { runId, multitask, createdAt } = run.head
  if (multitask === 'enqueue') return []
  const found = spans.filter(
    (other) =>
      other.created < created && created < other.ended && other.run.head.dueAt <= createdAt,
  )
  return found.flatMap((other) => {
    const { runId: otherId } = other.run.head
    if (multitask === 'reject') return [`slot ${runId} was created although ${otherId} was there`]
    return isBefore(other.run, run) ? [] : [`slot ${runId} does not stand behind ${otherId}`]
  })
}
