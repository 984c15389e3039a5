/**
 * The register's tables as a superuser reads them: not through the code that is under test, which might see what it
 * would like to see.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  AgentDefinition,
  Effect,
  EffectMode,
  JsonObjectSchema,
  RunStatus,
  StateName,
} from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { Client } from 'pg'
import { z } from 'zod'
import type { EffectRecord, RunRecord } from '../invariants/run-record.ts'

/** Whose thread's id begins with the first parameter, and all that they have started: those have threads of their own. */
const ofSchedule = `(r.thread_id like $1 || '%' or r.root_id in (
  select top.id from signalbox.run top where top.thread_id like $1 || '%'))`

/** A run, and where its chain must end. */
export interface StoredRun extends RunRecord {
  readonly end: { readonly seq: number; readonly hash: string }
}

const Lane = z.object({
  key: z.string(),
  most: z.number().exactOptional(),
  rate: z.number().exactOptional(),
  perMs: z.number().exactOptional(),
})

const Head = z.object({
  runId: z.string(),
  threadId: z.string(),
  status: RunStatus,
  stateName: StateName,
  state: JsonObjectSchema.nullable(),
  place: z.number().nullable(),
  dueAt: z.number(),
  multitask: z.enum(['enqueue', 'reject', 'interrupt', 'rollback']),
  createdAt: z.number(),
  admittedAt: z.number().nullable(),
  lanes: z.array(Lane),
  seq: z.number(),
  hash: z.string(),
  definition: AgentDefinition.nullable(),
  digestKey: z.string().nullable(),
})

const EffectRow = z.object({
  effectId: z.string(),
  runId: z.string(),
  mode: EffectMode,
  status: z.enum(['pending', 'started', 'done', 'unknown', 'cancelled']),
  attempt: z.number(),
  spec: Effect,
})

/** Milliseconds since the epoch. */
const millis = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`

const headSql = `
  select r.id as "runId", r.thread_id as "threadId", r.status, r.state_name as "stateName", r.state, r.seq,
    r.place, r.multitask, ${millis('r.due_at')} as "dueAt", ${millis('r.created_at')} as "createdAt",
    (select max(${millis('l.admitted_at')}) from signalbox.lane l where l.run_id = r.id) as "admittedAt",
    (select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
      'key', l.key, 'most', l.most, 'rate', l.rate, 'perMs', l.per_ms))), '[]')
      from signalbox.lane l where l.run_id = r.id) as lanes,
    encode(r.head_hash, 'hex') as hash, d.body as definition,
    (select encode(k.key, 'hex') from signalbox.digest_key k where k.tenant_id = r.tenant_id) as "digestKey"
  from signalbox.run r left join signalbox.definition d on d.hash = r.definition_hash
  where ${ofSchedule} order by r.id`

const eventSql = `
  select run_id as "runId", seq, tenant_id as "tenantId", thread_id as "threadId", type, type_version as version,
    (extract(epoch from at) * 1000)::float8 as at, actor, tool, verdict, key, payload,
    encode(salt, 'hex') as salt, encode(payload_sha256, 'hex') as "payloadHash", encode(digest, 'hex') as digest,
    encode(hash, 'hex') as hash, lpad(gpos::text, 20, '0') as position
  from signalbox.event where run_id = any($1) order by run_id, seq`

const effectSql = `
  select id as "effectId", run_id as "runId", mode, status, attempt, spec from signalbox.effect where run_id = any($1)`

/** All runs whose thread's id begins with `threads`, and those they have started. */
export function readRuns(databaseUrl: string, threads: string): Promise<readonly StoredRun[]> {
  return asSuperuser(databaseUrl, async (client) => {
    // One view of all three tables, also of runs that have not settled.
    await client.query('begin isolation level repeatable read')
    const heads = z.array(Head).parse((await client.query(headSql, [threads])).rows)
    const ids = heads.map(({ runId }) => runId)
    const { rows: events } = await client.query<StoredEvent>(eventSql, [ids])
    const effects: readonly EffectRecord[] = z
      .array(EffectRow)
      .parse((await client.query(effectSql, [ids])).rows)
    return heads.map(({ definition, digestKey, seq, hash, ...head }) => ({
      head,
      log: events.filter(({ runId }) => runId === head.runId),
      effects: effects.filter(({ runId }) => runId === head.runId),
      agent: definition ?? undefined,
      digestKey,
      end: { seq, hash },
    }))
  })
}

/** Runs that have not ended, deliveries and titles that are not over, and budgets of trees that nobody has taken away. */
export function countOpen(databaseUrl: string, threads: string): Promise<number> {
  const sql = `select (select count(*) from signalbox.run r where r.status <> 'ended' and ${ofSchedule})::int
    + (select count(*) from signalbox.effect e join signalbox.run r on r.id = e.run_id
      where signalbox.outlives_run(e.kind) and e.status <> 'done' and ${ofSchedule})::int
    + (select count(*) from signalbox.budget b join signalbox.run r on r.id = b.root_id where ${ofSchedule})::int as n`
  return asSuperuser(databaseUrl, async (client) =>
    Number((await client.query(sql, [threads])).rows[0]?.n),
  )
}

/** Has a call that waits been announced again, because its queue held fewer jobs than calls waited? */
export function wasAnnouncedAgain(databaseUrl: string): Promise<boolean> {
  const sql = 'select exists (select from signalbox.effect where announced is not null) as it'
  return asSuperuser(databaseUrl, async (client) => (await client.query(sql)).rows[0]?.it === true)
}

/** How often effects of a kind were started, or calls of a tool. */
export function countStarts(
  databaseUrl: string,
  runId: string,
  tool: string | null,
): Promise<number> {
  const sql = `select count(*)::int as n from signalbox.event
    where run_id = $1 and type = 'effect.started' and tool is not distinct from $2`
  return asSuperuser(databaseUrl, async (client) =>
    Number((await client.query(sql, [runId, tool])).rows[0]?.n),
  )
}

/** Does a model speak to a run of a thread whose id ends so? */
export function isSpeaking(databaseUrl: string, threadEnd: string): Promise<boolean> {
  const sql = `select count(*)::int as n from signalbox.effect e join signalbox.run r on r.id = e.run_id
    where e.kind = 'model.call' and e.status = 'started' and r.thread_id like '%' || $1`
  return asSuperuser(
    databaseUrl,
    async (client) => Number((await client.query(sql, [threadEnd])).rows[0]?.n) > 0,
  )
}

/** Empties every table of BullMQ but the one that says which tables there are. */
export function truncateQueue(databaseUrl: string): Promise<void> {
  return asSuperuser(databaseUrl, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname = 'signalbox_queue' and tablename not like '%migration%'`,
    )
    await client.query(`truncate ${rows.map(({ name }) => name).join(', ')}`)
  })
}

async function asSuperuser<T>(
  databaseUrl: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await connected(databaseUrl)
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The server may be away for a minute on purpose. */
const awayMsMax = 120_000

/** Tries anew: behind an outage the kernel repeats a lost first packet only after a minute, and gives up after two. */
async function connected(databaseUrl: string): Promise<Client> {
  const since = Date.now()
  for (;;) {
    const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      if (Date.now() - since > awayMsMax) throw error
      await sleep(500)
    }
  }
}
