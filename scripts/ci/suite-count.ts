/**
 * What the runners say they executed, in one form.
 *
 * - `vitest.json`, and `vitest-….json` of a second run, are Vitest's own JSON reports; a suite is `packages/<name>` or the
 *   entry below `test/`.
 * - `<suite>.log` is what a runner of ours printed: `N passed, N failed` at its end, and a line `skipped: …` per skip.
 */
import { globSync, readFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'

import { z } from 'zod'

/** How many tests of a suite ended in which way. */
export interface SuiteCount {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

const VitestReport = z.object({
  success: z.boolean(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string() })),
    }),
  ),
})

/** Reads every report of a folder. One that cannot be read must not count as an empty suite: it throws, or fails. */
export function readCounts(folder: string, root: string): Map<string, SuiteCount> {
  const counts = new Map<string, SuiteCount>()
  for (const file of globSync('*.{json,log}', { cwd: folder })) {
    const text = readFileSync(join(folder, file), 'utf8')
    if (/^vitest(-\w+)?\.json$/.test(file))
      addVitest(counts, VitestReport.parse(JSON.parse(text)), root)
    else add(counts, `test/${basename(file, '.log')}`, countOf(text))
  }
  return counts
}

function countOf(printed: string): SuiteCount {
  const said = [...printed.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1)
  if (said === undefined) return { passed: 0, failed: 1, skipped: 0 }
  const skipped = [...printed.matchAll(/^skipped: /gm)].length
  return { passed: Number(said[1]), failed: Number(said[2]), skipped }
}

/** A suite may have several reports: what Vitest runs of it, and a runner of its own. */
function add(counts: Map<string, SuiteCount>, suite: string, more: SuiteCount): void {
  const { passed, failed, skipped } = counts.get(suite) ?? { passed: 0, failed: 0, skipped: 0 }
  counts.set(suite, {
    passed: passed + more.passed,
    failed: failed + more.failed,
    skipped: skipped + more.skipped,
  })
}

function addVitest(
  counts: Map<string, SuiteCount>,
  report: z.infer<typeof VitestReport>,
  root: string,
): void {
  for (const file of report.testResults) {
    const suite = suiteOf(relative(root, file.name))
    const of = (...statuses: string[]): number =>
      file.assertionResults.filter(({ status }) => statuses.includes(status)).length
    const failed = of('failed')
    add(counts, suite, {
      passed: of('passed'),
      // A file that failed outside of its tests (import, hook) has no failed assertion of its own.
      failed: file.status === 'failed' ? Math.max(failed, 1) : failed,
      skipped: of('skipped', 'pending', 'todo', 'disabled'),
    })
  }
  const anyFailed = [...counts.values()].some(({ failed }) => failed > 0)
  if (!report.success && !anyFailed) counts.set('vitest', { passed: 0, failed: 1, skipped: 0 })
}

function suiteOf(path: string): string {
  const [top, name] = path.replaceAll('\\', '/').split('/')
  return `${top}/${name?.replace(/\.test\.ts$/, '')}`
}
