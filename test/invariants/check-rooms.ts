/**
 * The rules that the summaries of a run keep (§5 of the context systems): one outcome for each that was asked for, a place between turns, and
 * nothing kept that is no summary.
 */
import { type AgentDefinition, type FactPayload, factSchemas, payloadOf } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { effectOf, type RunRecord } from './run-record.ts'

/** `unkept`: words that no summary may say. */
export function roomViolations(
  { head: { runId }, log, effects, agent }: RunRecord,
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
  return [...bad, ...limitsPassed(runId, ends, agent?.context), ...stepsBack(runId, ends)]
}

type Context = NonNullable<AgentDefinition['context']>

/** No more summaries, failures in a row and tokens of a summary than the agent allows (Z5). */
function limitsPassed(
  runId: string,
  ends: readonly StoredEvent[],
  context: Context | undefined,
): readonly string[] {
  if (!context) return []
  const { maxPerRun, failuresMax, summaryTokens } = context.compact
  const bad: string[] = []
  let [made, failed] = [0, 0]
  for (const event of ends) {
    const isMade = event.type === 'context.compacted'
    made += isMade ? 1 : 0
    failed = isMade ? 0 : failed + 1
    if (failed > failuresMax) bad.push(`Z5 the summaries of ${runId} failed ${failed}x in a row`)
    if (!isMade) continue
    const { tokens } = payloadOf(factSchemas['context.compacted'], event)
    if (tokens.summary > summaryTokens)
      bad.push(`Z5 a summary of ${runId} has ${tokens.summary} tokens`)
    if (tokens.after >= tokens.before) bad.push(`Z5 a summary of ${runId} saved nothing`)
  }
  if (made > maxPerRun) bad.push(`Z5 ${runId} was summed up ${made}x`)
  return bad
}

/** A summary replaces more than the one before it did, and was made of more (Z6). */
function stepsBack(runId: string, ends: readonly StoredEvent[]): readonly string[] {
  const bad: string[] = []
  let before: FactPayload<'context.compacted'> | null = null
  for (const event of ends.filter(({ type }) => type === 'context.compacted')) {
    const now = payloadOf(factSchemas['context.compacted'], event)
    if (before?.through.runId === now.through.runId) {
      if (now.through.seq <= before.through.seq)
        bad.push(`Z6 a summary of ${runId} is of ${now.through.seq}, behind ${before.through.seq}`)
    }
    if (now.sources.events === 0) bad.push(`Z6 a summary of ${runId} is of nothing`)
    before = now
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
