/** What a command was refused for, in the words of the protocol. */
import { z } from '@hono/zod-openapi'
import { Problem, problemDocument } from '../../http/problem.ts'
import { type ProblemCode, problemKinds } from '../../http/problem-codes.ts'

const codes: Partial<Record<ProblemCode, string>> = {
  not_available: 'not_supported',
  nothing_waits: 'no_such_interrupt',
  unknown_run: 'no_such_run',
  nothing_runs: 'no_such_run',
  unknown_checkpoint: 'no_such_checkpoint',
  approval_forbidden: 'permission_denied',
  forbidden_scope: 'permission_denied',
}

export const ErrorResponse = z
  .object({
    type: z.literal('error'),
    id: z.number().int().nullable(),
    error: z.string(),
    message: z.string(),
    /** The same as a problem document, with its stable `code` and the field. */
    problem: z.record(z.string(), z.unknown()),
  })
  .openapi('ProtocolError')
export type ErrorResponse = z.infer<typeof ErrorResponse>

/**
 * An expected refusal as the answer to the command. Rethrows what is none of the caller's doing, and what is about the
 * address: another tenant's thread is not there.
 */
export function refusedCommand(id: number, error: unknown): ErrorResponse {
  if (!(error instanceof Problem) || problemKinds[error.code].status >= 500) throw error
  if (error.code === 'unknown_thread') throw error
  return problemAnswer(id, error)
}

/** A problem as the answer to a command. Null: to a frame that says none. */
export function problemAnswer(id: number | null, problem: Problem): ErrorResponse {
  const { code, facts } = problem
  const unexpected = problemKinds[code].status >= 500 ? 'unknown_error' : 'invalid_argument'
  return {
    type: 'error',
    id,
    error: problem instanceof ProtocolProblem ? problem.error : (codes[code] ?? unexpected),
    message: facts.detail,
    problem: { ...problemDocument(code, facts) },
  }
}

/** A problem that the protocol has a word of its own for. */
export class ProtocolProblem extends Problem {
  readonly error: string

  constructor(error: string, detail: string, field: string) {
    super('not_available', { detail, field })
    this.error = error
  }
}
