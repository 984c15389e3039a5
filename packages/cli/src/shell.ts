import type { ExitCode } from './exit-codes.ts'

/** What a command gets from the process it runs in. */
export interface Shell {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Says how the command ended; without it, well. */
  finish(code: ExitCode): void
}
