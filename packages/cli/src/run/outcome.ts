import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { Terminal } from '../output/terminal.ts'

/** The exit code of a run by its outcome; null is a run that waits for a human. */
export function exitCodeOf(outcome: string | null): ExitCode {
  if (outcome === null) return exitCodes.waiting
  return outcome === 'completed' ? exitCodes.ok : exitCodes.failed
}

/** Says how a run ended. */
export function showOutcome(terminal: Terminal, outcome: string | null): ExitCode {
  const code = exitCodeOf(outcome)
  terminal.line(terminal.paint(code === exitCodes.ok ? 'green' : 'red', outcome ?? 'waiting'))
  return code
}
