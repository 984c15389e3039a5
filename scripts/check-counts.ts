/**
 * The last word of `.ci/run`: what was executed, against the committed minimums.
 *
 * A green runner that found no tests is red here. Fails when a suite executed fewer tests than its minimum, when a suite has
 * no minimum, when anything was skipped under `SIGNALBOX_REQUIRE_ALL=1`, and when a step of the run failed.
 * It says which tests failed and why. The last line is `N passed, N failed`; exit code 0 or 3. `--print` prints the counts in the form of the minimums instead.
 *
 * A suite that a run plays a sample of has two minimums, and `--full` asks for the other one.
 *
 * usage: node scripts/check-counts.ts <folder of reports> [--full]
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { z } from 'zod'

import { describeFailures } from './ci/failures.ts'
import { type SuiteCount, readCounts } from './ci/suite-count.ts'

const Minimum = z.int().positive()

const root = fileURLToPath(new URL('..', import.meta.url))
const reports = process.argv[2] ?? join(root, '.ci', 'reports')
const counts = readCounts(reports, root)

if (process.argv.includes('--print')) {
  const executed = [...counts.keys()].toSorted().map((suite) => [suite, executedBy(suite)])
  console.log(JSON.stringify(Object.fromEntries(executed), null, 2))
} else {
  check()
}

function check(): void {
  const minimums = readMinimums(process.argv.includes('--full') ? 'full' : 'sample')
  const suites = [...new Set([...Object.keys(minimums), ...counts.keys()])].toSorted()
  const complaints = suites.flatMap((suite) => complain(suite, minimums[suite]))
  const failedSteps = readFailedSteps()

  for (const suite of suites) console.log(row(suite, minimums[suite]))
  for (const line of describeFailures(reports, root)) console.log(line)
  for (const complaint of complaints) console.log(`- ${complaint}`)
  for (const step of failedSteps) console.log(`- step failed: ${step}`)

  const total = (pick: (count: SuiteCount) => number): number =>
    [...counts.values()].reduce((sum, count) => sum + pick(count), 0)
  const failedTests = total(({ failed }) => failed)
  const failed = failedTests + complaints.length + failedSteps.length
  if (failed > 0) process.exitCode = 3
  console.log(`${total(({ passed }) => passed)} passed, ${failed} failed`)
}

function readMinimums(which: 'sample' | 'full'): Readonly<Record<string, number>> {
  const read = z
    .record(z.string(), z.union([Minimum, z.strictObject({ sample: Minimum, full: Minimum })]))
    .parse(JSON.parse(readFileSync(join(root, '.ci', 'minimums.json'), 'utf8')))
  const entries = Object.entries(read).map(([suite, minimum]) => [
    suite,
    typeof minimum === 'number' ? minimum : minimum[which],
  ])
  return Object.fromEntries(entries)
}

function complain(suite: string, minimum: number | undefined): string[] {
  const executed = executedBy(suite)
  const skipped = counts.get(suite)?.skipped ?? 0
  const complaints: string[] = []
  if (minimum === undefined) complaints.push(`${suite}: no minimum in .ci/minimums.json`)
  else if (executed < minimum) {
    complaints.push(`${suite}: ${executed} executed, at least ${minimum} expected`)
  }
  if (skipped > 0 && process.env['SIGNALBOX_REQUIRE_ALL'] === '1') {
    complaints.push(`${suite}: ${skipped} skipped where nothing may be`)
  }
  return complaints
}

function executedBy(suite: string): number {
  const { passed, failed } = counts.get(suite) ?? { passed: 0, failed: 0 }
  return passed + failed
}

/** `steps.tsv` has a line `name<TAB>verdict<TAB>seconds` per step of `.ci/run`. */
function readFailedSteps(): string[] {
  const file = join(reports, 'steps.tsv')
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter(([, verdict]) => verdict !== undefined && verdict !== 'ok')
    .map(([name, verdict]) => `${name} (${verdict})`)
}

function row(suite: string, minimum: number | undefined): string {
  const { passed, failed, skipped } = counts.get(suite) ?? { passed: 0, failed: 0, skipped: 0 }
  return `${suite.padEnd(24)} ${passed} passed, ${failed} failed, ${skipped} skipped (minimum ${minimum ?? 'none'})`
}
