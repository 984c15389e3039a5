/** The delivery log of a run, folded from its events: what was to be told, and what became of each attempt. */
import { z } from '@hono/zod-openapi'
import {
  decisionSchemas,
  type Effect,
  factSchemas,
  noteSchemas,
  type Webhook,
  WebhookMoment,
} from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { iso } from './iso.ts'

const Attempt = z.object({
  attempt: z.number().int(),
  started_at: z.string(),
  /** `open`: under way, or nobody knows: who made it vanished. */
  result: z.enum(['open', 'delivered', 'failed']),
  /** Of the answer; null if there was none. */
  status: z.number().int().nullable(),
  /** Why it failed. */
  code: z.string().nullable(),
  duration_ms: z.number().int().nullable(),
  /** Not before; null if it was the last. */
  next_attempt_at: z.string().nullable(),
})

export const WebhookDelivery = z
  .object({
    /** What the receiver sees as `webhook-id`, on every attempt. */
    delivery_id: z.string(),
    on: WebhookMoment,
    /** Scheme, host and port. The address itself is shown nowhere. */
    origin: z.string(),
    /** Its name in the configuration; null for the run's own. */
    endpoint: z.string().nullable(),
    requested_at: z.string(),
    status: z.enum(['pending', 'delivered', 'gave_up']),
    /** How often it was asked for once more. */
    replays: z.number().int(),
    attempts: z.array(Attempt),
  })
  .openapi('WebhookDelivery')
export type WebhookDelivery = z.infer<typeof WebhookDelivery>

/** Types of events the log is folded from. */
const read = [
  'run.created',
  'run.transitioned',
  'effect.started',
  'webhook.delivered',
  'webhook.failed',
  'webhook.replayed',
] as const
type Read = (typeof read)[number]
const isRead = (type: string): type is Read => read.some((each) => each === type)

/** The deliveries of a run, in the order in which they were asked for. */
export function webhookDeliveries(events: Iterable<StoredEvent>): readonly WebhookDelivery[] {
  const log = new DeliveryLog()
  // Erased events say nothing.
  for (const event of events)
    if (event.salt !== '' && isRead(event.type)) log.take(event, event.type)
  return [...log.deliveries.values()]
}

class DeliveryLog {
  readonly deliveries = new Map<string, WebhookDelivery>()
  #webhooks: readonly Webhook[] = []

  take({ at, payload }: StoredEvent, type: Read): void {
    switch (type) {
      case 'run.created':
        this.#webhooks = factSchemas[type].parse(payload).webhooks ?? []
        return
      case 'run.transitioned':
        for (const effect of decisionSchemas[type].parse(payload).effects) this.#ask(effect, at)
        return
      case 'effect.started': {
        const { effectId, attempt } = noteSchemas[type].parse(payload)
        return this.#begin(effectId, attempt, at)
      }
      case 'webhook.delivered':
        return this.#end(noteSchemas[type].parse(payload))
      case 'webhook.failed':
        return this.#end(noteSchemas[type].parse(payload), at)
      case 'webhook.replayed':
        return this.#again(noteSchemas[type].parse(payload).effectId)
    }
  }

  #ask(effect: Effect, at: number): void {
    if (effect.kind !== 'webhook.deliver') return
    const webhook = this.#webhooks[effect.webhook]
    this.deliveries.set(effect.id, {
      delivery_id: effect.id,
      on: effect.on,
      origin: webhook?.origin ?? '',
      endpoint: webhook?.endpoint ?? null,
      requested_at: iso(at),
      status: 'pending',
      replays: 0,
      attempts: [],
    })
  }

  #begin(id: string, attempt: number, at: number): void {
    const open = { result: 'open', status: null, code: null, duration_ms: null } as const
    this.deliveries
      .get(id)
      ?.attempts.push({ attempt, started_at: iso(at), ...open, next_attempt_at: null })
  }

  #end(note: Ended, at = 0): void {
    const delivery = this.deliveries.get(note.effectId)
    const { code = null, retryMs = null } = note
    const index = delivery?.attempts.findIndex(({ attempt }) => attempt === note.attempt) ?? -1
    const attempt = delivery?.attempts[index]
    if (!delivery || !attempt) return
    const failed = code !== null
    delivery.attempts[index] = {
      ...attempt,
      result: failed ? 'failed' : 'delivered',
      status: note.status,
      code,
      duration_ms: note.durationMs,
      next_attempt_at: retryMs === null ? null : iso(at + retryMs),
    }
    delivery.status = failed ? (retryMs === null ? 'gave_up' : 'pending') : 'delivered'
  }

  #again(id: string): void {
    const delivery = this.deliveries.get(id)
    if (!delivery) return
    delivery.status = 'pending'
    delivery.replays += 1
  }
}

interface Ended {
  readonly effectId: string
  readonly attempt: number
  readonly durationMs: number
  readonly status: number | null
  readonly code?: string
  readonly retryMs?: number | null
}
