/**
 * What a provider said went wrong, in one shape. The same error comes as an HTTP body, as an event in the stream, as a
 * bare string, nested in `error`, in an array (Gemini), or named by its key (Bedrock).
 */
import { fields, list, text, type Fields } from './read.ts'

export interface ProviderError {
  readonly status?: number
  readonly code?: string
  readonly type?: string
  /** The more precise code of Azure. */
  readonly innerCode?: string
  /** Why a moderation stopped the request, as OpenRouter lists it. */
  readonly reasons?: string
  readonly message: string
  /** Gemini says in the body how long to wait, in milliseconds. */
  readonly retryDelayMs?: number
  /** Gemini names the quota that is used up. */
  readonly quota?: string
  /** Servers of llama.cpp say how many tokens fit in a field of its own. */
  readonly window?: number
  /** What the model wrote and the provider could not use (Groq). Arguments, so it must not be kept (I23). */
  readonly generation?: string
}

/** Reads an error in any known shape. `name` is what the shape itself does not say, such as a Bedrock event's key. */
export function readProviderError(value: unknown, name?: string): ProviderError {
  if (typeof value === 'string') return { message: value, ...(name ? { code: name } : {}) }
  const outer = fields(value) ?? fields(list(value)[0]) ?? {}
  const inner = fields(outer['error']) ?? outer
  const nestedText = typeof outer['error'] === 'string' ? outer['error'] : undefined
  const details = list(inner['details']).map((detail) => fields(detail) ?? {})
  const reasons = list(fields(inner['metadata'])?.['reasons']).flatMap((it) => text(it) ?? [])
  const read = {
    code: text(inner['code']) ?? name,
    // `error` is the name of the event itself, where code and message stand beside it.
    type: inner['type'] === 'error' ? undefined : (text(inner['type']) ?? text(inner['status'])),
    innerCode: text(fields(inner['innererror'])?.['code']),
    reasons: reasons.length > 0 ? reasons.join(', ') : undefined,
    status: statusOf(inner),
    retryDelayMs: retryDelay(details),
    quota: quotaOf(details),
    window: typeof inner['n_ctx'] === 'number' ? inner['n_ctx'] : undefined,
    generation: text(inner['failed_generation']),
  }
  const message = [inner['message'], inner['msg'], inner['Message'], nestedText, inner['detail']]
  return {
    message: message.map(text).find((it) => it !== undefined) ?? 'no message',
    ...present(read),
  }
}

/** The fields that have a value. */
function present<T extends object>(value: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const out: { [K in keyof T]?: NonNullable<T[K]> } = {}
  for (const key in value) {
    const item = value[key]
    if (item !== undefined && item !== null) out[key] = item
  }
  return out
}

/** A code that is an HTTP status: Gemini, OpenRouter, GLM and others put it there. */
function statusOf(error: Fields): number | undefined {
  const code = error['statusCode'] ?? error['originalStatusCode'] ?? error['code']
  const status = typeof code === 'string' && /^[45]\d\d$/.test(code) ? Number(code) : code
  return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined
}

/** `google.rpc.RetryInfo`: `{"retryDelay": "34.4s"}`, or seconds and nanoseconds. */
function retryDelay(details: readonly Fields[]): number | undefined {
  for (const detail of details) {
    const delay = detail['retryDelay']
    const match = /^(\d+(?:\.\d+)?)s$/.exec(text(delay) ?? '')
    if (match) return Math.ceil(Number(match[1]) * 1000)
    const parts = fields(delay)
    const seconds = Number(text(parts?.['seconds']) ?? Number.NaN)
    const nanos = Number(text(parts?.['nanos']) ?? 0)
    if (Number.isFinite(seconds + nanos)) return Math.ceil(seconds * 1000 + nanos / 1e6)
  }
  return undefined
}

/** `google.rpc.QuotaFailure`. */
function quotaOf(details: readonly Fields[]): string | undefined {
  const violations = details.flatMap((detail) => list(detail['violations']))
  return violations.map((it) => text(fields(it)?.['quotaId'])).find((it) => it !== undefined)
}
