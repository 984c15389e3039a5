/** Exit codes of every command, in one table: `--help` prints it, scripts rely on it. A meaning is never changed. */
import type { exitCodes as Server } from '@signalbox/server'

/** Those of a server process keep their numbers here; the compiler compares them, nothing is loaded for it. */
export const exitCodes = {
  ok: 0 satisfies typeof Server.stopped,
  failed: 1 satisfies typeof Server.failed,
  usage: 2 satisfies typeof Server.configuration,
  unreachable: 3,
  notFound: 4,
  conflict: 5,
  waiting: 6,
  internal: 70,
  interrupted: 130 satisfies typeof Server.cut,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

const meanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  ok: 'done',
  failed:
    'the thing asked about failed: a run did not complete, a server did not start, a chain is broken, a policy test is not met',
  usage: 'the command, the configuration, a value or the credentials are wrong',
  unreachable: 'the server or the database cannot be reached, or cannot answer now',
  notFound: 'there is no such run, call, effect or agent',
  conflict:
    'too late, or decided otherwise: the run has ended, a request has expired, somebody answered before',
  waiting: 'the run waits for a human (run --wait and run --json)',
  internal: 'a mistake in Signalbox; --debug shows where',
  interrupted: 'interrupted by a signal',
}

/** The table as text, for `--help`. */
export function exitCodeTable(): string {
  const codes: Readonly<Record<string, ExitCode>> = exitCodes
  const rows = Object.entries(meanings).map(
    ([name, meaning]) => `  ${String(codes[name]).padStart(3)}  ${meaning}`,
  )
  return ['Exit codes:', ...rows].join('\n')
}
