import { type ExitCode, exitCodes } from './exit-codes.ts'

/** Why a command could not do what was asked, in one line for a human, with what to type. */
export class Failure extends Error {
  override readonly name = 'Failure'
  /** Stable, as the codes of problem documents are. */
  readonly code: string
  readonly exitCode: ExitCode

  constructor(
    code: string,
    message: string,
    about: { readonly exitCode: ExitCode; readonly cause?: unknown },
  ) {
    super(message, { cause: about.cause })
    this.code = code
    this.exitCode = about.exitCode
  }
}

/** A command line that makes no sense. */
export const usageFailure = (message: string): Failure =>
  new Failure('usage', message, { exitCode: exitCodes.usage })
