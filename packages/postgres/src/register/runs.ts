/** Reads of runs and their events. */
import { conversationTypes, limits } from '@signalbox/core'
import type { RunHead, RunRef, RunTail, StoredEvent } from '@signalbox/engine'
import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Pool } from 'pg'
import { build, isUuid, pageSize, statement } from '../query.ts'
import { eventColumns, runColumns } from '../rows.ts'

const selectHead = statement(
  'head',
  build.selectFrom('run as r').select(runColumns).where('r.id', '=', '').compile(),
)

export async function readHead(pool: Pool, runId: string): Promise<RunHead | null> {
  if (!isUuid(runId)) return null
  const rows = await selectHead(pool, [runId])
  return rows[0] ?? null
}

/** The events come as one JSON value: one row, whatever their number. */
const selectTail = statement(
  'tail',
  build
    .selectFrom('run as r')
    .select(runColumns)
    .select((run) =>
      jsonArrayFrom(
        run
          .selectFrom('event as e')
          .select(eventColumns)
          .where('e.run_id', '=', '')
          .whereRef('e.seq', '>', 'r.decided')
          .orderBy('e.seq'),
      ).as('events'),
    )
    .where('r.id', '=', '')
    .compile(),
)

export async function readTail(pool: Pool, runId: string): Promise<RunTail | null> {
  if (!isUuid(runId)) return null
  const rows = await selectTail(pool, [runId, runId])
  if (rows[0] === undefined) return null
  const { events, ...head } = rows[0]
  return { head, events }
}

const selectEvents = statement(
  'events',
  build
    .selectFrom('event as e')
    .select(eventColumns)
    .where('e.run_id', '=', '')
    .where('e.seq', '>', 0)
    .orderBy('e.seq')
    .limit(0)
    .compile(),
)

export async function readEvents(
  pool: Pool,
  runId: string,
  page: { readonly after?: number; readonly limit?: number },
): Promise<readonly StoredEvent[]> {
  if (!isUuid(runId)) return []
  const limit = pageSize(page.limit, limits.eventsPerRunMax)
  return selectEvents(pool, [runId, page.after ?? 0, limit])
}

const selectConversation = statement(
  'conversation',
  build
    .selectFrom('run as self')
    .innerJoin('run as r', (join) =>
      join.onRef('r.tenant_id', '=', 'self.tenant_id').onRef('r.id', '<=', 'self.id'),
    )
    .innerJoin('event as e', 'e.run_id', 'r.id')
    .select(eventColumns)
    .where('self.id', '=', '')
    .where('r.thread_id', '=', '')
    .where((where) => where.or([where('r.admitted', '=', true), where('r.status', '=', 'ended')]))
    .where(sql<boolean>`e.type = any(${[]})`)
    .orderBy('e.run_id')
    .orderBy('e.seq')
    .compile(),
)

/** Runs that were never admitted have said nothing yet: they are left out until they ended. */
export async function readConversation(
  pool: Pool,
  thread: { readonly threadId: string; readonly runId: string },
  types: readonly string[] = conversationTypes,
): Promise<readonly StoredEvent[]> {
  return selectConversation(pool, [thread.runId, thread.threadId, true, 'ended', [...types]])
}

const selectReadyRuns = statement(
  'ready_runs',
  build
    .selectFrom('run')
    .select(['tenant_id as tenantId', 'id as runId'])
    .where('ready', '=', sql.lit(true))
    // The one that has waited longest first, so that one that never gets decided cannot hide the others.
    .orderBy('updated_at')
    .limit(0)
    .compile(),
)

export async function readReadyRuns(pool: Pool, limit: number): Promise<readonly RunRef[]> {
  return selectReadyRuns(pool, [pageSize(limit, limits.pageMax)])
}
