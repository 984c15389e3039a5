/**
 * The longest test files first. Vitest starts with the largest files when it knows nothing; a small file that takes long
 * then runs alone at the end, on one of two cores.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** By how long they take, longest first. Of a file that is not here, only that it is not among the longest is known. */
const slow = [
  'test/docs/pages-1.test.ts',
  'test/docs/pages-2.test.ts',
  'test/docs/pages-3.test.ts',
  'packages/cli/test/demo.test.ts',
  'packages/cli/test/project.test.ts',
  // These wait more than they work.
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
  'packages/postgres/test/embedded.test.ts',
  'packages/engine/test/reconciler.test.ts',
  // And these work.
  'test/contract/long-history.test.ts',
  'packages/server/test/backlog.test.ts',
  'test/leak-hunt/leak-hunt.test.ts',
  'test/clients/langgraph-resources.test.ts',
  'test/clients/langgraph-streams.test.ts',
  'test/clients/langgraph-ttl.test.ts',
  'test/clients/ai-sdk.test.ts',
  'packages/cli/test/commands.test.ts',
  'packages/cli/test/proofs.test.ts',
  'packages/cli/test/mistakes.test.ts',
  'packages/models/test/recording-splices.test.ts',
]

const rank = ({ moduleId }: TestSpecification): number => {
  const at = slow.findIndex((file) => moduleId.endsWith(`/${file}`))
  return at === -1 ? slow.length : at
}

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
