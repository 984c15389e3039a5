/** One thing that a process stands on, as a health check found it. */
export interface HealthCheck {
  readonly ok: boolean
  /** Can the process not do its work without it? What is not needed is shown, and keeps it from nothing. */
  readonly needed: boolean
  /** Where it is not well: why, in words of our own. Whoever reaches the port may read it. */
  readonly why?: string
}

/** What each check may take. */
export const checkMsMax = 2_000

/** The promise's answer, or a rejection after `ms`. The promise goes on. */
export function within<T>(promise: Promise<T>, ms = checkMsMax): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** The code of an error, which names nothing of ours; its message may. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' && /^[\w-]{1,40}$/.test(code) ? ` (${code})` : ''
}
