import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { defineConfig } from 'vitest/config'

import { SkipReporter } from './scripts/ci/skip-reporter.ts'
import { SlowFirst } from './scripts/ci/slow-first.ts'
import { UnhandledReporter } from './scripts/ci/unhandled-reporter.ts'
import { forThisMachine } from './test/support/for-this-machine.ts'

// Workers, and what tests start, keep what V8 has compiled for those after them; so do tests of an installed package.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache')
// Whose end ends what the test files share: see test/support/once-per-run.ts.
process.env['SIGNALBOX_TEST_RUN'] ??= String(process.pid)

/** Folder for the machine-readable report; set by `.ci/run`. */
const reports = process.env['SIGNALBOX_REPORTS']
const report = `${reports ?? '.'}/${process.env['SIGNALBOX_REPORT'] ?? 'vitest'}`

/** What lasts, twenty seconds a file or more: outages, silence, leases that run out, backlogs, drains, hunts through all a run leaves. A command of its own. */
const long = [
  'packages/bullmq/test/{outage,redis-hygiene,sharded-channels}.test.ts',
  'packages/cli/test/{approvals,audit,commands,dev,end-marker,first-contact,large-export,proofs,traces,young-generation}.test.ts',
  'packages/embedded/test/embedded.test.ts',
  'packages/engine/test/{flat-turns,leases,outage,reconciler,turn-costs}.test.ts',
  'packages/models/test/{endless-streams,recording-splices}.test.ts',
  'packages/policies/test/guardrails/{long-texts,redos}.test.ts',
  'packages/policies/test/passport/steering.test.ts',
  'packages/postgres/test/{restore,silence}.test.ts',
  'packages/server/test/{backlog,bash-cancels,compaction-failures,embedded-death,health,lifecycle,odd-summaries,paused-backlog,pauses,quiet,redis,unknown,upload-bodies}.test.ts',
  'packages/tools/test/{mcp,mcp-life,odd-mcp-answers}.test.ts',
  'test/contract/{compaction-deaths,leases,long-history,register-differential,without-context}.test.ts',
  'test/deployment/{compose,drain,least-privilege}.test.ts',
  'test/end-to-end/{child-merges,restart,upload-memory}.test.ts',
  'test/governance/strange-usage.test.ts',
  'test/leak-hunt/*.test.ts',
  'test/recipes/*.test.ts',
  'test/upgrade/*.test.ts',
]

/** Figures in milliseconds, which mean nothing beside other tests: one file after the other, by a command of its own. */
const figures = ['packages/tools/test/sandbox/{cost,virtual-lag}.test.ts']

/** Commands of models in both sandboxes: thousands of processes that are started and killed. A command of its own. */
const sandbox = ['packages/tools/test/sandbox/!(cost|virtual-lag).test.ts']

const pure = [
  'packages/core/test/**/*.test.ts',
  'packages/engine/test/**/*.test.ts',
  'packages/policies/test/{bash-audit,guardrails,passport}/**/*.test.ts',
  'test/architecture.test.ts',
  'test/{ci,simulation}/**/*.test.ts',
]

/** Real Postgres, real sockets, but nothing of the process itself: no file of these changes what a module holds. */
const served = [
  // Every command is a process of its own; in the worker there is a server per file.
  'packages/cli/test/!(project).test.ts',
  'packages/{models,server,testing}/test/**/*.test.ts',
  'packages/policies/test/*.test.ts',
  'packages/postgres/test/**/*.test.ts',
  'packages/client/test/**/*.test.ts',
  'packages/bullmq/test/**/*.test.ts',
  'packages/tools/test/!(mcp).test.ts',
  'test/{contract,governance,http-contract,replay,deployment}/**/*.test.ts',
  'test/docs/!(pages-*|types).test.ts',
]

/** What is published, tried as its readers and users would: as long as all the others together, so a command of its own. */
const published = [
  'test/docs/pages-*.test.ts',
  'test/docs/types.test.ts',
  'test/package/**/*.test.ts',
  'packages/{cli/test/project,demo/test/*}.test.ts',
]

/** The clients of other vendors, each as it is published, against a real server: a command of its own as well. */
const clients = ['test/clients/!(langgraph-react|ai-sdk).test.ts']
/** Those that want a document in the globals. */
const pages = ['test/clients/{langgraph-react,ai-sdk}.test.ts']

// A test of commands starts up to a dozen processes one after the other. On a busy machine each takes seconds to come up.
const longest = { testTimeout: forThisMachine(180_000), hookTimeout: forThisMachine(120_000) }

export default defineConfig({
  test: {
    // Three times the cores that CI has: the suites wait for servers and processes of their own, or for time to pass.
    maxWorkers: 6,
    sequence: { sequencer: SlowFirst },
    // A worker of a busy machine may stand still for seconds.
    expect: { poll: { timeout: forThisMachine(20_000) } },
    // Node reads TypeScript itself, and keeps what it compiled; nothing here is mocked by module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    reporters: [
      'default',
      new SkipReporter(),
      ...(reports === undefined ? [] : ['json', new UnhandledReporter(`${report}.errors`)]),
    ],
    outputFile: { json: `${report}.json` },
    projects: [
      {
        // No I/O but reading the sources: a second or two, so that it is run all the time.
        test: {
          name: 'unit',
          include: pure,
          exclude: long,
          isolate: false,
          testTimeout: forThisMachine(30_000),
        },
      },
      {
        // A worker loads the modules once for all its files: that was a third of their time.
        test: {
          name: 'served',
          include: served,
          exclude: long,
          isolate: false,
          setupFiles: ['packages/cli/test/support/end-commands.ts'],
          ...longest,
        },
      },
      {
        // Real processes, signals, installed packages.
        test: {
          name: 'integration',
          include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [
            ...pure,
            ...served,
            ...published,
            ...clients,
            ...pages,
            ...long,
            ...figures,
            ...sandbox,
            '**/node_modules/**',
          ],
          ...longest,
        },
      },
      {
        test: {
          name: 'long',
          include: long,
          setupFiles: ['packages/cli/test/support/end-commands.ts'],
          ...longest,
        },
      },
      { test: { name: 'sandbox', include: sandbox, ...longest } },
      { test: { name: 'figures', include: figures, ...longest } },
      { test: { name: 'clients', include: clients, isolate: false, ...longest } },
      { test: { name: 'pages', include: pages, ...longest } },
      {
        test: {
          name: 'published',
          include: published,
          setupFiles: ['packages/cli/test/support/end-commands.ts'],
          ...longest,
        },
      },
    ],
  },
})
