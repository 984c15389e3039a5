/** Threads: made once, their metadata changed, hidden from their users, never gone. */
import type { Register, Thread } from '@signalbox/engine'
import { type RawBuilder, sql } from 'kysely'
import type { Pool } from 'pg'
import { compile, fetchRows, inHex, inMs } from '../query.ts'

type ThreadPort = Pick<Register, 'ensureThread' | 'changeThread' | 'hideThread'>

export function threadsOf(pool: Pool): ThreadPort {
  return {
    ensureThread: (thread) => ensureThread(pool, thread),
    changeThread: ({ tenantId, threadId }, metadata) =>
      ask(
        pool,
        'change_thread',
        sql`signalbox.change_thread(${threadId}, ${tenantId}, ${JSON.stringify(metadata)}::jsonb)`,
      ),
    hideThread: ({ tenantId, threadId }) =>
      ask(pool, 'hide_thread', sql`signalbox.hide_thread(${threadId}, ${tenantId})`),
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

async function ensureThread(pool: Pool, thread: Thread): Promise<Thread | null> {
  const { threadId, tenantId, metadata, createdAt, contentKey, origin } = thread
  const ensured = sql<Thread>`
    select thread_id as "threadId", tenant_id as "tenantId", metadata,
      ${inMs('created_at')} as "createdAt", ${inHex('content_key')} as "contentKey"
    from signalbox.ensure_thread(${threadId}, ${tenantId}, ${JSON.stringify(metadata)}::jsonb,
      ${createdAt}, ${Buffer.from(contentKey, 'hex')}, ${origin?.runId ?? null}::uuid, ${origin?.seq ?? null}::int)`
  const rows = await fetchRows(pool, compile(ensured), 'ensure_thread')
  return rows[0] ?? null
}
