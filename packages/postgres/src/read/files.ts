/**
 * The files that a thread has, and their contents. The tenant is not a parameter: RLS is.
 *
 * R1 The files of a thread at any moment are one round trip, whatever is in them, and one more for each run above it whose files it begins with;
 *    contents are read by the blob.
 */
import type { Json } from '@signalbox/core'
import { type CompiledQuery, sql } from 'kysely'
import { compile, isUuid } from '../query.ts'

/** An event that says what became of files. */
export interface FileFact {
  readonly runId: string
  readonly seq: number
  /** Whose blobs it names: a thread that goes on from another has heard that one's. */
  readonly threadId: string
  /** The call that changed them; null for what a run was given. */
  readonly callId: string | null
  /** `FileChanges`, as it is stored; null where it says with whose files a run began, and changes none. */
  readonly files: Json | null
  /** The files that a run began with: those of another thread's, up to an event. As `run.created` stores it; null for other events. */
  readonly filesFrom: Json | null
}

/** The facts of a thread about its files, in the order in which they were recorded. */
export interface ThreadFiles {
  /** Is there such a thread? That of a run which another one started has no row before it keeps something. */
  readonly isThere: boolean
  /** Did the run that was named decide with that event, and does the thread hear it? True where none was named. */
  readonly isHeard: boolean
  readonly facts: readonly FileFact[]
}

/** A moment of a conversation: everything of it up to this event. */
export interface FilesThrough {
  readonly runId: string
  readonly seq: number
}

const tenant = sql`current_setting('signalbox.tenant', true)`

/** Null: not the moment of any run. */
export function threadFilesQuery(
  threadId: string,
  through: FilesThrough | null,
): CompiledQuery<ThreadFiles> {
  const run = through && isUuid(through.runId) ? through.runId : null
  const heard =
    through === null
      ? sql`signalbox.lineage(${tenant}, ${threadId})`
      : sql`signalbox.lineage(${tenant}, ${threadId}, ${run}::uuid)`
  const seq = through?.seq ?? null
  return compile(sql<ThreadFiles>`
    with heard as (select stretch, place, run_id, through from ${heard})
    select
      coalesce(
        (select t.hidden_at is null and t.kind is null from signalbox.thread t where t.thread_id = ${threadId}),
        exists (select from signalbox.run r where r.tenant_id = ${tenant} and r.thread_id = ${threadId} and not r.hidden)
      ) as "isThere",
      ${
        through === null
          ? sql`true`
          : sql`exists (
        select from heard h join signalbox.event e on e.run_id = h.run_id and e.seq = ${seq}
        where h.run_id = ${run}::uuid and (h.through is null or h.through >= ${seq}) and e.type = 'run.transitioned')`
      } as "isHeard",
      coalesce((
        select jsonb_agg(jsonb_build_object('runId', said.run_id, 'seq', said.seq, 'threadId', said.thread_id,
          'callId', said.payload->>'callId', 'files', said.payload->'files',
          'filesFrom', said.payload->'filesFrom') order by h.stretch desc, h.place, said.seq)
        from heard h join lateral (
          select e.run_id, e.seq, e.thread_id, e.payload from signalbox.event e
          where e.run_id = h.run_id and e.type in ('run.created', 'tool.completed', 'child.ended')
            and e.payload ?| array['files', 'filesFrom']
            and (h.through is null or e.seq <= h.through)
            and (${seq}::int is null or e.run_id <> ${run}::uuid or e.seq <= ${seq}::int)
          order by e.seq limit 10000
        ) said on true
      ), '[]'::jsonb) as facts`)
}

/** A content. */
export interface BlobView {
  readonly bytes: Uint8Array
}

/** A blob of one of these threads. */
export const blobQuery = (threadIds: readonly string[], key: string): CompiledQuery<BlobView> =>
  compile(sql<BlobView>`
    select bytes from signalbox.blob where tenant_id = ${tenant} and thread_id = any(${[...threadIds]}) and key = ${key}
    limit 1`)

/** A blob of a thread, or of one that it goes on from. */
export const heardBlobQuery = (threadId: string, key: string): CompiledQuery<BlobView> =>
  compile(sql<BlobView>`
    with heard as (
      select ${threadId}::text as thread_id
      union
      select r.thread_id from signalbox.lineage(${tenant}, ${threadId}) l join signalbox.run r on r.id = l.run_id
    )
    select b.bytes from signalbox.blob b join heard h using (thread_id)
    where b.tenant_id = ${tenant} and b.key = ${key}
    limit 1`)

/** The first bytes of a blob. The rest of it stays where it lies. */
export const blobHeadQuery = (
  threadId: string,
  { key, bytes }: { readonly key: string; readonly bytes: number },
): CompiledQuery<BlobView> =>
  compile(sql<BlobView>`
    select substring(bytes from 1 for ${bytes}) as bytes from signalbox.blob
    where tenant_id = ${tenant} and thread_id = ${threadId} and key = ${key}`)

/** The digest of a content. */
export interface ContentDigest {
  readonly key: string
  /** Hex. */
  readonly sha256: string
}

/** The digests of blobs, made where they lie: no content leaves the database. */
export const digestsQuery = (
  threadIds: readonly string[],
  keys: readonly string[],
): CompiledQuery<ContentDigest> =>
  compile(sql<ContentDigest>`
    select key, encode(sha256(bytes), 'hex') as sha256 from signalbox.blob
    where tenant_id = ${tenant} and thread_id = any(${[...threadIds]}) and key = any(${[...keys]})`)

/** A file that a run brings which waits for its turn. */
export interface WaitingFile {
  readonly path: string
  readonly bytes: number
}

/** The files that runs bring which wait for their turn on a thread. */
export const waitingFilesQuery = (threadId: string): CompiledQuery<WaitingFile> =>
  compile(sql<WaitingFile>`
    select file->>'path' as path, (file->>'bytes')::int as bytes
    from signalbox.run r
      join signalbox.event e on e.run_id = r.id and e.seq = 1
      cross join lateral jsonb_array_elements(
        case when jsonb_typeof(e.payload->'files') = 'array' then e.payload->'files' else '[]'::jsonb end) as file
    where r.tenant_id = ${tenant} and r.thread_id = ${threadId} and r.place is null and r.status <> 'ended'`)
