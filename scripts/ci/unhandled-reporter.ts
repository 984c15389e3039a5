import { appendFileSync } from 'node:fs'
import type { SerializedError } from 'vitest'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Records errors that belong to no test: a rejection that nobody handled, a worker that died. They fail the run, and Vitest's
 * JSON report does not name them, so that only the middle of a long log would.
 *
 * One line per error, read by `failures.ts`.
 */
export class UnhandledReporter implements Reporter {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  onTestRunEnd(_: readonly TestModule[], errors: readonly SerializedError[]): void {
    for (const error of errors) appendFileSync(this.#file, `${describe(error)}\n`)
  }
}

/** The error, where it was thrown, and the test file that ran then, in one line. */
function describe(error: SerializedError): string {
  const { name, message, stack } = error
  const at = /^\s+at .*(?:packages|test)\/.*$/m.exec(stack ?? '')?.[0]
  const file: unknown = error['VITEST_TEST_PATH']
  const during = typeof file === 'string' ? `during ${file}` : ''
  const parts = [`${name ?? 'Error'}: ${message}`, at ?? '', during]
  return parts.join(' ').replaceAll(/\s+/g, ' ').trim()
}
