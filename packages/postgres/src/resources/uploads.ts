/**
 * Uploads of a tenant: content that no run has named yet. It arrives in pieces, so that no process holds a file whole; all files of a
 * request are there at once, or none.
 */
import { sql } from 'kysely'
import { compile } from '../query.ts'
import type { AsTenant } from '../read/tenant-session.ts'

/** A file that arrived whole. */
export interface StoredUpload {
  readonly id: string
  readonly name: string
  readonly mime: string
  readonly bytes: number
  /** Hex. */
  readonly sha256: string
  /** Of the blob that it becomes: the digest of its content under the key of its thread. Hex. */
  readonly key: string
}

/** A piece of an upload that is arriving. */
export interface UploadPart {
  readonly uploadId: string
  /** From 0. */
  readonly n: number
  /** At most `limits.uploadPartBytesMax`. */
  readonly bytes: Uint8Array
}

/** Uploads of one tenant. What belongs to another one is not there. */
export interface Uploads {
  /** Writes the next piece. It belongs to no upload before `finish`. */
  putPart(tenantId: string, part: UploadPart): Promise<void>
  /** All of them are there from now on. `full`: as many as may wait to be named on a thread. */
  finish(
    tenantId: string,
    threadId: string,
    uploads: readonly StoredUpload[],
  ): Promise<'ok' | 'no_thread' | 'full'>
  /** Makes blobs of uploads that a run is about to name, if all of them are there. Answers those that are, in no order. */
  use(tenantId: string, threadId: string, ids: readonly string[]): Promise<readonly StoredUpload[]>
  /** Removes uploads, whole or not. */
  drop(tenantId: string, ids: readonly string[]): Promise<void>
}

/** The uploads over a session that writes. */
export function uploadsOf(write: AsTenant): Uploads {
  return {
    async putPart(tenantId, { uploadId, n, bytes }) {
      const put = sql<object>`
        select signalbox.put_upload_part(${tenantId}, ${uploadId}, ${n}, ${bytes}::bytea)`
      await write(tenantId, compile(put))
    },
    async finish(tenantId, threadId, uploads) {
      const finish = sql<{ readonly code: 'ok' | 'no_thread' | 'full' }>`
        select signalbox.finish_uploads(${tenantId}, ${threadId}, ${JSON.stringify(uploads)}::jsonb) as code`
      const [row] = await write(tenantId, compile(finish))
      if (row === undefined) throw new Error('unreachable: the function answers one row')
      return row.code
    },
    use: (tenantId, threadId, ids) =>
      write(
        tenantId,
        compile(sql<StoredUpload>`
          select id, name, mime, bytes, sha256, key
          from signalbox.use_uploads(${tenantId}, ${threadId}, ${[...ids]}::text[])`),
      ),
    async drop(tenantId, ids) {
      const drop = sql<object>`select signalbox.drop_uploads(${tenantId}, ${[...ids]}::text[])`
      await write(tenantId, compile(drop))
    },
  }
}
