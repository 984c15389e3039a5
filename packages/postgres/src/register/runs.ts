/** Reads of runs and their events. */
import { conversationTypes, limits } from '@signalbox/core'
import type { Moment, Register, RunHead, RunRef, RunTail, StoredEvent } from '@signalbox/engine'
import { type RawBuilder, sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { Pool } from 'pg'
import {
  build,
  compile,
  fetchRows,
  isUuid,
  lineageOf,
  noneOf,
  pageSize,
  statement,
  turnOf,
} from '../query.ts'
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

const tenantOfRun = sql<string>`(select tenant_id from signalbox.run where id = ${''})`

/** Events of a lineage, in the order in which they were said. */
const saidWhere = (condition: RawBuilder<boolean>) =>
  build
    .selectFrom(lineageOf(tenantOfRun, '', '').as('l'))
    .innerJoinLateral(
      (run) =>
        run
          .selectFrom('event as e')
          .select(eventColumns)
          .whereRef('e.run_id', '=', 'l.run_id')
          .where(condition)
          .where(sql<boolean>`(l.through is null or e.seq <= l.through)`)
          .orderBy('e.seq')
          .limit(sql.lit(limits.eventsPerRunMax))
          .as('said'),
      (join) => join.onTrue(),
    )
    .selectAll('said')
    .orderBy('l.stretch', 'desc')
    .orderBy('l.place')
    .orderBy('said.seq')
    .compile()

const selectConversation = statement('conversation', saidWhere(sql<boolean>`e.type = any(${[]})`))

const selectChangedFiles = statement(
  'changed_files',
  saidWhere(sql<boolean>`e.type in ('run.created', 'tool.completed') and e.payload ? 'files'`),
)

/** What the calls of a conversation changed in files, and what its runs were given, up to and including the run. */
export async function readChangedFiles(
  pool: Pool,
  thread: { readonly threadId: string; readonly runId: string },
): Promise<readonly StoredEvent[]> {
  return selectChangedFiles(pool, [thread.runId, thread.threadId, thread.runId])
}

/** What was said up to and including the run: see `lineage` in the migration. */
export async function readConversation(
  pool: Pool,
  thread: { readonly threadId: string; readonly runId: string },
  types: readonly string[] = conversationTypes,
): Promise<readonly StoredEvent[]> {
  return selectConversation(pool, [thread.runId, thread.threadId, thread.runId, [...types]])
}

/** Runs of a lineage from a known one on, and their events after a moment of it. */
const selectContinuation = statement(
  'continuation',
  build
    .with('heard', (db) => db.selectFrom(lineageOf(tenantOfRun, '', '').as('h')).selectAll('h'))
    .selectFrom('heard as k')
    .innerJoin('heard as l', (join) =>
      join.on(
        sql<boolean>`(l.stretch < k.stretch or (l.stretch = k.stretch and l.place >= k.place))`,
      ),
    )
    .innerJoinLateral(
      (run) =>
        run
          .selectFrom('event as e')
          .select(eventColumns)
          .whereRef('e.run_id', '=', 'l.run_id')
          .where(sql<boolean>`e.type = any(${[]})`)
          .where(sql<boolean>`(l.through is null or e.seq <= l.through)`)
          .where(sql<boolean>`(l.run_id <> k.run_id or e.seq > ${0})`)
          .orderBy('e.seq')
          .limit(sql.lit(limits.eventsPerRunMax))
          .as('said'),
      (join) => join.onTrue(),
    )
    .selectAll('said')
    .where('k.run_id', '=', '')
    .where(sql<boolean>`(k.through is null or k.through >= ${0})`)
    .orderBy('l.stretch', 'desc')
    .orderBy('l.place')
    .orderBy('said.seq')
    .compile(),
)

/** A run begins with an event that is conversation, so there is always something after a moment of a run before it. */
export async function readContinuation(
  pool: Pool,
  { threadId, runId }: { readonly threadId: string; readonly runId: string },
  known: Moment,
): Promise<readonly StoredEvent[] | null> {
  const { runId: after, seq } = known
  if (after === runId) return null
  const values = [runId, threadId, runId, conversationTypes, seq, after, seq]
  const events = await selectContinuation(pool, values)
  return events.length === 0 ? null : events
}

const selectReadyRuns = statement(
  'ready_runs',
  build
    .selectFrom(
      build
        .selectFrom('run')
        .select(['tenant_id', 'id', 'updated_at'])
        // The one that has waited longest first, so that one that never gets decided cannot hide the others.
        .select(turnOf('tenant_id', 'updated_at').as('turn'))
        .where('ready', '=', sql.lit(true))
        .where(noneOf('id', []))
        .as('r'),
    )
    .select(['r.tenant_id as tenantId', 'r.id as runId'])
    .orderBy('r.turn')
    .orderBy('r.updated_at')
    .limit(0)
    .compile(),
)

export async function readReadyRuns(
  pool: Pool,
  limit: number,
  except: readonly string[] = [],
): Promise<readonly RunRef[]> {
  return selectReadyRuns(pool, [[...except], pageSize(limit, limits.pageMax)])
}

export async function repairState(
  pool: Pool,
  { tenantId, runId }: RunRef,
  { decided, state, notes }: Parameters<Register['repairState']>[1],
): Promise<boolean> {
  const repaired = sql<{ done: boolean }>`
    select signalbox.repair_run(${tenantId}, ${runId}::uuid, ${decided}, ${JSON.stringify(state)},
      ${JSON.stringify(notes)}::jsonb) as done`
  const rows = await fetchRows(pool, compile(repaired), 'repair_run')
  return rows[0]?.done === true
}
