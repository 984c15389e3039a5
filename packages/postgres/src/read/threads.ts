/**
 * Threads, how they are, and what was said in them. The tenant is not a parameter: RLS is.
 *
 * T1 How a thread is follows from its newest runs: the open ones are among them.
 * T2 What was said in a thread is the lineage of its newest run: see `lineage` in the migration.
 */
import { type JsonObject, limits, untitled } from '@signalbox/core'
import type { GivenTitle, StoredEvent, Thread } from '@signalbox/engine'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { branchesOf, build, compile, lineageOf, pageSize } from '../query.ts'
import { saidWhere } from '../rows.ts'
import type { Page } from './listings.ts'
import { waitsBelow } from './waits-below.ts'

/** Enough to know how a thread is: its open runs are its newest. */
const runsToLookAt = 50

/** `waiting`: a run of it waits for a human. `failed`: its newest run could not do its work. */
export type ThreadStatus = 'idle' | 'busy' | 'waiting' | 'failed'

/** A thread without the key of its content, and how it is. Times in milliseconds since the epoch. */
export interface ThreadView extends Omit<Thread, 'contentKey' | 'ttlMinutes'> {
  /** The title of the thread, and who gave it. Null: it has none. */
  readonly title: GivenTitle | null
  /** When it will be deleted if nobody uses it until then. Null: it will not. */
  readonly ttl: { readonly minutes: number; readonly expiresAt: number } | null
  readonly status: ThreadStatus
  /** Is nothing of it remembered? */
  readonly isPrivate: boolean
  /** When one of its newest runs last changed. */
  readonly updatedAt: number
}

/** By what a listing of threads is sorted. */
export type ThreadOrder = 'threadId' | 'createdAt' | 'updatedAt' | 'status'

/** Which threads a listing shows. Filters join with "and". */
export interface ThreadFilter extends Page {
  readonly ids?: readonly string[]
  /** Keys and values that the metadata must have. */
  readonly metadata?: JsonObject
  readonly status?: ThreadStatus
  /** Default: `createdAt`, newest first. */
  readonly orderBy?: ThreadOrder
  readonly ascending?: boolean
}

/** Which events of a conversation are read, in the order in which things were said. */
export interface ThreadEventsPage {
  readonly types: readonly string[]
  /** The last event seen, one of this conversation. Its run is a uuid, as is `throughRun`. */
  readonly after?: { readonly runId: string; readonly seq: number }
  /** The conversation that this run sees. Default: that the thread's next run will see. */
  readonly throughRun?: string
  /** Instead of one conversation, every one: all that was said on the thread, and before it began. */
  readonly branches?: boolean
  /** At most `limits.pageMax`, which is the default. */
  readonly limit?: number
}

const howItIs = sql`
  left join lateral (
    select bool_or(r.status = 'waiting') as waits, bool_or(r.status <> 'ended') as open,
      max(r.updated_at) as updated_at, (array_agg(r.outcome order by r.id desc))[1] as outcome
    from (
      select r.id, case when ${waitsBelow} then 'waiting' else r.status end as status, r.outcome, r.updated_at
      from signalbox.run r
      where r.tenant_id = t.tenant_id and r.thread_id = t.thread_id and r.outcome is distinct from 'rolled_back'
      order by r.id desc limit ${sql.lit(runsToLookAt)}
    ) r
  ) r on true`

const status = sql`case
  when r.waits then 'waiting' when r.open then 'busy'
  when r.outcome in ('failed', 'interrupted', 'timed_out') then 'failed' else 'idle' end`

/** A conversation, and not deleted for its users. */
const shown = sql`t.hidden_at is null and t.kind is null`

const columns: Readonly<Record<ThreadOrder, RawBuilder<unknown>>> = {
  threadId: sql`t.thread_id`,
  createdAt: sql`t.created_at`,
  updatedAt: sql`greatest(t.created_at, r.updated_at)`,
  status,
}

