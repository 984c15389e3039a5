/** Tells a register that cannot do its work, and why, from everything else that goes wrong. */
import type { ProblemCode } from './problem-codes.ts'

/** What keeps the register from its work; the same request may succeed later. */
export type RegisterTrouble = Extract<
  ProblemCode,
  'register_unavailable' | 'register_full' | 'register_read_only'
>

const systemCodes =
  /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/

/**
 * SQL states by what they mean for a caller. Full: out of disk, of memory, or beyond a limit (53, 54). Unavailable: connection errors,
 * shutdowns, crash recovery, out of connections, errors of its disk (08, 57P, 53300, 58).
 */
const sqlStates: readonly (readonly [pattern: RegExp, trouble: RegisterTrouble])[] = [
  [/^25006$/, 'register_read_only'],
  [/^(08\w{3}|57P0[1-5]|53300|58\w{3})$/, 'register_unavailable'],
  [/^(53|54)\w{3}$/, 'register_full'],
]

/** What `pg` says without a code. */
const messages =
  /connection terminated|timeout exceeded when trying to connect|connection error and is not queryable|client was closed|query read timeout|not accept(ing)? connections|server closed the connection/i

/** The register took longer than a caller can be made to wait. What was asked may still happen. */
export class RegisterTimeout extends Error {
  override readonly name = 'RegisterTimeout'
}

/** What keeps the register from its work; null if the error is about something else. */
export function troubleIn(error: unknown, depth = 0): RegisterTrouble | null {
  if (!(error instanceof Error) || depth > 4) return null
  if (error instanceof RegisterTimeout) return 'register_unavailable'
  const code = 'code' in error ? String(error.code) : ''
  const [, told] = sqlStates.find(([pattern]) => pattern.test(code)) ?? []
  if (told) return told
  if (systemCodes.test(code) || messages.test(error.message)) return 'register_unavailable'
  const inner: readonly unknown[] = error instanceof AggregateError ? error.errors : []
  for (const each of [...inner, error.cause]) {
    const trouble = troubleIn(each, depth + 1)
    if (trouble) return trouble
  }
  return null
}

/** Is the register kept from its work, so that the same request may succeed later? */
export const isUnavailable = (error: unknown): boolean => troubleIn(error) !== null

/** What a caller is told. */
export const troubleDetails: Readonly<Record<RegisterTrouble, string>> = {
  register_unavailable:
    'Postgres does not answer. Nothing is lost; try again, with the same Idempotency-Key.',
  register_full:
    'Postgres has no room: its disk or memory is full, or a limit is reached. Nothing is lost; try again, with the same Idempotency-Key.',
  register_read_only:
    'Postgres takes no writes: it is a replica, or was set read-only. Nothing is lost; try again, with the same Idempotency-Key.',
}
