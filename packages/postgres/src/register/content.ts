/** Definitions, threads and blobs: written once, by key, never changed. */
import { AgentDefinition } from '@signalbox/core'
import type { Register, Thread } from '@signalbox/engine'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { build, compile, fetchRows, inHex, inMs } from '../query.ts'

type ContentPort = Pick<
  Register,
  'putDefinition' | 'definition' | 'putBlob' | 'blob' | 'ensureThread'
>

export function contentOf(pool: Pool): ContentPort {
  return {
    async putDefinition(hash, definition) {
      const body = JSON.stringify(definition)
      await fetchRows(
        pool,
        compile(sql<object>`select signalbox.put_definition(${hash}, ${body}::jsonb)`),
        'put_definition',
      )
    },
    async definition(hash) {
      const query = build.selectFrom('definition').select('body').where('hash', '=', hash)
      const rows = await fetchRows(pool, query.compile(), 'definition')
      // Parsed, so that a definition stored by an older version gets the defaults of what came later.
      return rows[0] === undefined ? null : AgentDefinition.parse(rows[0].body)
    },
    async putBlob({ tenantId, threadId }, { key, mime, bytes }) {
      const put = sql<object>`
        select signalbox.put_blob(${tenantId}, ${threadId}, ${key}, ${mime}, ${Buffer.from(bytes)})`
      await fetchRows(pool, compile(put), 'put_blob')
    },
    async blob({ tenantId, threadId }, key) {
      const query = build
        .selectFrom('blob')
        .select(['mime', 'bytes'])
        .where('tenant_id', '=', tenantId)
        .where('thread_id', '=', threadId)
        .where('key', '=', key)
      const rows = await fetchRows(pool, query.compile(), 'blob')
      return rows[0] ?? null
    },
    ensureThread: (thread) => ensureThread(pool, thread),
  }
}

async function ensureThread(pool: Pool, thread: Thread): Promise<Thread | null> {
  const { threadId, tenantId, metadata, createdAt, contentKey } = thread
  const ensured = sql<Thread>`
    select thread_id as "threadId", tenant_id as "tenantId", metadata,
      ${inMs('created_at')} as "createdAt", ${inHex('content_key')} as "contentKey"
    from signalbox.ensure_thread(${threadId}, ${tenantId}, ${JSON.stringify(metadata)}::jsonb,
      ${createdAt}, ${Buffer.from(contentKey, 'hex')})`
  const rows = await fetchRows(pool, compile(ensured), 'ensure_thread')
  return rows[0] ?? null
}
