/** The last word of CI. Would catch: a script that dies before its verdict, a suite that ran nothing and passes, a `--full` run judged by the sample's minimum. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

const script = join(import.meta.dirname, '../../scripts/check-counts.ts')
let reports: string

beforeAll(() => {
  reports = mkdtempSync(join(tmpdir(), 'signalbox-counts-'))
  writeFileSync(join(reports, 'simulation.log'), '3001 passed, 0 failed\n')
})

afterAll(() => rmSync(reports, { recursive: true }))

function verdict(...flags: string[]): { readonly code: number | null; readonly lines: string[] } {
  const { status, stdout } = spawnSync(process.execPath, [script, reports, ...flags], {
    encoding: 'utf8',
  })
  return { code: status, lines: stdout.trimEnd().split('\n') }
}

it('names each suite that executed less than its minimum, and ends with the number of complaints', () => {
  const { code, lines } = verdict()
  expect(code).toBe(3)
  expect(lines.filter((line) => line.startsWith('- test/replay: 0 executed'))).toHaveLength(1)
  expect(lines.filter((line) => line.startsWith('- test/simulation'))).toEqual([])
  expect(lines.at(-1)).toMatch(/^3001 passed, [1-9]\d* failed$/)
})

it('a whole run is judged by the minimum of a whole run', () => {
  const { code, lines } = verdict('--full')
  expect(code).toBe(3)
  expect(lines).toContain('- test/simulation: 3001 executed, at least 10001 expected')
})

it('says which tests failed and why, and what the runners said last', () => {
  const failed = {
    success: false,
    testResults: [
      {
        name: join(import.meta.dirname, 'a.test.ts'),
        status: 'failed',
        assertionResults: [
          { status: 'passed', fullName: 'a works', failureMessages: [] },
          { status: 'failed', fullName: 'b works', failureMessages: ['expected 1\n  to be 2'] },
        ],
      },
      { name: 'b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
    ],
  }
  writeFileSync(join(reports, 'vitest.json'), JSON.stringify(failed))
  writeFileSync(join(reports, 'crash.log'), `FAILED one\n${'ok\n'.repeat(20)}Error: it died\n`)
  writeFileSync(
    join(reports, 'vitest-long.errors'),
    `TypeError: nobody handled it\n${'Error: nor this\n'.repeat(12)}`,
  )
  const { code, lines } = verdict()
  expect(code).toBe(3)
  expect(lines).toContain('outside of a test: TypeError: nobody handled it')
  expect(lines).toContain('and 1 more errors')
  expect(lines).toContain('test/ci/a.test.ts > b works: expected 1 to be 2')
  expect(lines.filter((line) => line.endsWith('b.test.ts: no such module'))).toHaveLength(1)
  expect(lines).toContain('crash.log: FAILED one')
  expect(lines).toContain('crash.log: Error: it died')
  expect(lines.filter((line) => line.startsWith('simulation.log'))).toEqual([])
})