/** Of a run that is deleted for its users nothing is told, neither what was said in it nor what it was called by that. */
const calledAs = sql`case
  when t.title is null then null
  when t.title_by <> 'user' and exists (
    select from signalbox.run d where d.id = t.title_run and d.thread_id = t.thread_id and d.hidden
  ) then jsonb_build_object('title', ${untitled}::text, 'by', 'words', 'runId', null)
  else jsonb_build_object('title', t.title, 'by', t.title_by, 'runId', t.title_run) end`

const selected = sql`
  select t.thread_id as "threadId", t.tenant_id as "tenantId", t.metadata,
    signalbox.to_ms(t.created_at)::float8 as "createdAt",
    ${calledAs} as title, coalesce(t.memory = 'off', false) as "isPrivate",
    signalbox.to_ms(${columns.updatedAt})::float8 as "updatedAt", ${status} as status,
    case when t.ttl_minutes is not null then jsonb_build_object('minutes', t.ttl_minutes, 'expiresAt',
      signalbox.to_ms(greatest(t.ttl_since, r.updated_at) + interval '1 minute' * t.ttl_minutes)) end as ttl
  from signalbox.thread t ${howItIs}`

export function threadQuery(threadId: string): CompiledQuery<ThreadView> {
  return compile(sql<ThreadView>`${selected} where t.thread_id = ${threadId} and ${shown}`)
}

export function threadsQuery(filter: ThreadFilter): CompiledQuery<ThreadView> {
  const { orderBy = 'createdAt', ascending = false } = filter
  const direction = ascending ? sql`asc` : sql`desc`
  const tie = orderBy === 'threadId' ? sql`` : sql`, t.thread_id`
  return compile(sql<ThreadView>`${selected} where ${matches(filter)}
    order by ${columns[orderBy]} ${direction} ${tie}
    limit ${pageSize(filter.limit, limits.pageMax)} offset ${filter.offset ?? 0}`)
}

export function threadCountQuery(filter: ThreadFilter): CompiledQuery<{ readonly count: number }> {
  const how = filter.status === undefined ? sql`` : howItIs
  return compile(sql<{ readonly count: number }>`
    select count(*)::int as count from signalbox.thread t ${how} where ${matches(filter)}`)
}

function matches(filter: ThreadFilter): RawBuilder<unknown> {
  const { ids, metadata } = filter
  const conditions = [
    shown,
    ...(ids === undefined ? [] : [sql`t.thread_id = any(${[...ids]})`]),
    ...(metadata === undefined ? [] : [sql`t.metadata @> ${JSON.stringify(metadata)}::jsonb`]),
    ...(filter.status === undefined ? [] : [sql`${status} = ${filter.status}`]),
  ]
  return sql.join(conditions, sql` and `)
}

/** Of the session, as row-level security has it. */
const currentTenant = sql<string>`current_setting('signalbox.tenant', true)`

/** Read run by run, by the primary key: a page costs what it brings, however long the thread is. */
export function threadEventsQuery(
  threadId: string,
  page: ThreadEventsPage,
): CompiledQuery<StoredEvent> {
  const { types, after, throughRun, branches = false } = page
  const heard = branches
    ? branchesOf(currentTenant, threadId)
    : lineageOf(currentTenant, threadId, throughRun ?? null)
  const rows = pageSize(page.limit, limits.pageMax)
  const unseen = after
    ? sql<boolean>`(e.run_id <> ${after.runId}::uuid or e.seq > ${after.seq})`
    : sql<boolean>`true`
  let query = build
    .with('heard', (db) => db.selectFrom(heard.as('h')).selectAll())
    // In order before their events are read: so a page ends when it is full.
    .selectFrom((db) =>
      db.selectFrom('heard').selectAll().orderBy('stretch', 'desc').orderBy('place').as('l'),
    )
    .innerJoinLateral(
      saidWhere(sql<boolean>`e.type = any(${[...types]}) and ${unseen}`, rows),
      (join) => join.onTrue(),
    )
    .selectAll('said')
    .orderBy('l.stretch', 'desc')
    .orderBy('l.place')
    .orderBy('said.seq')
    .limit(rows)
  if (after !== undefined)
    query = query.where(
      sql<boolean>`(-l.stretch, l.place) >= (
        select -seen.stretch, seen.place from heard seen where seen.run_id = ${after.runId}::uuid)`,
    )
  return query.compile()
}
