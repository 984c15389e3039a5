/** Reads of runs and their events. */
import { conversationTypes, limits } from '@signalbox/core'
import type { Register } from '@signalbox/engine'
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
import { eventColumns, runColumns, saidWhere } from '../rows.ts'

const selectHead = statement(
  'head',
  build.selectFrom('run as r').select(runColumns).where('r.id', '=', '').compile(),
)

/** Where a tail begins, for a process that has read the run up to a sequence number. Null: it has read nothing of it. */
const tailFrom = sql<number>`case when r.decided - ${null}::int between 0 and ${sql.lit(limits.tailEventsMax)}
  then ${null}::int else r.decided end`

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
          .where('e.seq', '>', tailFrom)
          .orderBy('e.seq'),
      ).as('events'),
    )
    .where('r.id', '=', '')
    .compile(),
)

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

const tenantOfRun = sql<string>`(select tenant_id from signalbox.run where id = ${''})`

const eventsMax = sql.lit(limits.eventsPerRunMax)

/** Events of a lineage, in the order in which they were said. */
const selectSaid = (name: string, condition: RawBuilder<boolean>) =>
  statement(
    name,
    build
      .selectFrom(lineageOf(tenantOfRun, '', '').as('l'))
      .innerJoinLateral(saidWhere(condition, eventsMax), (join) => join.onTrue())
      .selectAll('said')
      .orderBy('l.stretch', 'desc')
      .orderBy('l.place')
      .orderBy('said.seq')
      .compile(),
  )

const selectConversation = selectSaid('conversation', sql<boolean>`e.type = any(${[]})`)

const selectChangedFiles = selectSaid(
  'changed_files',
  sql<boolean>`e.type in ('run.created', 'tool.completed', 'child.ended') and e.payload ?| array['files', 'filesFrom']`,
)

/** The run whose turns the newest summary of a lineage keeps; no row where there is no summary, or it was erased. */
const cutRun = sql<{ run: string | null }>`(
  select (e.payload #>> '{keep,runId}')::uuid from heard h
    join signalbox.event e on e.run_id = h.run_id and e.type = 'context.compacted'
      and (h.through is null or e.seq <= h.through)
  where e.payload is not null
  order by h.stretch, h.place desc, e.seq desc limit 1)`

/** Events of a lineage without the runs before that one. */
const selectSinceCut = statement(
  'since_cut',
  build
    .with('heard', (db) => db.selectFrom(lineageOf(tenantOfRun, '', '').as('h')).selectAll('h'))
    .with('cut(run)', () => cutRun)
    .selectFrom('heard as l')
    .innerJoinLateral(saidWhere(sql<boolean>`e.type = any(${[]})`, eventsMax), (join) =>
      join.onTrue(),
    )
    .selectAll('said')
    .where(
      sql<boolean>`not exists (select from cut c join heard k on k.run_id = c.run
        where l.stretch > k.stretch or (l.stretch = k.stretch and l.place < k.place))`,
    )
    .orderBy('l.stretch', 'desc')
    .orderBy('l.place')
    .orderBy('said.seq')
    .compile(),
)

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
      saidWhere(
        sql<boolean>`e.type = any(${[]}) and (l.run_id <> k.run_id or e.seq > ${0})`,
        eventsMax,
      ),
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

type RunPort = Pick<
  Register,
  | 'head'
  | 'tail'
  | 'events'
  | 'changedFiles'
  | 'conversation'
  | 'continuation'
  | 'sinceCut'
  | 'readyRuns'
  | 'repairState'
>

export function runsOf(pool: Pool): RunPort {
  return {
    async head(runId) {
      if (!isUuid(runId)) return null
      return (await selectHead(pool, [runId]))[0] ?? null
    },
    async tail(runId, after) {
      if (!isUuid(runId)) return null
      const rows = await selectTail(pool, [runId, after, after, runId])
      if (rows[0] === undefined) return null
      const { events, ...head } = rows[0]
      return { head, events }
    },
    async events(runId, page) {
      if (!isUuid(runId)) return []
      const limit = pageSize(page.limit, limits.eventsPerRunMax)
      return selectEvents(pool, [runId, page.after ?? 0, limit])
    },
    /** The events that say which files calls changed and runs were given, of what the run goes on from and its own. */
    changedFiles: (threadId, runId) => selectChangedFiles(pool, [runId, threadId, runId]),
    /** The events said up to and including the run: see `lineage` in the migration. */
    conversation: (threadId, runId) =>
      selectConversation(pool, [runId, threadId, runId, [...conversationTypes]]),
    sinceCut: (threadId, runId) =>
      selectSinceCut(pool, [runId, threadId, runId, [...conversationTypes]]),
    /** A run that has its place begins with an event that is conversation: something is always said after a moment before it. */
    async continuation(threadId, runId, { runId: after, seq }) {
      if (after === runId) return null
      const values = [runId, threadId, runId, conversationTypes, seq, after, seq]
      const events = await selectContinuation(pool, values)
      return events.length === 0 ? null : events
    },
    readyRuns: async (limit, except = []) =>
      selectReadyRuns(pool, [[...except], pageSize(limit, limits.pageMax)]),
    async repairState({ tenantId, runId }, { decided, state, notes }) {
      const repaired = sql<{ done: boolean }>`
        select signalbox.repair_run(${tenantId}, ${runId}::uuid, ${decided}, ${JSON.stringify(state)},
          ${JSON.stringify(notes)}::jsonb) as done`
      const rows = await fetchRows(pool, compile(repaired), 'repair_run')
      return rows[0]?.done === true
    },
  }
}
