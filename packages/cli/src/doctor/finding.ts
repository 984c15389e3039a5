/** What a check found. `fail`: something that is needed is missing; `warn`: it works, but not as meant. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  /** What to type or change; null where all is well. */
  readonly fix: string | null
}

export const ok = (check: string, message: string): Finding => ({
  check,
  status: 'ok',
  message,
  fix: null,
})

export const warn = (check: string, message: string, fix: string): Finding => ({
  check,
  status: 'warn',
  message,
  fix,
})

export const fail = (check: string, message: string, fix: string): Finding => ({
  check,
  status: 'fail',
  message,
  fix,
})

/** What an error says, on one line. */
export const reason = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return error instanceof Error ? error.message || code : String(error)
}
