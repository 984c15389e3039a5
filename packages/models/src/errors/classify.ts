/**
 * The class of an error, by what to do about it. Codes and words first, the HTTP status last: a 429 may be an empty
 * account, a 400 may be a filter or a prompt that is too long.
 */
import type { ModelErrorClass } from '@signalbox/core'
import type { ProviderError } from './provider-error.ts'
import { isSafetyError } from '../observer/detectors.ts'

interface Rule {
  readonly class: ModelErrorClass
  /** Codes, types and Bedrock exception names, lower case, exact. */
  readonly codes?: readonly string[]
  readonly message?: RegExp
  readonly statuses?: readonly number[]
}

/** The first rule that fits wins. Numbers with four digits are codes of GLM. */
const rules: readonly Rule[] = [
  {
    class: 'context_overflow',
    codes: ['context_length_exceeded', 'too_many_tokens', '1261'],
    message:
      /prompt is too long|input token count.*exceeds|maximum context length|exceeds the context window|input tokens exceeded|too many tokens in (the )?prompt/i,
  },
  {
    class: 'quota',
    codes: ['insufficient_quota', 'billing_hard_limit_reached', 'billing_error', '1113'],
    message:
      /insufficient (balance|quota|credits)|credit balance is too low|exceeded your current quota, please check/i,
    statuses: [402],
  },
  {
    class: 'tool_use_failed',
    codes: ['tool_use_failed'],
  },
  {
    class: 'auth',
    codes: [
      'invalid_api_key',
      'authentication_error',
      'permission_error',
      'unauthenticated',
      'permission_denied',
      'unrecognizedclientexception',
      'accessdeniedexception',
      'expiredtokenexception',
      '1000',
      '1001',
      '1002',
      '1003',
      '1004',
    ],
  },
  {
    class: 'rate_limit',
    codes: [
      'rate_limit_exceeded',
      'rate_limit_error',
      'resource_exhausted',
      'throttlingexception',
      'too_many_requests',
      '1302',
      '1303',
    ],
  },
  {
    class: 'overloaded',
    codes: [
      'overloaded_error',
      'api_error',
      'server_error',
      'internal_server_error',
      'internal',
      'unavailable',
      'insufficient_system_resource',
      'internalserverexception',
      'serviceunavailableexception',
      'modelstreamerrorexception',
      'modelnotreadyexception',
      '1305',
    ],
  },
  {
    class: 'invalid_request',
    codes: ['invalid_request_error', 'invalid_argument', 'validationexception', 'model_not_found'],
  },
  { class: 'auth', statuses: [401, 403] },
  { class: 'rate_limit', statuses: [429] },
  { class: 'network', statuses: [408] },
  { class: 'overloaded', statuses: [409, 500, 502, 503, 504, 529] },
]

/** The class of what a provider said. Safety is recognised whatever detectors are configured: it is never retried. */
export function classifyProviderError(error: ProviderError): ModelErrorClass {
  if (isSafetyError(error)) return 'safety'
  const codes = [error.code, error.type, error.innerCode].map((code) => code?.toLowerCase())
  for (const rule of rules) {
    if (rule.codes?.some((code) => codes.includes(code))) return rule.class
    if (rule.message?.test(error.message)) return rule.class
    if (error.status !== undefined && rule.statuses?.includes(error.status)) return rule.class
  }
  if (error.status !== undefined && error.status >= 500) return 'overloaded'
  if (error.status !== undefined && error.status >= 400) return 'invalid_request'
  return 'unknown'
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
