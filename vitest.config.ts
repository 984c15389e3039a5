import { defineConfig } from 'vitest/config'

import { SkipReporter } from './scripts/ci/skip-reporter.ts'
import { SlowFirst } from './scripts/ci/slow-first.ts'

/** Folder for the machine-readable report; set by `.ci/run`. */
const reports = process.env['SIGNALBOX_REPORTS']

const pure = [
  'packages/core/test/**/*.test.ts',
  'packages/engine/test/**/*.test.ts',
  'test/architecture.test.ts',
]

/** Real Postgres, real sockets, but nothing of the process itself: no file of these changes what a module holds. */
const served = [
  'packages/{models,policies,server}/test/**/*.test.ts',
  'packages/postgres/test/!(embedded*).test.ts',
  'test/governance/**/*.test.ts',
]

const longest = { testTimeout: 180_000, hookTimeout: 120_000 }

export default defineConfig({
  test: {
    // One more than the cores that CI has: the suites wait for servers and processes of their own half of the time.
    maxWorkers: 3,
    sequence: { sequencer: SlowFirst },
    reporters: ['default', new SkipReporter(), ...(reports === undefined ? [] : ['json'])],
    outputFile: { json: `${reports ?? '.'}/vitest.json` },
    projects: [
      {
        // No I/O but reading the sources: a second or two, so that it is run all the time.
        test: { name: 'unit', include: pure, isolate: false, testTimeout: 30_000 },
      },
      {
        // A worker loads the modules once for all its files: that was a third of their time.
        test: { name: 'served', include: served, isolate: false, ...longest },
      },
      {
        // Real processes, signals, installed packages.
        test: {
          name: 'integration',
          include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...pure, ...served, '**/node_modules/**'],
          ...longest,
        },
      },
    ],
  },
})
