/** What must hold of the turns that gave no usable answer: each is told, corrected no more often than allowed, never re-driven. */
import { decisionSchemas, factSchemas } from '@signalbox/core'
import { isEnd, type RunRecord } from './run-record.ts'

export function turnViolations({ agent, head, log }: RunRecord): readonly string[] {
  const bad: string[] = []
  const { runId } = head
  if (head.status !== 'ended' || log.some(({ type }) => type === 'run.faulted')) return bad
  const trips = log.filter(
    ({ type, verdict }) => type === 'model.completed' && verdict === 'guardrail',
  )
  const tripped = log
    .filter(({ type }) => type === 'guardrail.tripped')
    .map(({ payload }) => decisionSchemas['guardrail.tripped'].parse(payload))
  const stopped = log.filter(({ type }) => type === 'guardrail.stopped')
  if (tripped.length + stopped.length !== trips.length)
    bad.push(
      `I23 ${runId}: ${trips.length} guardrail turns, ${tripped.length} + ${stopped.length} told`,
    )
  const most = agent?.guardrails.maxGuardrailRetries ?? 0
  for (const { correction, turn } of tripped)
    if (correction > most)
      bad.push(`I23 ${runId} corrected turn ${turn} for the ${correction}. time`)
  const end = log.find(isEnd)?.verdict
  if (stopped.length > 0 && end !== 'guardrail_stopped' && !isCancelled(log, end))
    bad.push(`I23 ${runId} was stopped by a guardrail, and ended ${end}`)
  if (end === 'guardrail_stopped' && stopped.length !== 1)
    bad.push(`I23 ${runId} ended by a guardrail, and says so ${stopped.length}x`)
  return [...bad, ...redriveViolations(log, runId)]
}

const isCancelled = (log: RunRecord['log'], end: string | null | undefined): boolean =>
  end === 'timed_out' ||
  end === 'budget_exhausted' ||
  log.some(({ type }) => type === 'cancel.requested')

/** No turn that was stopped for safety or refused is asked for again, of no model. */
function redriveViolations(log: RunRecord['log'], runId: string): readonly string[] {
  const stop = log.find(
    ({ type, verdict }) =>
      type === 'model.completed' && (verdict === 'safety' || verdict === 'refusal'),
  )
  const later = log.filter(({ type, seq }) => type === 'model.completed' && stop && seq > stop.seq)
  return later.map(
    ({ seq, payload }) =>
      `I23 ${runId} asked again after a safety stop: ${factSchemas['model.completed'].parse(payload).turn.verdict} at ${seq}`,
  )
}
