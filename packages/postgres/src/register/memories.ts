/** Memories: their threads, what their runs changed, and what is known of the runs that they were made of. */
import { limits, memoryToolNames, type Moment, type PinnedRange } from '@signalbox/core'
import type { Learning, MemoryPort, MemoryThread, RunStanding } from '@signalbox/engine'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import {
  build,
  compile,
  fetchRows,
  inHex,
  inMs,
  isUuid,
  lineageOf,
  only,
  statement,
} from '../query.ts'
import { saidWhere } from '../rows.ts'

const tools = sql.join(memoryToolNames.map((name) => sql.lit(name)))

/** The columns tell the calls that may change a memory: of the others no payload is read. */
const isChange = sql<boolean>`(e.seq = 1 and e.payload ? 'edit'
  or e.type = 'tool.completed' and e.tool in (${tools}) and e.payload ? 'memory')`

const selectEvents = statement(
  'memory_events',
  build
    .selectFrom(lineageOf(sql<string>`${''}`, '', '').as('l'))
    .innerJoinLateral(saidWhere(isChange, sql.lit(limits.eventsPerRunMax)), (join) => join.onTrue())
    .selectAll('said')
    .orderBy('l.stretch', 'desc')
    .orderBy('l.place')
    .orderBy('said.seq')
    .compile(),
)

/** From the newest run on: the first that fits is the one. */
const selectLearned = statement(
  'learned_from',
  compile(sql<{ learned: PinnedRange }>`
    select p.learned from signalbox.run r
      join signalbox.event c on c.run_id = r.id and c.seq = 1
      cross join lateral (
        select e.payload #> '{pinned,learned}' as learned from signalbox.event e
        where e.run_id = r.id and e.type = 'model.completed' and e.payload #> '{pinned,learned}' is not null
        order by e.seq limit 1) p
    where r.tenant_id = ${''} and r.thread_id = ${''} and r.place is not null and r.outcome = 'completed'
      and c.payload #>> '{learn,threadId}' = ${''}
    order by r.place desc limit 1`),
)

const selectLearnings = statement(
  'learnings',
  compile(sql<Learning>`
    select r.id as "runId", r.outcome, ${inMs('r.updated_at')} as "endedAt" from signalbox.run r
      join signalbox.event c on c.run_id = r.id and c.seq = 1
    where r.tenant_id = ${''} and r.thread_id = ${''} and r.place is not null and r.outcome is not null
      and c.payload ? 'learn'
    order by r.place desc limit ${0}`),
)

/** Few runs of a thread are open. */
const selectLater = statement(
  'learns_later',
  compile(sql<object>`
    select 1 from signalbox.run r join signalbox.event c on c.run_id = r.id and c.seq = 1
    where r.tenant_id = ${''} and r.thread_id = ${''} and r.status <> 'ended' and r.id <> ${''}::uuid
      and (r.place is null or r.place > coalesce((select o.place from signalbox.run o where o.id = ${''}::uuid), 0))
      and c.payload #>> '{memory,threadId}' = ${''} and c.payload #> '{memory,learn}' = 'true'
    limit 1`),
)

const selectStandings = statement(
  'run_standings',
  compile(sql<RunStanding>`
    select r.id as "runId", r.thread_id as "threadId", r.place, r.outcome,
      r.hidden or exists (select from signalbox.thread t
        where t.tenant_id = r.tenant_id and t.thread_id = r.thread_id and t.hidden_at is not null) as "isHidden"
    from signalbox.run r where r.tenant_id = ${''} and r.id = any(${[]}::uuid[])`),
)

const selectStanding = statement(
  'standing_events',
  compile(sql<Moment>`
    select e.run_id as "runId", e.seq
    from jsonb_to_recordset(${'[]'}::jsonb) m ("runId" uuid, seq int)
      join signalbox.run r on r.id = m."runId" and r.tenant_id = ${''}
      join signalbox.event e on e.run_id = r.id and e.seq = m.seq
    where e.payload is not null and not r.hidden and r.outcome is distinct from 'rolled_back'
      and not exists (select from signalbox.thread t
        where t.tenant_id = r.tenant_id and t.thread_id = r.thread_id and t.hidden_at is not null)`),
)

