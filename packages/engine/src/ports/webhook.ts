/** Telling others of runs: which addresses there are, and one attempt to reach one. */
import type { Webhook, WebhookMoment } from '@signalbox/core'

/** A message to be told, and to whom. */
export interface Delivery {
  /** Of the effect: the same on every attempt, so that who is told twice can know it. */
  readonly id: string
  readonly tenantId: string
  readonly runId: string
  readonly on: WebhookMoment
  /** The address, or its name in the configuration. */
  readonly to: { readonly url: string } | { readonly endpoint: string }
  /** The trace that the delivery belongs to, as W3C writes it. Absent: nothing is traced. */
  readonly traceparent?: string
}

/** The outcome of one attempt. */
export type DeliveryAnswer =
  | { readonly code: 'delivered'; readonly status: number }
  | {
      /** One word on what went wrong. */
      readonly code: string
      /** Null if nobody answered. */
      readonly status: number | null
      /** The wait that the answer asked for, if it did. */
      readonly retryAfterMs: number | null
      /** Another attempt would come to the same. */
      readonly final: boolean
    }

/** Reaches the addresses. Nothing here decides: how often, and when, is the engine's. */
export interface WebhookSender {
  /** The addresses of the configuration that want to hear of the runs of an agent. At most one less than `limits.webhooksMax`. */
  endpoints(agent: string): readonly Webhook[]
  /** Tells once. In bounded time, and never rejects but with the reason of an aborted signal. */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<DeliveryAnswer>
}
