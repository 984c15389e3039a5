/** P3 of context systems §17. Would catch: a prompt that depends on what its process has built before, on a clock, on chance. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { casesOf, timeout } from '../support/full.ts'
import { promptHash } from '../support/prompt-hash.ts'
import { logOf, turns } from '../support/pruned-logs.ts'

const script = fileURLToPath(new URL('../support/prompt-process.ts', import.meta.url))
const perProcess = 250

test('P3: the same log gives the same bytes in two processes', { timeout }, () => {
  const numRuns = casesOf(500)
  const shapes = fc.sample(fc.array(turns, { minLength: 1, maxLength: 3 }), numRuns)
  for (let from = 0; from < numRuns; from += perProcess) {
    const logs = shapes.slice(from, from + perProcess).map(logOf)
    // The other process sees them in another order, too.
    const lines = logs.toReversed().map((log) => JSON.stringify(log))
    const there = spawnSync(process.execPath, [script], {
      input: lines.join('\n'),
      encoding: 'utf8',
      maxBuffer: 100_000_000,
    })
    expect(there.stderr).toBe('')
    expect(there.stdout.trim().split('\n').toReversed()).toEqual(logs.map(promptHash))
  }
})
