import type { ExitCode } from './exit-codes.ts'

/** What a command gets from the process it runs in. */
export interface Shell {
  /** With the variables of the file `.env` of the folder. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** The names of what `.env` holds, for the one line that says so; absent if there is no such file. */
  readonly dotEnv?: DotEnv | null
  /** The server of this folder, looked for where a command asks one and nobody has named it. */
  readonly server?: { url: string | null }
  /** Says how the command ended; without it, well. */
  finish(code: ExitCode): void
}

/** Names of variables; their values may be secrets. */
export interface DotEnv {
  /** Taken from the file. */
  readonly taken: readonly string[]
  /** Set already, which wins. */
  readonly kept: readonly string[]
}
