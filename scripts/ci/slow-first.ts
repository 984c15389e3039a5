/**
 * The longest test files first: a long one that begins last runs alone, on one of two cores. Vitest starts with the largest files when
 * it knows nothing. Those that wait more than they work begin one by one between the others, which leaves no core idle.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Those that work, by how long they take, longest first. Of a file that is not here, only that it is not among the longest is known. */
const slow = [
  'test/docs/pages-1.test.ts',
  'test/docs/pages-2.test.ts',
  'test/docs/pages-3.test.ts',
  'packages/demo/test/demo.test.ts',
  'packages/cli/test/project.test.ts',
  'test/contract/long-history.test.ts',
  'packages/server/test/backlog.test.ts',
  'test/leak-hunt/leak-hunt.test.ts',
  'packages/cli/test/first-contact.test.ts',
  'packages/models/test/endless-streams.test.ts',
  'packages/policies/test/guardrails/redos.test.ts',
  'packages/cli/test/audit.test.ts',
  'packages/cli/test/large-export.test.ts',
  'packages/cli/test/end-marker.test.ts',
  'test/clients/langgraph-resources.test.ts',
  'test/clients/langgraph-streams.test.ts',
  'test/clients/langgraph-ttl.test.ts',
  'test/clients/ai-sdk.test.ts',
  'packages/cli/test/commands.test.ts',
  'packages/cli/test/proofs.test.ts',
  'packages/cli/test/mistakes.test.ts',
  'packages/models/test/recording-splices.test.ts',
]

/** Files that wait for time to pass, longest first. */
const waiting = [
  'packages/bullmq/test/sharded-channels.test.ts',
  'packages/postgres/test/silence.test.ts',
  'packages/engine/test/outage.test.ts',
  'packages/server/test/health.test.ts',
  'packages/server/test/lifecycle.test.ts',
  'packages/bullmq/test/redis-hygiene.test.ts',
  'packages/server/test/embedded-death.test.ts',
  'packages/engine/test/leases.test.ts',
  'packages/tools/test/mcp-life.test.ts',
  'packages/server/test/paused-backlog.test.ts',
  'packages/cli/test/approvals.test.ts',
  'test/end-to-end/restart.test.ts',
  'packages/bullmq/test/outage.test.ts',
  'packages/embedded/test/embedded.test.ts',
  'packages/engine/test/reconciler.test.ts',
]

/** So many others begin between two of them. */
const between = 7

const placeIn = (files: readonly string[], { moduleId }: TestSpecification): number => {
  const at = files.findIndex((file) => moduleId.endsWith(`/${file}`))
  return at === -1 ? files.length : at
}

const isWaiting = (file: TestSpecification): boolean => placeIn(waiting, file) < waiting.length

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const sleepers = sorted
      .filter(isWaiting)
      .toSorted((a, b) => placeIn(waiting, a) - placeIn(waiting, b))
    const others = sorted
      .filter((file) => !isWaiting(file))
      .toSorted((a, b) => placeIn(slow, a) - placeIn(slow, b))
    const mixed = others.flatMap((file, n) =>
      n % between === 0 ? [...sleepers.slice(n / between, n / between + 1), file] : [file],
    )
    return [...mixed, ...sleepers.slice(Math.ceil(others.length / between))]
  }
}
