/**
 * One attempt to deliver a webhook. Its outcome is a note, since the run may have ended; note and effect move in one append,
 * fenced by the attempt. Who vanishes between the delivery and the note has delivered what is delivered again: at least once,
 * under the same id.
 */
import { factSchemas, noteSchemas, upcast, type WebhookEffect } from '@signalbox/core'
import { messageOf } from '../errors.ts'
import type {
  AppendItem,
  Clock,
  Delivery,
  DeliveryAnswer,
  EffectRow,
  Log,
  Random,
  Register,
  StoredEvent,
  WebhookSender,
} from '../ports.ts'
import type { Writer } from '../record/draft.ts'
import type { Content } from './content.ts'
import type { Held } from './leases.ts'
import { retryDelay } from './retry-delay.ts'

export interface WebhookDeps {
  readonly register: Register
  readonly content: Content
  readonly sender: WebhookSender
  readonly writer: Writer
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** A delivery that this process has claimed. */
export interface WebhookTask {
  readonly row: EffectRow
  readonly effect: WebhookEffect
  readonly attempt: number
}

const failed = (code: string, final: boolean): DeliveryAnswer => ({
  code,
  status: null,
  retryAfterMs: null,
  final,
})

/** Delivers, and answers what to append. Rejects with the reason of an aborted signal. */
export async function performWebhook(
  deps: WebhookDeps,
  task: WebhookTask,
  held: Held,
): Promise<Pick<AppendItem, 'notes' | 'settle'>> {
  const began = deps.clock.monotonic()
  const answer = await attempt(deps, task, held)
  const { effectId } = task.row
  const durationMs = Math.round(deps.clock.monotonic() - began)
  const about = { effectId, attempt: task.attempt, durationMs }
  const settle = { effectId, attempt: task.attempt, expect: 'started', delayMs: 0 } as const
  if (!('final' in answer)) {
    const payload = { ...about, status: answer.status }
    const note = deps.writer.event('webhook.delivered', payload, { verdict: 'delivered' })
    return { notes: [note], settle: { ...settle, becomes: 'done' } }
  }
  const { code, status, retryAfterMs } = answer
  const chance = deps.random.unit()
  const n = answer.final ? Infinity : await attemptsInARow(deps, task)
  const retryMs = retryDelay(n, { askedMs: retryAfterMs, chance })
  const verdict = retryMs === null ? 'gave_up' : 'retried'
  const note = deps.writer.event('webhook.failed', { ...about, status, code, retryMs }, { verdict })
  if (retryMs === null) return { notes: [note], settle: { ...settle, becomes: 'done' } }
  return { notes: [note], settle: { ...settle, becomes: 'pending', delayMs: retryMs } }
}

async function attempt(deps: WebhookDeps, task: WebhookTask, held: Held): Promise<DeliveryAnswer> {
  const { row, effect } = task
  const to = await addressOf(deps, task)
  if (!to) return failed('address_gone', true)
  const { effectId: id, tenantId, runId } = row
  const { signal } = held
  await held.begin()
  try {
    return await deps.sender.deliver({ id, tenantId, runId, on: effect.on, to }, signal)
  } catch (error) {
    signal.throwIfAborted()
    deps.log.warn('a webhook could not be sent', { effectId: id, error: messageOf(error) })
    return failed('not_sent', false)
  }
}

/** Where to: null when the content of the thread, and the address with it, was erased. */
async function addressOf(
  { register, content }: WebhookDeps,
  { row, effect }: WebhookTask,
): Promise<Delivery['to'] | null> {
  const [first] = await register.events(row.runId, { limit: 1 })
  const webhook = webhooksIn(first)?.[effect.webhook]
  if (webhook?.endpoint !== undefined) return { endpoint: webhook.endpoint }
  const url = webhook?.key === undefined ? null : await content.read(row, webhook.key)
  return url === null ? null : { url }
}

/** Where a run is told of, as its first event says; undefined if that was erased. Throws a `NewerError` for a newer event. */
export function webhooksIn(first: StoredEvent | undefined) {
  const payload = first && upcast(first.type, first.version, first.payload)
  return factSchemas['run.created'].safeParse(payload).data?.webhooks
}

/** A delivery that was asked for once more has all its attempts again. */
async function attemptsInARow({ register }: WebhookDeps, task: WebhookTask): Promise<number> {
  if (task.attempt === 1) return 1
  const events = await register.events(task.row.runId, {})
  const replayed = events.findLast(
    ({ type, payload }) => type === 'webhook.replayed' && payload['effectId'] === task.row.effectId,
  )
  const before = noteSchemas['webhook.replayed'].safeParse(replayed?.payload).data?.attempt ?? 0
  return task.attempt - before
}
