/**
 * What a provider said went wrong, in one shape. The same error comes as an HTTP body, as an event in the stream, as a
 * bare string, nested in `error`, in an array (Gemini), or named by its key (Bedrock).
 */
import { fields, list, text, type Fields } from '../read.ts'

export interface ProviderError {
  readonly status?: number
  readonly code?: string
  readonly type?: string
  /** The more precise code of Azure. */
  readonly innerCode?: string
  readonly message: string
  /** Gemini says in the body how long to wait, in milliseconds. */
  readonly retryDelayMs?: number
}

/** Reads an error in any known shape. `name` is what the shape itself does not say, such as a Bedrock event's key. */
export function readProviderError(value: unknown, name?: string): ProviderError {
  if (typeof value === 'string') return { message: value, ...(name ? { code: name } : {}) }
  const outer = fields(value) ?? fields(list(value)[0]) ?? {}
  const inner = fields(outer['error']) ?? outer
  const nestedText = typeof outer['error'] === 'string' ? outer['error'] : undefined
  const code = text(inner['code']) ?? name
  // `error` is the name of the event itself, where code and message stand beside it.
  const type =
    inner['type'] === 'error' ? undefined : (text(inner['type']) ?? text(inner['status']))
  const innerCode = text(fields(inner['innererror'])?.['code'])
  const retryDelayMs = retryDelay(inner)
  const status = statusOf(inner)
  return {
    message: text(inner['message']) ?? text(inner['msg']) ?? nestedText ?? 'no message',
    ...(code === undefined ? {} : { code }),
    ...(type === undefined ? {} : { type }),
    ...(innerCode === undefined ? {} : { innerCode }),
    ...(status === undefined ? {} : { status }),
    ...(retryDelayMs === undefined ? {} : { retryDelayMs }),
  }
}

/** A code that is an HTTP status: Gemini, OpenRouter and others put it there. */
function statusOf(error: Fields): number | undefined {
  const code = error['statusCode'] ?? error['code']
  return typeof code === 'number' && code >= 400 && code < 600 ? code : undefined
}

/** `google.rpc.RetryInfo`: `{"retryDelay": "34.4s"}`. */
function retryDelay(error: Fields): number | undefined {
  for (const detail of list(error['details'])) {
    const match = /^(\d+(?:\.\d+)?)s$/.exec(text(fields(detail)?.['retryDelay']) ?? '')
    if (match) return Math.ceil(Number(match[1]) * 1000)
  }
  return undefined
}
