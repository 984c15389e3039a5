/**
 * The rules that titles keep: each effect that makes one comes to one note, of the attempt under way, and no model names a run that ended otherwise
 * than completed.
 */
import { factSchemas } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { type EffectRecord, isAbout, isEnd, type RunRecord } from './run-record.ts'

const noted = new Set(['thread.titled', 'title.unchanged'])
/** Ends of which nothing is told. */
const untold: readonly unknown[] = ['safety_stopped', 'refused', 'guardrail_stopped']

/** Of one run, when everything has settled. N3: a title was never made. */
export function titleViolations(run: RunRecord): readonly string[] {
  const titles = run.effects.filter(({ spec }) => spec.kind === 'title.make')
  return [
    ...(titles.length > 1 ? [`N2 ${run.head.runId} asks for ${titles.length} titles`] : []),
    ...titles.flatMap((effect) => [
      ...askedViolations(run, effect),
      ...noteViolations(effect, run.log),
    ]),
    ...strayViolations(run, titles),
  ]
}

/** A model is asked after a run that completed; of others nothing is told, or nothing is asked. */
function askedViolations({ head, log, agent }: RunRecord, { effectId, spec }: EffectRecord) {
  if (spec.kind !== 'title.make') return []
  const outcome = log.find(isEnd)?.verdict
  const created = factSchemas['run.created'].safeParse(log[0]?.payload).data
  const fits = spec.make === 'untitled' ? untold.includes(outcome) : outcome === 'completed'
  return [
    ...(fits
      ? []
      : [`N1 ${effectId} makes a title by ${spec.make} of a run that ended ${outcome}`]),
    ...(created?.title === undefined
      ? [`N1 ${effectId} makes a title that was not to be made`]
      : []),
    ...(agent?.title === undefined
      ? [`N1 ${head.runId} gives a title, and its agent gives none`]
      : []),
  ]
}

function noteViolations({ effectId, status, attempt }: EffectRecord, log: readonly StoredEvent[]) {
  const notes = log.filter((event) => noted.has(event.type) && isAbout(event, effectId))
  const of = notes.map(({ payload }) => payload['attempt'])
  if (status === 'done' && of.length === 1 && of[0] === attempt) return []
  const code = status !== 'done' && of.length === 0 ? 'N3' : 'N2'
  return [
    `${code} ${effectId} is ${status} after ${attempt} attempts, with notes of ${JSON.stringify(of)}`,
  ]
}

/** A model that was not asked names nothing. */
function strayViolations({ head, log }: RunRecord, titles: readonly EffectRecord[]) {
  const known = new Set(titles.map(({ effectId }) => effectId))
  return log
    .filter(({ type, verdict }) => type === 'thread.titled' && verdict === 'model')
    .filter(({ payload: { effectId } }) => typeof effectId !== 'string' || !known.has(effectId))
    .map(({ seq }) => `N2 ${head.runId} says at ${seq} what no effect has made`)
}
