/** What a server refused, or why it could not be asked: the only error that methods of the client throw themselves. */
import type { Problem } from './generated.ts'

/** Codes that are not of the server: nobody answered, an answer that is none of Signalbox, one too large to read. */
export type OwnCode = 'unreachable' | 'unexpected_answer' | 'answer_too_large'

interface Facts {
  readonly status?: number
  readonly problem?: Problem
  readonly retry?: Retry
  readonly cause?: unknown
}

/** Whether the same request may succeed later. */
export interface Retry {
  readonly mayHelp: boolean
  /** After so long, if the server said so. */
  readonly afterMs: number | null
}

/** An error with the stable `code` of a problem document, or one of `OwnCode`. */
export class SignalboxError extends Error {
  override readonly name = 'SignalboxError'
  readonly code: string
  /** Of HTTP; null if there was no answer. */
  readonly status: number | null
  /** What was wrong: the path of a field of the body, or the name of a parameter or header. */
  readonly field: string | null
  /** The document, with whatever members its code has. */
  readonly problem: Problem | null
  readonly retry: Retry

  constructor(code: string, message: string, facts: Facts = {}) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause })
    this.code = code
    this.status = facts.status ?? null
    this.field = facts.problem?.field ?? null
    this.problem = facts.problem ?? null
    this.retry = facts.retry ?? { mayHelp: false, afterMs: null }
  }
}

/** For a server that does not answer, or stopped in the middle of it. */
export const unreachable = (url: string, cause?: unknown): SignalboxError =>
  new SignalboxError('unreachable', `No server answers at ${url}.`, {
    cause,
    retry: { mayHelp: true, afterMs: null },
  })

/** For an answer that cannot be Signalbox's. */
export const unexpected = (url: string, status: number): SignalboxError =>
  new SignalboxError('unexpected_answer', `${url} answers ${status}, and not as Signalbox does.`, {
    status,
    retry: { mayHelp: isPassing(status, null), afterMs: null },
  })

/** The error for a response that is not what was asked for. `text` is its body. */
export function refusal(response: Response, text: string): SignalboxError {
  const { status, url } = response
  const problem = problemOf(text)
  if (problem === null) return unexpected(url, status)
  const afterMs = retryAfterMs(response.headers.get('retry-after'))
  const mayHelp = saidRetryable(problem) ?? isPassing(status, afterMs)
  return new SignalboxError(problem.code, problem.detail, {
    status,
    problem,
    retry: { mayHelp, afterMs },
  })
}

/** Too many requests pass only where the server says when. */
const isPassing = (status: number, afterMs: number | null): boolean =>
  status === 429 ? afterMs !== null : status === 502 || status === 503 || status === 504

function saidRetryable(problem: object): boolean | null {
  return 'retryable' in problem && typeof problem.retryable === 'boolean' ? problem.retryable : null
}

function problemOf(text: string): Problem | null {
  try {
    const json = JSON.parse(text)
    return typeof json?.code === 'string' && typeof json.detail === 'string' ? json : null
  } catch {
    return null
  }
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function retryAfterMs(header: string | null): number | null {
  if (header === null) return null
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now())
}
