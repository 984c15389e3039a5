/** Tells one address of one run: the body as it is now, signed, sent under the guard. */
import { limits } from '@signalbox/core'
import type { Delivery, DeliveryAnswer, Log, WebhookSender } from '@signalbox/engine'
import { webhookBody, type WebhookReads } from '../wires/langgraph/webhook.ts'
import { AddressRefused, type Lookup, post, type Posted } from './post.ts'
import { webhookRefusal } from './refusal.ts'
import type { WebhookSettings } from './settings.ts'
import { signatureHeaders } from './sign.ts'

/** What one attempt may take, from the connection to the status. */
const sendMsMax = 10_000

export interface SenderDeps {
  readonly settings: WebhookSettings
  readonly read: WebhookReads
  readonly now: () => number
  readonly log: Pick<Log, 'warn'>
  readonly version: string
  /** Default: the system's. */
  readonly lookup?: Lookup
}

/** The sender of a process. */
export function createWebhookSender(deps: SenderDeps): WebhookSender {
  const { settings } = deps
  return {
    endpoints: (agent) =>
      [...settings.endpoints.values()]
        .filter(({ agents }) => agents === null || agents.includes(agent))
        .map(({ name, url, on }) => ({ on: [...on], origin: url.origin, endpoint: name })),
    deliver: (delivery, signal) => deliver(deps, delivery, signal),
  }
}

const failed = (code: string, over: Partial<Failure> = {}): Failure => ({
  code,
  status: null,
  retryAfterMs: null,
  final: false,
  ...over,
})
type Failure = Extract<DeliveryAnswer, { readonly final: boolean }>

async function deliver(
  deps: SenderDeps,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<DeliveryAnswer> {
  const to = targetOf(deps.settings, delivery.to)
  if (!to) return failed('unknown_endpoint')
  if (to.secrets.length === 0) return failed('no_secret')
  // What the configuration opens may have changed since the run was created.
  if (webhookRefusal(to.url, deps.settings.reach) !== null)
    return failed('address_refused', { final: true })
  const at = new Date(deps.now())
  const body = await bodyOf(deps, delivery, at)
  if (body === null) return failed('run_gone', { final: true })
  const headers = {
    ...signatureHeaders(to.secrets, { id: delivery.id, at, body }),
    'content-type': 'application/json',
    'user-agent': `Signalbox/${deps.version}`,
    ...(delivery.traceparent === undefined ? {} : { traceparent: delivery.traceparent }),
  }
  const { reach } = deps.settings
  const timeout = AbortSignal.timeout(sendMsMax)
  try {
    const posted = await post({
      url: to.url,
      headers,
      body: Buffer.from(body),
      reach,
      signal: AbortSignal.any([signal, timeout]),
      ...(deps.lookup && { lookup: deps.lookup }),
    })
    return answerOf(posted, deps.now())
  } catch (error) {
    signal.throwIfAborted()
    if (timeout.aborted) return failed('timeout')
    if (error instanceof AddressRefused) return failed('address_refused', { final: true })
    return failed(codeOf(error))
  }
}

/** The address, and what signs for it. */
function targetOf(
  { endpoints, secrets }: WebhookSettings,
  to: Delivery['to'],
): { readonly url: URL; readonly secrets: readonly string[] } | null {
  if ('endpoint' in to) return endpoints.get(to.endpoint) ?? null
  const url = URL.parse(to.url)
  return url && { url, secrets }
}

/** Null if the run is not there. A body that is too large goes without what was said. */
async function bodyOf(deps: SenderDeps, delivery: Delivery, at: Date): Promise<string | null> {
  const whole = await webhookBody(deps.read, delivery, at)
  if (!whole) return null
  const text = JSON.stringify(whole)
  if (Buffer.byteLength(text) <= limits.webhookBytesMax) return text
  return JSON.stringify({ ...whole, values: null, values_omitted: true })
}

function answerOf({ status, retryAfter }: Posted, now: number): DeliveryAnswer {
  if (status >= 200 && status < 300) return { code: 'delivered', status }
  // Gone for good, says who answers: Standard Webhooks asks to send nothing more there.
  if (status === 410) return failed('gone', { status, final: true })
  const code = status < 400 ? 'redirected' : status < 500 ? 'rejected' : 'server_error'
  return failed(code, { status, retryAfterMs: waitOf(retryAfter, now) })
}

/** Seconds, or a date of HTTP. */
function waitOf(header: string | undefined, now: number): number | null {
  if (header === undefined) return null
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header) * 1000
  const until = /[a-z]{3}/i.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(until) ? null : Math.max(0, until - now)
}

/** The code of the system or of TLS, never its words: they hold the address. */
function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? code : 'unreachable'
}
