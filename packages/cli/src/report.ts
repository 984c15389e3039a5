/** What became of a command that threw: one line on standard error, and an exit code. */
import process from 'node:process'
import { CommanderError } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { Failure } from './failure.ts'
import { printable } from '@signalbox/core/text'

/** Failures that packages below throw, by name: to know their classes would mean to load them for every command. */
const known: Readonly<Record<string, ExitCode>> = {
  ConfigError: exitCodes.usage,
  StartError: exitCodes.failed,
  EmbeddedPostgresError: exitCodes.failed,
}

/** Causes of causes that are shown; one may lead back to itself. */
const causesMax = 8

/** Tells the user, and answers the exit code. With `debug` the stack follows. */
export function report(error: unknown, debug: boolean): ExitCode {
  // Commander has said it already, and ends `--help` and `--version` like this as well.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  const { exitCode } = facts(error)
  say(`signalbox: ${errorSentence(error)}`)
  if (debug && error instanceof Error) {
    say(error.stack ?? '')
    let { cause } = error
    for (let depth = 0; cause !== undefined && depth < causesMax; depth += 1) {
      say(`caused by ${describe(cause)}`)
      cause = cause instanceof Error ? cause.cause : undefined
    }
  }
  return exitCode
}

function facts(error: unknown): { message: string; code: string; exitCode: ExitCode } {
  if (error instanceof Failure) return error
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    const exitCode = known[error.name]
    if (exitCode !== undefined) return { message: error.message, code: error.code, exitCode }
  }
  const why = error instanceof Error ? error.message : String(error)
  return {
    message: `something broke inside: ${why}. The option --debug shows where.`,
    code: 'internal',
    exitCode: exitCodes.internal,
  }
}

/** An error as one line, for a command that goes on in spite of it. */
export function errorSentence(error: unknown): string {
  const { message, code } = facts(error)
  return `${printable(message).replaceAll('\n', ' ')} [${code}]`
}

const say = (text: string): void => void process.stderr.write(`${text}\n`)

const describe = (cause: unknown): string =>
  cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
