/** What a check found. `fail`: something that is needed is missing; `warn`: it works, but not as meant. */
export interface DoctorFinding {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  /** What to type or change; null where all is well. */
  readonly fix: string | null
}

export const ok = (check: string, message: string): DoctorFinding => ({
  check,
  status: 'ok',
  message,
  fix: null,
})

export const warn = (check: string, message: string, fix: string): DoctorFinding => ({
  check,
  status: 'warn',
  message,
  fix,
})

export const failed = (check: string, message: string, fix: string): DoctorFinding => ({
  check,
  status: 'fail',
  message,
  fix,
})

/** What an error says, on one line. */
export const errorLine = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return error instanceof Error ? error.message || code : String(error)
}
