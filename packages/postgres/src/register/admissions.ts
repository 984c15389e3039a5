/** Reads of runs that wait for their thread. Who is named here is not admitted yet: `append` decides, under a lock. */
import { limits } from '@signalbox/core'
import type { RunRef } from '@signalbox/engine'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { build, pageSize, statement } from '../query.ts'

/** Waiting runs whose thread nobody holds. Literals, not parameters: the partial indexes must match in a generic plan. */
const admissible = build
  .selectFrom('run as r')
  .select(['r.tenant_id as tenantId', 'r.id as runId'])
  .where('r.status', '<>', sql.lit('ended'))
  .where('r.admitted', '=', sql.lit(false))
  .where((where) =>
    where.not(
      where.exists(
        where
          .selectFrom('run as holder')
          .select('holder.id')
          .whereRef('holder.tenant_id', '=', 'r.tenant_id')
          .whereRef('holder.thread_id', '=', 'r.thread_id')
          .where('holder.status', '<>', sql.lit('ended'))
          .where('holder.admitted', '=', sql.lit(true)),
      ),
    ),
  )

const selectAdmissibleRuns = statement(
  'admissible_runs',
  admissible
    .distinctOn(['r.tenant_id', 'r.thread_id'])
    .orderBy('r.tenant_id')
    .orderBy('r.thread_id')
    .orderBy('r.id')
    .limit(0)
    .compile(),
)

export async function readAdmissibleRuns(pool: Pool, limit: number): Promise<readonly RunRef[]> {
  return selectAdmissibleRuns(pool, [pageSize(limit, limits.pageMax)])
}

const selectNextInThread = statement(
  'next_in_thread',
  admissible
    .where('r.tenant_id', '=', '')
    .where('r.thread_id', '=', '')
    .orderBy('r.id')
    .limit(1)
    .compile(),
)

export async function readNextInThread(
  pool: Pool,
  tenantId: string,
  threadId: string,
): Promise<RunRef | null> {
  const rows = await selectNextInThread(pool, [tenantId, threadId, 1])
  return rows[0] ?? null
}
