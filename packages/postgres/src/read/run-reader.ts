/** Questions over all runs of a tenant, each within a time that the database is given. */
import { bounding } from './bounded.ts'
import { type QueueView, queuesQuery } from './queues.ts'
import type { RunConditions } from './run-conditions.ts'
import {
  type ListedRun,
  type RunCount,
  runCountQuery,
  type RunCountKey,
  type RunPage,
  runPage,
  type RunSearch,
  runSearchQuery,
} from './run-search.ts'
import type { AsTenant } from './tenant-session.ts'

/** The runs of one tenant. Every method throws `TooBroad` for what takes longer than `limits.auditMsMax`. */
export interface RunReader {
  /** Runs of all threads. What is deleted for its users is not there. */
  searchRuns(tenantId: string, filter: RunSearch): Promise<RunPage>
  /** How many runs a search finds, by up to four keys. */
  countRuns(
    tenantId: string,
    filter: RunConditions,
    by: readonly RunCountKey[],
  ): Promise<readonly RunCount[]>
  /** One run with what its head does not hold. No alias; null if it is not there. */
  listedRun(tenantId: string, runId: string): Promise<ListedRun | null>
  /** The queues in which the tenant has open calls. */
  queues(tenantId: string): Promise<readonly QueueView[]>
}

/** The runs over the session of a tenant. */
export function runReader(as: AsTenant): RunReader {
  const bounded = bounding(as)
  return {
    searchRuns: async (tenantId, filter) =>
      runPage(await bounded(tenantId, runSearchQuery(filter)), filter),
    countRuns: (tenantId, filter, by) => bounded(tenantId, runCountQuery(filter, by)),
    listedRun: async (tenantId, runId) =>
      (await bounded(tenantId, runSearchQuery({ runIds: [runId], limit: 1 })))[0] ?? null,
    queues: (tenantId) => bounded(tenantId, queuesQuery()),
  }
}
