/** Reads of runs that wait for their thread. Who is named here is not admitted yet: `append` decides, under a lock. */
import { limits } from '@signalbox/core'
import type { Register, Superseded } from '@signalbox/engine'
import { type RawBuilder, sql } from 'kysely'
import type { Pool } from 'pg'
import { build, noneOf, pageSize, statement, turnOf } from '../query.ts'

/** Its agent is paused. The pause is read where the run is admitted, too; here, so that it is not tried all the time. */
const isPaused = (run: string): RawBuilder<boolean> => sql<boolean>`exists (
  select from signalbox.pause p
  where p.tenant_id = ${sql.ref(`${run}.tenant_id`)} and p.target = 'agent' and p.name = ${sql.ref(`${run}.agent`)}
    and coalesce(p.until > now(), true))`

/** Waiting runs that are due, whose thread nobody holds, and whose agent is not paused. Literals, not parameters: the partial indexes must match in a generic plan. */
const admissible = build
  .selectFrom('run as r')
  .select(['r.tenant_id as tenantId', 'r.id as runId'])
  .where('r.status', '<>', sql.lit('ended'))
  .where('r.admitted', '=', sql.lit(false))
  .where(sql<boolean>`r.due_at <= now()`)
  .where(sql<boolean>`not ${isPaused('r')}`)
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

/** A lane with its limits: who was created under an older configuration stands under its limits. */
const laneOf = (of: string): RawBuilder<unknown> =>
  sql.raw(`${of}.tenant_id, ${of}.key, coalesce(${of}.most, -1), coalesce(${of}.rate, -1)`)

/** The lanes that somebody waits for and that are full: each is counted once. */
const fullLanes = sql`(
  select w.* from (
    select distinct tenant_id, key, most, rate, per_ms from signalbox.lane
    where admitted_at is null and not over) w
  where signalbox.lane_full(w.tenant_id, w.key, w.most, w.rate, w.per_ms, now()))`

/**
 * Of each thread the first, of those whose lanes have room. Tenants take turns; of each the most urgent first, and then who has
 * waited longest.
 */
const selectAdmissibleRuns = statement(
  'admissible_runs',
  build
    .selectFrom(
      admissible
        .select(['r.priority', 'r.due_at as dueAt', 'r.laned'])
        .distinctOn(['r.tenant_id', 'r.thread_id'])
        .orderBy('r.tenant_id')
        .orderBy('r.thread_id')
        .orderBy('r.due_at')
        .orderBy('r.id')
        .as('first'),
    )
    .select(['first.tenantId', 'first.runId'])
    .where(
      sql<boolean>`not (first.laned and exists (
        select from signalbox.lane l
        where l.run_id = first."runId" and (${laneOf('l')}) in (select ${laneOf('f')} from ${fullLanes} f)))`,
    )
    // Of a thread whose first is left out, nobody else is meant either.
    .where(noneOf('first.runId', []))
    .orderBy(turnOf('first.tenantId', 'first.priority desc, first."dueAt", first."runId"'))
    .orderBy('first.priority', 'desc')
    .orderBy('first.dueAt')
    .orderBy('first.runId')
    .limit(0)
    .compile(),
)

const selectNextInThread = statement(
  'next_in_thread',
  admissible
    .where('r.tenant_id', '=', '')
    .where('r.thread_id', '=', '')
    .where(sql<boolean>`not (r.laned and signalbox.lanes_full(r.id, now()))`)
    .orderBy('r.due_at')
    .orderBy('r.id')
    .limit(1)
    .compile(),
)

/** The runs that a waiting one wants out of its way. Of all threads, or of one. */
const superseded = build
  .selectFrom('run as w')
  .innerJoin('run as r', (join) =>
    join.onRef('r.tenant_id', '=', 'w.tenant_id').onRef('r.thread_id', '=', 'w.thread_id'),
  )
  .select(['r.tenant_id as tenantId', 'r.id as runId', 'w.multitask as action', 'w.id as by'])
  .where(sql<boolean>`w.multitask in ('interrupt', 'rollback')`)
  .where('w.admitted', '=', sql.lit(false))
  .where('w.status', '<>', sql.lit('ended'))
  .where(sql<boolean>`w.due_at <= now()`)
  .where('r.status', '<>', sql.lit('ended'))
  .where('r.cancel_requested', '=', sql.lit(false))
  .where(sql<boolean>`(r.due_at, r.id) < (w.due_at, w.id)`)
  .where(noneOf('r.id', []))
  .orderBy('r.id')
  .orderBy('w.id')
  .$narrowType<{ action: Superseded['action'] }>()

const selectSuperseded = statement('superseded', superseded.limit(0).compile())

const selectSupersededOn = statement(
  'superseded_on',
  superseded.where('w.tenant_id', '=', '').where('w.thread_id', '=', '').limit(0).compile(),
)

/** Of each lane of a run, those that wait for it in their order, whose other lanes have room and whose thread is free. */
const selectNextInLanes = statement(
  'next_in_lanes',
  build
    .selectFrom('lane as own')
    .innerJoinLateral(
      (own) =>
        own
          .selectFrom('lane as w')
          .innerJoin('run as q', 'q.id', 'w.run_id')
          .select(['q.tenant_id as tenantId', 'q.id as runId', 'q.priority', 'q.due_at as dueAt'])
          .whereRef('w.tenant_id', '=', 'own.tenant_id')
          .whereRef('w.key', '=', 'own.key')
          .where(sql<boolean>`w.admitted_at is null and not w.over and w.due_at <= now()`)
          .where(
            sql<boolean>`not exists (
              select from signalbox.run o
              where o.tenant_id = q.tenant_id and o.thread_id = q.thread_id and o.status <> 'ended'
                and o.id <> q.id and (o.admitted or (o.due_at, o.id) < (q.due_at, q.id)))`,
          )
          .where(sql<boolean>`not signalbox.lanes_full(q.id, now())`)
          .where(sql<boolean>`not ${isPaused('q')}`)
          .orderBy('w.priority', 'desc')
          .orderBy('w.due_at')
          .orderBy('w.run_id')
          .limit(0)
          .as('next'),
      (join) => join.onTrue(),
    )
    .select(['next.tenantId', 'next.runId'])
    .distinctOn(['next.priority', 'next.dueAt', 'next.runId'])
    .where('own.run_id', '=', '')
    .where(
      sql<boolean>`not signalbox.lane_full(own.tenant_id, own.key, own.most, own.rate, own.per_ms, now())`,
    )
    .orderBy('next.priority', 'desc')
    .orderBy('next.dueAt')
    .orderBy('next.runId')
    .compile(),
)

type AdmissionPort = Pick<
  Register,
  'admissibleRuns' | 'nextInThread' | 'superseded' | 'nextInLanes'
>

export function admissionsOf(pool: Pool): AdmissionPort {
  return {
    admissibleRuns: async (limit, except = []) =>
      selectAdmissibleRuns(pool, [[...except], pageSize(limit, limits.pageMax)]),
    nextInThread: async (tenantId, threadId) =>
      (await selectNextInThread(pool, [tenantId, threadId, 1]))[0] ?? null,

    async superseded(limit, thread, except = []) {
      const rows = pageSize(limit, limits.pageMax)
      return thread
        ? selectSupersededOn(pool, [[...except], thread.tenantId, thread.threadId, rows])
        : selectSuperseded(pool, [[...except], rows])
    },
    nextInLanes: async (runId, limit) =>
      selectNextInLanes(pool, [pageSize(limit, limits.pageMax), runId]),
  }
}
