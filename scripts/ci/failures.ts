/**
 * Prints which tests and runners failed and why, in some lines each: often only the end of a long log is kept.
 *
 * Reads the same reports as `suite-count.ts`, and the errors outside of tests that `unhandled-reporter.ts` recorded. At most `testsMax` tests, and `linesMax` lines of each runner's log.
 */
import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

import { z } from 'zod'

const testsMax = 12
const linesMax = 12
const lineLengthMax = 300

const VitestReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().optional(),
      assertionResults: z.array(
        z.object({
          status: z.string(),
          fullName: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
})

/** Lines for people; none where nothing failed. */
export function describeFailures(folder: string, root: string): readonly string[] {
  const tests: string[] = []
  const logs: string[] = []
  for (const file of globSync('*.{json,log}', { cwd: folder }).toSorted()) {
    const text = readFileSync(join(folder, file), 'utf8')
    if (/^vitest(-\w+)?\.json$/.test(file)) tests.push(...failedTests(text, root))
    else logs.push(...failedRunner(file, text))
  }
  const more = tests.length > testsMax ? [`and ${tests.length - testsMax} more tests`] : []
  return [...tests.slice(0, testsMax), ...more, ...unhandled(folder), ...logs]
}

function unhandled(folder: string): readonly string[] {
  const errors = globSync('*.errors', { cwd: folder })
    .toSorted()
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').trimEnd().split('\n'))
  const more = errors.length > testsMax ? [`and ${errors.length - testsMax} more errors`] : []
  return [
    ...errors.slice(0, testsMax).map((error) => short(`outside of a test: ${error}`)),
    ...more,
  ]
}

function failedTests(report: string, root: string): readonly string[] {
  return VitestReport.parse(JSON.parse(report)).testResults.flatMap((file) => {
    const name = relative(root, file.name)
    const failed = file.assertionResults.filter(({ status }) => status === 'failed')
    // A file may fail outside of its tests.
    if (failed.length === 0)
      return file.status === 'failed' ? [short(`${name}: ${file.message ?? ''}`)] : []
    return failed.map(({ fullName, failureMessages }) =>
      short(`${name} > ${fullName}: ${failureMessages?.[0] ?? 'no message'}`),
    )
  })
}

/** A runner's own words about failures, and the last ones it said. */
function failedRunner(file: string, text: string): readonly string[] {
  if (/^\d+ passed, 0 failed$/m.test(text)) return []
  const lines = text.trimEnd().split('\n')
  const half = linesMax / 2
  const last = lines.slice(-half)
  const telling = lines.slice(0, -half).filter((line) => /^(FAILED|COVERAGE|seed \d+:)/.test(line))
  return [...telling.slice(0, half), ...last].map((line) => short(`${file}: ${line}`))
}

/** One line, without colours. */
const short = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/\s+/g, ' ').slice(0, lineLengthMax)
