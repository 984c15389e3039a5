/**
 * Telling others of a run: an effect per webhook that wants to hear of where the run has come to.
 *
 * W1 Of the end it is told once, by the decision that ends the run; of waiting, each time the run begins to wait.
 * W2 It outlives the run, as a title does: an end or a cancel takes none of it back.
 */
import { type Effect, outlivesRun, type WebhookEffect } from '../effect.ts'
import { type RunState, isFinal } from '../state.ts'
import { wants, type WebhookMoment } from '../webhook.ts'
import { isWaiting } from './clock.ts'
import { effectId, type RunContext } from './context.ts'

const waits = ({ name, context }: RunState): boolean => isWaiting(name, context)

/** The moment of a step that is told to webhooks; null if there is none. */
function momentOf(before: RunState, after: RunState): WebhookMoment | null {
  if (isFinal(after)) return after.context.ending ?? 'completed'
  return waits(after) && !waits(before) ? 'waiting' : null
}

/** The webhooks to deliver after a step, and the context that has counted them. */
export function tell(
  before: RunState,
  after: RunState,
): { readonly context: RunContext; readonly effects: readonly WebhookEffect[] } {
  const { context } = after
  const moment = context.webhooks.length > 0 ? momentOf(before, after) : null
  if (moment === null) return { context, effects: [] }
  const listeners = context.webhooks.flatMap((bits, n) => (wants(bits, moment) ? [n] : []))
  const effects = listeners.map((webhook, n): WebhookEffect => ({
    kind: 'webhook.deliver',
    id: effectId(context.run, context.effects + 1 + n),
    mode: 'idempotent',
    queue: 'webhook',
    delayMs: 0,
    webhook,
    on: moment,
  }))
  return { context: { ...context, effects: context.effects + effects.length }, effects }
}

/** Does this work go on when the run has ended? That it waited is told no more by the decision that ends it. */
export const outlives = (effect: Effect): boolean =>
  outlivesRun(effect.kind) && !(effect.kind === 'webhook.deliver' && effect.on === 'waiting')
