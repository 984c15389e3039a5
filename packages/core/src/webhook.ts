/**
 * Webhooks of a run: who is told, and of what. They stand in `run.created`, where they were pinned; the decider only counts
 * them out, and an adapter says what is sent.
 */
import { z } from 'zod'
import { limits } from './limits.ts'
import { Outcome } from './outcome.ts'

/** What one may be told of: that the run waits for a human, or how it ended. */
export const WebhookMoment = z.enum(['waiting', ...Outcome.options])

/**
 * One address of a run. The address itself is never in an event, since addresses hold tokens (I20): it stands in the
 * configuration, under `endpoint`, or among the content of the thread, under `key`.
 */
export const Webhook = z.object({
  /** What it is told of. */
  on: z.array(WebhookMoment).min(1),
  /** Scheme, host and port: for who reads the log. */
  origin: z.string().max(limits.webhookUrlCharsMax),
  /** Its name in the configuration. */
  endpoint: z.string().max(limits.idCharsMax).optional(),
  /** Names the text of the address among the content of the thread. */
  key: z.string().max(limits.idCharsMax).optional(),
})

export type WebhookMoment = z.infer<typeof WebhookMoment>
export type Webhook = z.infer<typeof Webhook>

/** What each webhook of a run wants to be told, a number each: one bit per moment, the first is `waiting`. */
export type Wanted = readonly number[]

/** In the order of their bits. States that are cached hold them: more may follow, none may move. */
const moments: readonly WebhookMoment[] = WebhookMoment.options

/** The moments of some webhooks, as numbers. */
export const wantedBy = (webhooks: readonly Pick<Webhook, 'on'>[]): Wanted =>
  webhooks.map(({ on }) =>
    moments.reduce((bits, moment, n) => bits + (on.includes(moment) ? 2 ** n : 0), 0),
  )

/** Does a webhook want to be told of this moment? */
export const wants = (bits: number, moment: WebhookMoment): boolean =>
  Math.floor(bits / 2 ** moments.indexOf(moment)) % 2 === 1
