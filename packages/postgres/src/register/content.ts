/** Definitions, blobs, and the keys of digests: written once, by key, never changed. */
import { readStored, type Register, type ThreadRef } from '@signalbox/engine'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { build, compile, fetchRows, lineageOf, only } from '../query.ts'

type ContentPort = Pick<Register, 'putDefinition' | 'definition' | 'putBlob' | 'blob' | 'digestKey'>

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
      return rows[0] === undefined ? null : readStored(hash, rows[0].body)
    },
    async digestKey({ tenantId, key }) {
      const wanted = sql`signalbox.digest_key(${tenantId}, decode(${key}, 'hex'))`
      const stands = sql<{ key: string }>`select encode(${wanted}, 'hex') as key`
      return only(await fetchRows(pool, compile(stands), 'digest_key')).key
    },
    async putBlob({ tenantId, threadId }, { key, mime, bytes }) {
      const put = sql<object>`
        select signalbox.put_blob(${tenantId}, ${threadId}, ${key}, ${mime}, ${Buffer.from(bytes)})`
      await fetchRows(pool, compile(put), 'put_blob')
    },
    async blob({ tenantId, threadId }, key) {
      const own = await readBlob(pool, { tenantId, threadId, key })
      if (own) return own
      // The content of another thread that this one goes on from is stored there.
      const heard = build
        .selectFrom(lineageOf(sql<string>`${tenantId}`, threadId, null).as('l'))
        .innerJoin('run as r', 'r.id', 'l.run_id')
        .select('r.thread_id as threadId')
        .where('r.thread_id', '<>', threadId)
        .distinct()
      for (const other of await fetchRows(pool, heard.compile(), 'threads_heard')) {
        const found = await readBlob(pool, { tenantId, threadId: other.threadId, key })
        if (found) return found
      }
      return null
    },
  }
}

async function readBlob(
  pool: Pool,
  { tenantId, threadId, key }: ThreadRef & { readonly key: string },
): Promise<{ readonly mime: string; readonly bytes: Uint8Array } | null> {
  const query = build
    .selectFrom('blob')
    .select(['mime', 'bytes'])
    .where('tenant_id', '=', tenantId)
    .where('thread_id', '=', threadId)
    .where('key', '=', key)
  const rows = await fetchRows(pool, query.compile(), 'blob')
  return rows[0] ?? null
}
