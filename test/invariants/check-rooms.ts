/**
 * What must hold of the summaries of a run (§5 of the context systems): one outcome for each that was asked for, a place between turns, and
 * nothing kept that is no summary.
 */
import { factSchemas, payloadOf } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { effectOf, type RunRecord } from './run-record.ts'

/** `unkept`: words that no summary may say. */
export function roomViolations(
  { head: { runId }, log, effects }: RunRecord,
  unkept: readonly string[] = [],
): readonly string[] {
  const bad: string[] = []
  const ends = log.filter(
    ({ type }) => type === 'context.compacted' || type === 'context.unchanged',
  )
  for (const { effectId, spec, status } of effects) {
    if (spec.kind !== 'context.compact') continue
    const told = ends.filter((event) => effectOf(event) === effectId).length
    if (told > 1) bad.push(`Z4 ${effectId} was summed up ${told}x`)
    if (told === 0 && status === 'done') bad.push(`Z4 ${effectId} is done, and nothing came of it`)
  }
  for (const event of ends.filter(({ type }) => type === 'context.compacted')) {
    const { summary, appendix, keep, through } = payloadOf(factSchemas['context.compacted'], event)
    const text = JSON.stringify([summary, appendix])
    for (const words of unkept)
      if (text.includes(words)) bad.push(`Z3 a summary of ${runId} says "${words}"`)
    if (keep.runId !== through.runId || keep.seq !== through.seq + 1)
      bad.push(`Z2 a summary of ${runId} keeps from ${keep.seq}, and its place is ${through.seq}`)
    if (through.runId === runId) bad.push(...splitTurns(log, through))
  }
  return bad
}

/** Results of calls, as facts tell them. */
export const isResult = ({ type }: StoredEvent): boolean =>
  type === 'tool.completed' || type === 'tool.failed' || type === 'child.ended'

/** A call before a cut has its result before it. */
function splitTurns(
  log: readonly StoredEvent[],
  { runId, seq: through }: { readonly runId: string; readonly seq: number },
): readonly string[] {
  const called = log
    .filter(({ type, verdict }) => type === 'model.completed' && verdict === 'complete')
    .filter(({ seq }) => seq <= through)
    .flatMap((event) => payloadOf(factSchemas['model.completed'], event).turn.message.parts)
    .flatMap((part) => (part.type === 'tool_call' ? [part.id] : []))
  return log
    .filter((event) => isResult(event) && event.seq > through)
    .filter(({ payload }) => called.some((id) => id === payload['callId']))
    .map(({ seq }) => `Z2 a cut of ${runId} through ${through} leaves a result at ${seq}`)
}
