/** The read side for servers: one tenant at a time, under row-level security (I19). */
import type { NamedTarget, RunHead, StoredEvent } from '@signalbox/engine'
import { isUuid } from '../query.ts'
import {
  type ApprovalFilter,
  approvalQuery,
  type ApprovalRequest,
  approvalsQuery,
  type ApprovalView,
} from './approvals.ts'
import {
  type AskingCall,
  type InputFilter,
  inputQuery,
  type InputRequest,
  inputsQuery,
} from './inputs.ts'
import type { AuditFilter } from './audit-filter.ts'
import { type AuditReader, auditReader } from './audit-reader.ts'
import { type AuditEvent, auditQuery, runEventsQuery } from './audit.ts'
import { type ListedPause, pausableQuery, pausesQuery } from './pauses.ts'
import {
  blobHeadQuery,
  blobQuery,
  heardBlobQuery,
  type ContentDigest,
  digestsQuery,
  type FilesThrough,
  type ThreadFiles,
  threadFilesQuery,
  type WaitingFile,
  waitingFilesQuery,
} from './files.ts'
import { type RunFilter, runQuery, runsBeyondQuery, runsNamedQuery, runsQuery } from './listings.ts'
import { type RunReader, runReader } from './run-reader.ts'
import { openTenantPool, type TenantPoolOptions, tenantSession } from './tenant-session.ts'
import {
  threadCountQuery,
  threadEventsQuery,
  type ThreadEventsPage,
  type ThreadFilter,
  threadQuery,
  threadsQuery,
  type ThreadView,
} from './threads.ts'
import { type UnknownEffect, unknownEffectsQuery } from './unknown.ts'

/** All that waits for a human: runs in `approval` or `input`, and calls that nobody knows the outcome of. */
export interface Waiting {
  readonly runs: readonly RunHead[]
  readonly unknown: readonly UnknownEffect[]
}

