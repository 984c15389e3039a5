/** Tells a register that cannot be reached from everything else that goes wrong. */

const systemCodes =
  /^(ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/

/** Connection errors, shutdowns, crash recovery, out of connections (classes 08, 57P, 53300). */
const sqlStates = /^(08\w{3}|57P0[1-5]|53300|25006)$/

/** What `pg` says without a code. */
const messages =
  /connection terminated|timeout exceeded when trying to connect|connection error and is not queryable|client was closed|query read timeout|not accept(ing)? connections|server closed the connection/i

/** The register took longer than a caller can be made to wait. What was asked may still happen. */
export class RegisterTimeout extends Error {
  override readonly name = 'RegisterTimeout'
}

/** Is the register out of reach, so that the same request may succeed later? */
export function isUnavailable(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 4) return false
  if (error instanceof RegisterTimeout) return true
  const code = 'code' in error ? String(error.code) : ''
  if (systemCodes.test(code) || sqlStates.test(code) || messages.test(error.message)) return true
  if (
    error instanceof AggregateError &&
    error.errors.some((each) => isUnavailable(each, depth + 1))
  )
    return true
  return isUnavailable(error.cause, depth + 1)
}
