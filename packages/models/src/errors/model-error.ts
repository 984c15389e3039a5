import { limits, type ModelError, type ModelErrorClass } from '@signalbox/core'
import { cleanText, shortText } from '../text.ts'
import { classifyProviderError, isBurst, isRetryable } from './classify.ts'
import { namedWindow } from './named-window.ts'
import type { ProviderError } from '../provider-error.ts'
import { retryAfterMs } from './retry-after.ts'

/** Names of the header that identifies a request, in the order in which they are looked for. */
const requestIdHeaders = [
  'x-request-id',
  'request-id',
  'apim-request-id',
  'x-amzn-requestid',
  'x-goog-request-id',
]

/** Nobody waits longer, whatever was asked: a run that cannot go on for an hour has other means. Milliseconds. */
const retryAfterMsMax = 3_600_000

/** Where requests came too fast one after another, and the provider names no time. Milliseconds. */
const burstWaitMs = 5_000

interface Context {
  /** The error came after the answer had begun. */
  readonly inStream: boolean
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds since the epoch, to read an HTTP date against. */
  readonly now: number
}

/** What a provider said, classified, with the wait it asked for: never shortened, save to an hour. */
export function providerModelError(error: ProviderError, context: Context): ModelError {
  const errorClass = classifyProviderError(error)
  const wait = waitOf(error, context)
  const requestId = requestIdHeaders.map((name) => context.headers[name]).find(Boolean)
  const code = error.code ?? error.innerCode ?? error.type
  const window = errorClass === 'context_overflow' ? namedWindow(error) : undefined
  return {
    class: errorClass,
    retryable: isRetryable(errorClass, context.inStream),
    message: boundedMessage(error.message),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(error.status === undefined ? {} : { status: error.status }),
    ...(code === undefined ? {} : { code: shortText(code) }),
    ...(requestId === undefined ? {} : { requestId: shortText(requestId) }),
    ...(window === undefined ? {} : { window }),
  }
}

/** The longer wait where header and body name two. */
function waitOf(error: ProviderError, { headers, now }: Context): number | undefined {
  const waits = [retryAfterMs(headers, now), error.retryDelayMs].filter((it) => it !== undefined)
  if (waits.length === 0) return isBurst(error) ? burstWaitMs : undefined
  return Math.min(retryAfterMsMax, Math.max(...waits))
}

/** An error that no provider worded. */
export function plainModelError(
  errorClass: ModelErrorClass,
  code: string,
  message: string,
): ModelError {
  return {
    class: errorClass,
    retryable: isRetryable(errorClass, true),
    code,
    message: boundedMessage(message),
  }
}

function boundedMessage(message: string): string {
  // A quarter, because a character has up to four bytes.
  return cleanText(message.slice(0, limits.errorBytesMax / 4))
}