/** Reads of one tenant. What belongs to another one is not there. */
export interface Reader extends AuditReader, RunReader {
  /** By id, or by the client's own id or idempotency key. With `hidden`, also one that is deleted for its users. */
  run(
    tenantId: string,
    idOrAlias: string,
    options?: { readonly hidden?: boolean },
  ): Promise<RunHead | null>
  runs(tenantId: string, filter: RunFilter): Promise<readonly RunHead[]>
  /** Of many run ids, those that are there, in any order. No aliases. */
  runsNamed(tenantId: string, runIds: readonly string[]): Promise<readonly RunHead[]>
  /** Of many runs, those that have events beyond the last one known, in any order; deleted ones too. No aliases. */
  runsBeyond(
    tenantId: string,
    known: readonly Pick<RunHead, 'runId' | 'seq'>[],
  ): Promise<readonly Pick<RunHead, 'runId' | 'seq'>[]>
  thread(tenantId: string, threadId: string): Promise<ThreadView | null>
  threads(tenantId: string, filter: ThreadFilter): Promise<readonly ThreadView[]>
  /** How many threads a filter finds, its page aside. */
  threadCount(tenantId: string, filter: ThreadFilter): Promise<number>
  /** Events of the runs of a thread that have begun, oldest run first, each run's in order. */
  threadEvents(
    tenantId: string,
    threadId: string,
    page: ThreadEventsPage,
  ): Promise<readonly StoredEvent[]>
  /** The facts of the conversation of a thread about its files: up to its end, or up to an event. */
  threadFiles(
    tenantId: string,
    threadId: string,
    through: FilesThrough | null,
  ): Promise<ThreadFiles>
  /** The files that runs bring which wait for their turn on the thread. */
  waitingFiles(tenantId: string, threadId: string): Promise<readonly WaitingFile[]>
  /** The content of a blob that one of these threads has; null if none has it, or it was erased. */
  blob(tenantId: string, threadIds: readonly string[], key: string): Promise<Uint8Array | null>
  /** The content of a blob that a thread has, or a thread that it goes on from; null if none has it, or it was erased. */
  heardBlob(tenantId: string, threadId: string, key: string): Promise<Uint8Array | null>
  /** The first bytes of a blob of a thread; null if it has none, or it was erased. */
  blobHead(
    tenantId: string,
    threadId: string,
    head: { readonly key: string; readonly bytes: number },
  ): Promise<Uint8Array | null>
  /** The digests of blobs, of those that are there. */
  digests(
    tenantId: string,
    threadIds: readonly string[],
    keys: readonly string[],
  ): Promise<readonly ContentDigest[]>
  /** The audit feed, in order of `position`; complete up to the last one answered. */
  events(tenantId: string, filter: AuditFilter): Promise<readonly AuditEvent[]>
  runEvents(
    tenantId: string,
    runId: string,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly StoredEvent[]>
  waiting(tenantId: string): Promise<Waiting>
  /** The pauses, in the order in which they were set. At most `limits.pausesMax`. */
  pauses(tenantId: string): Promise<readonly ListedPause[]>
  /** The names in definitions that the tenant has used: its agents, tools and queues. */
  pausable(tenantId: string): Promise<readonly NamedTarget[]>
  /** Calls that wait for a human to approve them, oldest first. */
  approvals(tenantId: string, filter: ApprovalFilter): Promise<readonly ApprovalRequest[]>
  /** One approval, whatever became of it. */
  approval(tenantId: string, approvalId: string): Promise<ApprovalView | null>
  /** Questions of models that wait for a person, oldest first. */
  inputs(tenantId: string, filter: InputFilter): Promise<readonly InputRequest[]>
  /** The question of a call of a thread, whatever became of it. */
  input(tenantId: string, call: AskingCall): Promise<InputRequest | null>
  close(): Promise<void>
}

/** Opens a reader. Connects with the first call. */
export function createReader(options: TenantPoolOptions): Reader {
  const pool = openTenantPool(options, 'signalbox-reader')
  const as = tenantSession(pool)
  return {
    run: async (tenantId, idOrAlias, which) =>
      (await as(tenantId, runQuery(idOrAlias, which)))[0] ?? null,
    runs: (tenantId, filter) => as(tenantId, runsQuery(filter)),
    runsNamed: (tenantId, runIds) => as(tenantId, runsNamedQuery(runIds)),
    runsBeyond: (tenantId, known) => as(tenantId, runsBeyondQuery(known)),
    thread: async (tenantId, threadId) => (await as(tenantId, threadQuery(threadId)))[0] ?? null,
    threads: (tenantId, filter) => as(tenantId, threadsQuery(filter)),
    threadCount: async (tenantId, filter) =>
      (await as(tenantId, threadCountQuery(filter)))[0]?.count ?? 0,
    threadEvents: (tenantId, threadId, page) => as(tenantId, threadEventsQuery(threadId, page)),
    threadFiles: async (tenantId, threadId, through) => {
      const [row] = await as(tenantId, threadFilesQuery(threadId, through))
      if (row === undefined) throw new Error('unreachable: the query answers one row')
      return row
    },
    waitingFiles: (tenantId, threadId) => as(tenantId, waitingFilesQuery(threadId)),
    blob: async (tenantId, threadIds, key) =>
      (await as(tenantId, blobQuery(threadIds, key)))[0]?.bytes ?? null,
    heardBlob: async (tenantId, threadId, key) =>
      (await as(tenantId, heardBlobQuery(threadId, key)))[0]?.bytes ?? null,
    blobHead: async (tenantId, threadId, head) =>
      (await as(tenantId, blobHeadQuery(threadId, head)))[0]?.bytes ?? null,
    digests: (tenantId, threadIds, keys) => as(tenantId, digestsQuery(threadIds, keys)),
    ...auditReader(as),
    ...runReader(as),
    events: async (tenantId, filter) => as(tenantId, auditQuery(filter)),
    runEvents: async (tenantId, runId, page) =>
      isUuid(runId) ? as(tenantId, runEventsQuery(runId, page.after, page.limit)) : [],
    waiting: async (tenantId) => {
      const [runs, unknown] = await Promise.all([
        as(tenantId, runsQuery({ status: 'waiting' })),
        as(tenantId, unknownEffectsQuery()),
      ])
      return { runs, unknown }
    },
    pauses: (tenantId) => as(tenantId, pausesQuery(tenantId)),
    pausable: (tenantId) => as(tenantId, pausableQuery(tenantId)),
    approvals: async (tenantId, filter) => {
      const { runId, treeOf } = filter
      if ([runId, treeOf].some((id) => id !== undefined && !isUuid(id))) return []
      return as(tenantId, approvalsQuery(filter))
    },
    approval: async (tenantId, approvalId) =>
      (await as(tenantId, approvalQuery(approvalId)))[0] ?? null,
    inputs: async (tenantId, filter) => {
      const ids = [filter.runId, filter.treeOf].filter((id) => id !== undefined)
      return ids.every(isUuid) ? as(tenantId, inputsQuery(filter)) : []
    },
    input: async (tenantId, call) => (await as(tenantId, inputQuery(call)))[0] ?? null,
    close: () => pool.end(),
  }
}
