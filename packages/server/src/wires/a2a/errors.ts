/**
 * Refusals in the words of A2A: `google.rpc.Status` on the REST binding, an error object on JSON-RPC. Both carry the same
 * `ErrorInfo`: a reason that A2A knows, or a code of ours under our own domain.
 */
import { Problem } from '../../http/problem.ts'
import { type ProblemCode, problemKinds } from '../../http/problem-codes.ts'

interface Kind {
  readonly rpc: number
  readonly http: number
  readonly status: string
}

const kinds = {
  PARSE_ERROR: { rpc: -32700, http: 400, status: 'INVALID_ARGUMENT' },
  TASK_NOT_FOUND: { rpc: -32001, http: 404, status: 'NOT_FOUND' },
  TASK_NOT_CANCELABLE: { rpc: -32002, http: 400, status: 'FAILED_PRECONDITION' },
  PUSH_NOTIFICATION_NOT_SUPPORTED: { rpc: -32003, http: 400, status: 'FAILED_PRECONDITION' },
  UNSUPPORTED_OPERATION: { rpc: -32004, http: 400, status: 'FAILED_PRECONDITION' },
  EXTENDED_CARD_NOT_CONFIGURED: { rpc: -32007, http: 400, status: 'FAILED_PRECONDITION' },
  CONTENT_TYPE_NOT_SUPPORTED: { rpc: -32005, http: 400, status: 'INVALID_ARGUMENT' },
  VERSION_NOT_SUPPORTED: { rpc: -32009, http: 400, status: 'FAILED_PRECONDITION' },
  INVALID_PARAMS: { rpc: -32602, http: 400, status: 'INVALID_ARGUMENT' },
  INVALID_REQUEST: { rpc: -32600, http: 400, status: 'INVALID_ARGUMENT' },
  METHOD_NOT_FOUND: { rpc: -32601, http: 404, status: 'UNIMPLEMENTED' },
} as const satisfies Readonly<Record<string, Kind>>

/** Reasons that A2A has a word for. */
export type Reason = keyof typeof kinds

/** A refusal. Thrown by handlers, caught once by each binding. */
export class A2aError extends Error {
  override readonly name = 'A2aError'
  readonly reason: Reason
  /** Path of the field that is meant, if one is. */
  readonly field: string | undefined

  constructor(reason: Reason, message: string, field?: string) {
    super(message)
    this.reason = reason
    this.field = field
  }
}

const reasons: Readonly<Partial<Record<ProblemCode, Reason>>> = {
  malformed_json: 'PARSE_ERROR',
  malformed_encoding: 'PARSE_ERROR',
  json_too_deep: 'INVALID_REQUEST',
  ambiguous_json: 'INVALID_REQUEST',
  forbidden_key: 'INVALID_REQUEST',
  forbidden_text: 'INVALID_REQUEST',
  unknown_run: 'TASK_NOT_FOUND',
  unknown_thread: 'TASK_NOT_FOUND',
  run_ended: 'UNSUPPORTED_OPERATION',
  invalid_request: 'INVALID_PARAMS',
  invalid_arguments: 'INVALID_PARAMS',
  edit_denied: 'INVALID_PARAMS',
  invalid_header: 'INVALID_PARAMS',
  not_available: 'UNSUPPORTED_OPERATION',
}

/** For what A2A has no word: names of `google.rpc.Code` by HTTP status. */
const names = new Map<number, string>([
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [409, 'ABORTED'],
  [410, 'FAILED_PRECONDITION'],
  [429, 'RESOURCE_EXHAUSTED'],
  [503, 'UNAVAILABLE'],
])

export interface Refusal {
  readonly http: number
  readonly rpc: number
  readonly status: string
  readonly message: string
  readonly info: object
  readonly headers: Readonly<Record<string, string>>
}

/** What is said of an error that a handler threw; null for one that is none of ours. */
export function refusalOf(error: unknown): Refusal | null {
  if (error instanceof A2aError)
    return { ...refusal(error.reason, error.message, { field: error.field }), headers: {} }
  if (!(error instanceof Problem)) return null
  const { code, facts } = error
  const headers = facts.headers ?? {}
  const reason = reasons[code]
  const metadata = { code, field: facts.field }
  if (reason !== undefined) return { ...refusal(reason, facts.detail, metadata), headers }
  const http = problemKinds[code].status
  const info = infoOf(code.toUpperCase(), 'signalbox', metadata)
  const status = names.get(http) ?? 'UNKNOWN'
  return { http, rpc: -32000, status, message: facts.detail, info, headers }
}

type Metadata = Readonly<Record<string, string | undefined>>

const refusal = (reason: Reason, message: string, metadata: Metadata) => ({
  ...kinds[reason],
  message,
  info: infoOf(reason, 'a2a-protocol.org', metadata),
})

const infoOf = (reason: string, domain: string, metadata: Metadata): object => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain,
  metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined)),
})
