/**
 * What must hold of who is told of a run: of its end once for each who wants to hear of it, under one id whatever fails, and
 * by one attempt at a time.
 */
import { factSchemas } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { type EffectRecord, isAbout, isEnd, type RunRecord } from './run-record.ts'

/** `received`: the ids under which receivers were told, once for each time; of this run, or more. */
export function webhookViolations(run: RunRecord, received: readonly string[]): readonly string[] {
  const deliveries = run.effects.filter(({ spec }) => spec.kind === 'webhook.deliver')
  return [
    ...askedViolations(run, deliveries),
    ...deliveries.flatMap((effect) => {
      const log = run.log.filter((event) => isAbout(event, effect.effectId))
      const times = received.filter((id) => id === effect.effectId).length
      return [
        ...attemptViolations(effect, log),
        ...noteViolations(effect, log),
        ...toldViolations(effect, log, times),
      ]
    }),
  ]
}

/** Each webhook that wants to hear of the end is told of it by one effect, and by none of another end. */
function askedViolations({ head, log }: RunRecord, deliveries: readonly EffectRecord[]) {
  const created = log[0] && factSchemas['run.created'].parse(log[0].payload)
  const outcome = log.find(isEnd)?.verdict
  if (!outcome) return []
  return (created?.webhooks ?? []).flatMap(({ on }, n) => {
    const told = deliveries.flatMap(({ spec }) =>
      spec.kind === 'webhook.deliver' && spec.webhook === n && spec.on !== 'waiting'
        ? [spec.on]
        : [],
    )
    const wanted = on.some((moment) => moment === outcome) ? outcome : ''
    return told.join() === wanted
      ? []
      : [`W1 ${head.runId} ended ${outcome}, and its webhook ${n} is told of ${told.join()}`]
  })
}

/** Attempts are counted from 1, and there is at least one of them. */
function attemptViolations({ effectId, attempt }: EffectRecord, log: readonly StoredEvent[]) {
  const starts = log.filter(({ type }) => type === 'effect.started')
  if (attempt === 0) return [`W1 nobody was told by ${effectId}`]
  const counted = starts.every(({ payload }, n) => payload['attempt'] === n + 1)
  return counted && starts.length === attempt
    ? []
    : [`W1 ${effectId} has had ${attempt} attempts, and says so of ${starts.length}`]
}

const outcomes = new Set(['webhook.delivered', 'webhook.failed'])

/** Only the attempt under way says what became of it, once; after the last one there is no other, unless one is asked for. */
function noteViolations({ effectId, status }: EffectRecord, log: readonly StoredEvent[]) {
  const bad: string[] = []
  let open: unknown = null
  let over = false
  for (const { type, payload, verdict, seq } of log) {
    if (type === 'effect.started') {
      if (over) bad.push(`W1 ${effectId} was started again at ${seq}, after it was over`)
      open = payload['attempt']
    }
    if (type === 'webhook.replayed') over = false
    if (!outcomes.has(type)) continue
    if (payload['attempt'] !== open)
      bad.push(`W1 ${effectId} speaks at ${seq} of an attempt that is not under way`)
    open = null
    over = verdict !== 'retried'
  }
  if ((status === 'done') !== over) bad.push(`W1 ${effectId} is ${status}, and its log says no`)
  return bad
}

/** Whoever is said to have been told was, and nobody more often than was tried. */
function toldViolations(
  { effectId, attempt }: EffectRecord,
  log: readonly StoredEvent[],
  n: number,
) {
  if (n > attempt) return [`W1 ${effectId} told ${n}x in ${attempt} attempts`]
  const delivered = log.some(({ type }) => type === 'webhook.delivered')
  return delivered && n === 0 ? [`W1 ${effectId} says that it was told, and nobody heard`] : []
}
