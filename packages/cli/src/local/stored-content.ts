/** Definitions and contents as they lie in the database, for proofs: nothing is read from them here. */
import type { Pool } from 'pg'
import type { Stored } from './run-check.ts'

export interface ThreadOf {
  readonly tenantId: string
  readonly threadId: string
}

/** The body of a definition; undefined if there is none. */
export async function definitionBody(pool: Pool, hash: string): Promise<unknown> {
  const { rows } = await pool.query<{ body: unknown }>(
    'select body from signalbox.definition where hash = $1',
    [hash],
  )
  return rows[0]?.body
}

/** The hashes of all definitions. */
export async function definitionHashes(pool: Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ hash: string }>(
    'select hash from signalbox.definition order by hash',
  )
  return rows.map(({ hash }) => hash)
}

/** What is stored under a key: in the thread itself, else in another one of the tenant, which it has heard. */
export async function storedContent(
  pool: Pool,
  { tenantId, threadId }: ThreadOf,
  key: string,
): Promise<Stored | null> {
  const { rows } = await pool.query<{ bytes: Buffer; threadKey: string | null }>(
    `${contents} and b.thread_id = $3`,
    [tenantId, key, threadId],
  )
  if (rows[0]) return rows[0]
  const others = await pool.query<{ bytes: Buffer; threadKey: string | null }>(
    `${contents} order by t.content_key is null limit 1`,
    [tenantId, key],
  )
  return others.rows[0] ?? null
}

const contents = `
  select b.bytes, encode(t.content_key, 'hex') as "threadKey"
  from signalbox.blob b
  left join signalbox.thread t on t.thread_id = b.thread_id and t.tenant_id = b.tenant_id
  where b.tenant_id = $1 and b.key = $2`
