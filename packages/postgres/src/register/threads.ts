/** Threads: made once, their metadata and their titles changed, hidden from their users, never gone. */
import type { Register, Thread, ThreadTitle } from '@signalbox/engine'
import { limits } from '@signalbox/core'
import { type RawBuilder, sql } from 'kysely'
import type { Pool } from 'pg'
import { build, compile, fetchRows, inHex, inMs, statement } from '../query.ts'

type ThreadPort = Pick<
  Register,
  'ensureThread' | 'ensureThreads' | 'changeThread' | 'threadTitle' | 'giveTitle' | 'hideThread'
>

export function threadsOf(pool: Pool): ThreadPort {
  return {
    ensureThread: async (thread) => (await ensureThreads(pool, [thread]))[0] ?? null,
    ensureThreads: (threads) => ensureThreads(pool, threads),
    changeThread: ({ tenantId, threadId }, { metadata, ttlMinutes: minutes }) => {
      const ttl = minutes === undefined ? null : JSON.stringify({ minutes })
      const given = JSON.stringify(metadata)
      return ask(
        pool,
        'change_thread',
        sql`signalbox.change_thread(${threadId}, ${tenantId}, ${given}::jsonb, ${ttl}::jsonb)`,
      )
    },
    threadTitle: async ({ tenantId, threadId }) =>
      (await titles(pool, [tenantId, threadId]))[0] ?? null,
    giveTitle: ({ tenantId, threadId }, { title, by, runId }) =>
      ask(
        pool,
        'give_title',
        sql`signalbox.give_title(${threadId}, ${tenantId}, ${title}, ${by}, ${runId}::uuid)`,
      ),
    hideThread: ({ tenantId, threadId }, expired) => {
      const lastRunId = expired?.lastRunId ?? null
      return ask(
        pool,
        'hide_thread',
        sql`signalbox.hide_thread(${threadId}, ${tenantId}, ${expired !== undefined}, ${lastRunId}::uuid)`,
      )
    },
  }
}

/** The code that a function answers. */
async function ask<Code extends string>(
  pool: Pool,
  name: string,
  call: RawBuilder<unknown>,
): Promise<Code> {
  const rows = await fetchRows(pool, compile(sql<{ code: Code }>`select ${call} as code`), name)
  if (!rows[0]) throw new Error(`${name} has answered nothing`)
  return rows[0].code
}

const titles = statement(
  'thread_title',
  sql<ThreadTitle>`
    select t.title, t.title_by as "by", t.title_run as "runId", coalesce(r.outcome = 'completed', false) as "isOfCompleted"
    from signalbox.thread t left join signalbox.run r on r.id = t.title_run
    where t.tenant_id = ${''} and t.thread_id = ${''} and t.title is not null and t.hidden_at is null`.compile(
    build,
  ),
)

/** By id: of two who make the same threads at once, one waits for the other, and neither for both. */
const ensured = statement(
  'ensure_threads',
  sql<Thread & { readonly n: number; readonly isMemory: boolean }>`
    select asked.n, t.thread_id as "threadId", t.tenant_id as "tenantId", t.metadata,
      ${inMs('t.created_at')} as "createdAt", ${inHex('t.content_key')} as "contentKey",
      coalesce(t.kind = 'memory', false) as "isMemory"
    from (
      select (n - 1)::int as n, wanted
      from jsonb_array_elements(${'[]'}::jsonb) with ordinality each (wanted, n)
      order by wanted ->> 'threadId'
    ) asked
    cross join lateral signalbox.ensure_thread(wanted ->> 'threadId', wanted ->> 'tenantId', wanted -> 'metadata',
      (wanted ->> 'createdAt')::bigint, decode(wanted ->> 'contentKey', 'hex'),
      (wanted #>> '{origin,runId}')::uuid, (wanted #>> '{origin,seq}')::int,
      (wanted ->> 'ttlMinutes')::float8) t`.compile(build),
)

async function ensureThreads(
  pool: Pool,
  threads: readonly Thread[],
): Promise<readonly (Thread | null)[]> {
  if (threads.length > limits.pageMax)
    throw new Error(`${threads.length} threads at once; at most ${limits.pageMax}`)
  const rows = await ensured(pool, [JSON.stringify(threads)])
  const found = new Map(
    rows.map(({ n, isMemory, ...thread }): [number, Thread] => [
      n,
      isMemory ? { ...thread, isMemory } : thread,
    ]),
  )
  return threads.map((_, n) => found.get(n) ?? null)
}