const selectBlobs = statement(
  'blobs',
  compile(sql<{ key: string; bytes: Uint8Array }>`
    select key, bytes from signalbox.blob
    where tenant_id = ${''} and thread_id = ${''} and key = any(${[]}::text[])`),
)

const selectOff = statement(
  'memory_off',
  compile(sql<object>`
    select 1 from signalbox.thread where tenant_id = ${''} and thread_id = ${''} and memory = 'off'`),
)

const selectMemories = statement(
  'memories',
  compile(sql<MemoryThread>`
    select thread_id as "threadId", tenant_id as "tenantId", metadata as about,
      ${inMs('created_at')} as "createdAt", ${inHex('content_key')} as "contentKey"
    from signalbox.thread
    where kind = 'memory' and tenant_id = ${''} and hidden_at is null and metadata @> ${'{}'}::jsonb
    order by created_at, thread_id limit ${sql.lit(limits.pageMax)}`),
)

/** The part of the register that is about memories. */
export function memoriesOf(pool: Pool): MemoryPort {
  return {
    ensureMemory: async ({ tenantId, threadId, about, createdAt, contentKey }) => {
      const kept = sql<{ kept: boolean }>`select signalbox.keep_memory(${threadId}, ${tenantId},
        ${JSON.stringify(about)}::jsonb, ${createdAt}::bigint, decode(${contentKey}, 'hex')) as kept`
      return only(await fetchRows(pool, compile(kept), 'keep_memory')).kept
    },
    isMemoryOff: async ({ tenantId, threadId }) =>
      (await selectOff(pool, [tenantId, threadId])).length > 0,
    setMemory: async ({ tenantId, threadId }, isOff) => {
      const set = sql<{ code: 'ok' | 'no_thread' }>`
        select signalbox.set_memory(${threadId}, ${tenantId}, ${isOff}) as code`
      return only(await fetchRows(pool, compile(set), 'set_memory')).code
    },
    memoryEvents: async ({ tenantId, threadId }, through) => {
      const events = await selectEvents(pool, [tenantId, threadId, through?.runId ?? null])
      if (through === null) return events
      return events.filter(({ runId, seq }) => runId !== through.runId || seq <= through.seq)
    },
    learnedFrom: async (memory, threadId) =>
      (await selectLearned(pool, [memory.tenantId, memory.threadId, threadId]))[0]?.learned ?? null,
    learnings: ({ tenantId, threadId }, limit) =>
      selectLearnings(pool, [tenantId, threadId, limit]),
    learnsLater: async ({ tenantId, threadId, runId }, memoryThreadId) =>
      (await selectLater(pool, [tenantId, threadId, runId, runId, memoryThreadId])).length > 0,
    standings: (tenantId, runIds) =>
      selectStandings(pool, [tenantId, [...new Set(runIds)].filter(isUuid)]),
    standing: (tenantId, moments) =>
      selectStanding(pool, [
        JSON.stringify(moments.filter(({ runId }) => isUuid(runId))),
        tenantId,
      ]),
    blobs: async ({ tenantId, threadId }, keys) => {
      if (keys.length === 0) return new Map()
      const rows = await selectBlobs(pool, [tenantId, threadId, [...keys]])
      return new Map(rows.map(({ key, bytes }) => [key, bytes]))
    },
    eraseMemory: async ({ tenantId, threadId }, contentKey) => {
      const erased = sql<{ gone: number | null }>`
        select signalbox.erase_memory(${threadId}, ${tenantId}, decode(${contentKey}, 'hex')) as gone`
      return only(await fetchRows(pool, compile(erased), 'erase_memory')).gone
    },
    memories: (tenantId, about) => selectMemories(pool, [tenantId, JSON.stringify(about)]),
  }
}
