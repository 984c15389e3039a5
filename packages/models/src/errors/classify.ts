/**
 * The class of an error, by what to do about it. In this order: safety, quota, auth, burst, the other classes by code
 * and words, the HTTP status, words that say "busy" in several languages, and what the kind of status alone tells. Codes
 * and words come before the status, because a 429 may be an empty account, a 400 a filter or a prompt that is too long.
 */
import type { ModelErrorClass } from '@signalbox/core'
import { isSafetyError } from '../detectors/detectors.ts'
import type { ProviderError } from '../provider-error.ts'
import { busyWords, type Rule, rules, statusClasses } from './rules.ts'

/** The words that tell stand at the beginning of a message; what follows may be a quotation of any length. */
const messageCharsMax = 4096

/** The class of what a provider said. Safety is recognised whatever detectors are configured: it is never retried. */
export function classifyProviderError(error: ProviderError): ModelErrorClass {
  if (isSafetyError(error)) return 'safety'
  const codes = codesOf(error)
  const message = error.message.slice(0, messageCharsMax)
  const rule = rules.find((it) => fits(it, error, { codes, message }))
  if (rule) return rule.class
  const byStatus = error.status === undefined ? undefined : statusClasses.get(error.status)
  if (byStatus) return byStatus
  if (busyWords.some((words) => words.test(message))) return 'overloaded'
  if (codes.some((code) => invalidCodes.includes(code))) return 'invalid_request'
  if (error.status !== undefined && error.status >= 500) return 'overloaded'
  if (error.status !== undefined && error.status >= 400) return 'invalid_request'
  return 'unknown'
}

/** What a client did wrong, as far as a code tells. Last, because it is also said of an account or a busy server. */
const invalidCodes: readonly string[] = [
  'invalid_request_error',
  'invalid_argument',
  'validationexception',
  'model_not_found',
  'not_found_error',
]

/** Did requests come too fast one after another? The provider names no time to wait then. */
export function isBurst(error: ProviderError): boolean {
  return codesOf(error).some((code) => burstCodes.includes(code))
}

const burstCodes: readonly string[] = ['limit_burst_rate', 'throttling.burstrate']

function codesOf({ code, type, innerCode }: ProviderError): readonly string[] {
  return [code, type, innerCode].flatMap((it) => (it === undefined ? [] : [it.toLowerCase()]))
}

function fits(
  { codes, words, statuses, unless }: Rule,
  error: ProviderError,
  said: { readonly codes: readonly string[]; readonly message: string },
): boolean {
  if (unless?.(error)) return false
  return (
    said.codes.some((code) => codes?.includes(code)) ||
    words?.some((it) => it.test(said.message)) === true ||
    (error.status !== undefined && statuses?.includes(error.status) === true)
  )
}

/** The class of a finish reason that means failure, undefined for every other reason. */
export function classifyFailedReason(reason: string): ModelErrorClass | undefined {
  switch (reason.toLowerCase()) {
    case 'insufficient_system_resource':
      return 'overloaded'
    case 'network_error':
      return 'network'
    case 'malformed_function_call':
    case 'malformed_tool_use':
      return 'tool_use_failed'
    case 'error':
    case 'failed':
      return 'unknown'
    default:
      return undefined
  }
}

/** May the same call be made again? `unknown` only if it broke in the stream: nothing was executed, so it is safe. */
export function isRetryable(errorClass: ModelErrorClass, inStream: boolean): boolean {
  switch (errorClass) {
    case 'rate_limit':
    case 'overloaded':
    case 'network':
    case 'tool_use_failed':
    // Never of a provider: the engine says it, and asks later.
    case 'circuit_open':
      return true
    case 'unknown':
      return inStream
    case 'quota':
    case 'context_overflow':
    case 'safety':
    case 'invalid_request':
    case 'auth':
      return false
  }
}
