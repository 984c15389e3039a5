/**
 * Approvals as humans see them: what waits for an answer, and what became of one. What became of it is folded from the
 * events of the run, as nothing else says it:
 *
 * A1 The machine's word counts: a request that expired did, even if somebody answered within the same moment, and an
 *    answer that it ignored is none.
 * A2 Nothing waits in a run that has ended, or that is being cancelled.
 */
import { type JsonObject, limits } from '@signalbox/core'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { compile, isUuid, pageSize } from '../query.ts'

/** A call that waits, or waited, for a human to approve exactly these arguments. Times in milliseconds since the epoch. */
export interface ApprovalRequest {
  readonly approvalId: string
  readonly runId: string
  readonly threadId: string
  readonly agent: string
  /** The run at the top of its tree: itself, if nobody started it. And the thread and the agent of that. */
  readonly root: { readonly runId: string; readonly threadId: string; readonly agent: string }
  readonly callId: string
  readonly tool: string
  readonly argsHash: string
  /** The policy that asked for it; null if no policy has a name. */
  readonly policyId: string | null
  readonly policyDigest: string | null
  readonly reason: string
  readonly requestedAt: number
  readonly expiresAt: number | null
  /** The arguments as the model asked for them; null if they were erased. */
  readonly args: JsonObject | null
  /** Where a page ends, for `after`. Opaque. */
  readonly position: string
}

/** The state of a request. `cancelled`: the run ended, or is being cancelled, without an answer. */
export type ApprovalStatus =
  | 'waiting'
  | 'approved'
  | 'rejected'
  | 'edited'
  | 'expired'
  | 'cancelled'

/** A human's answer. */
export interface ApprovalAnswered {
  readonly decision: 'approve' | 'reject' | 'edit'
  /** The person who gave it, as the server authenticated them. */
  readonly by: { readonly id: string; readonly role: string | null } | null
  readonly actor: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly scope: 'once' | 'run' | 'always'
  readonly note: string | null
}

/** A request and what became of it. */
export interface ApprovalView extends ApprovalRequest {
  readonly status: ApprovalStatus
  /** Null unless a human's answer decided. */
  readonly answer: ApprovalAnswered | null
}

/** Which approvals a listing shows. */
export interface ApprovalFilter {
  readonly runId?: string
  /** A run: those of it, and of all runs below it. */
  readonly treeOf?: string
  /** `position` of the last one seen. Throws a RangeError if it is no position. */
  readonly after?: string
  /** At most `limits.pageMax`, which is the default. */
  readonly limit?: number
}

/** Of the run `r` and its request `e`. The last answer of the model before a request asked for the call. */
const requestColumns = sql`
  e.payload ->> 'approvalId' as "approvalId", e.run_id as "runId", e.thread_id as "threadId", r.agent,
  case when r.root_id is null
    then jsonb_build_object('runId', e.run_id, 'threadId', e.thread_id, 'agent', r.agent)
    else (select jsonb_build_object('runId', top.id, 'threadId', top.thread_id, 'agent', top.agent)
      from signalbox.run top where top.id = r.root_id) end as root,
  e.payload ->> 'callId' as "callId", e.tool, e.payload ->> 'argsHash' as "argsHash",
  e.payload ->> 'policyId' as "policyId", e.payload ->> 'policyDigest' as "policyDigest",
  coalesce(e.payload ->> 'reason', '') as reason, signalbox.to_ms(e.at)::float8 as "requestedAt",
  (e.payload ->> 'expiresAt')::float8 as "expiresAt",
  lpad(signalbox.to_ms(e.at)::text, 15, '0') || '_' || e.run_id || '_' || e.seq as position, (
    select part -> 'args'
    from (
      select payload from signalbox.event
      where run_id = e.run_id and seq < e.seq and type = 'model.completed'
      order by seq desc limit 1
    ) m cross join lateral jsonb_array_elements(m.payload #> '{turn,message,parts}') part
    where part ->> 'type' = 'tool_call' and part ->> 'id' = e.payload ->> 'callId'
    limit 1
  ) as args`

/** The event that settled the request `e`, as `s`: expiry before an answer before a denial (A1). */
const settled = sql`
  left join lateral (
    select s.type, s.at, s.actor, s.payload from signalbox.event s
    where s.run_id = e.run_id and s.seq > e.seq
      and s.type in ('approval.answered', 'approval.expired', 'call.denied')
      and s.payload ->> 'callId' = e.payload ->> 'callId'
      and not (s.type = 'approval.answered' and exists (
        select from signalbox.event i
        where i.run_id = s.run_id and i.seq > s.seq and i.type = 'event.ignored'
          and i.payload ->> 'seq' = s.seq::text
      ))
    order by s.type <> 'approval.expired', s.type, s.seq
    limit 1
  ) s on true`

/** The requests that wait, in order of (time, run, seq). */
export function approvalsQuery(filter: ApprovalFilter): CompiledQuery<ApprovalRequest> {
  const { runId, treeOf, after } = filter
  const ofRun = runId === undefined ? sql`` : sql`and a.run_id = ${runId}::uuid`
  const ofTree = treeOf === undefined ? sql`` : sql`and a.run_id in (${below(treeOf)})`
  const behind = after === undefined ? sql`` : sql`and ${behindPosition(after)}`
  return compile(sql<ApprovalRequest>`
    select ${requestColumns}
    from (
      select a.run_id, a.seq, a.at, r.agent, r.root_id
      from signalbox.approval a join signalbox.run r on r.id = a.run_id
        join signalbox.event e on e.run_id = a.run_id and e.seq = a.seq
      where a.waits and not r.cancel_requested and e.payload is not null ${ofRun} ${ofTree} ${behind}
      order by a.at, a.run_id, a.seq
      limit ${pageSize(filter.limit, limits.pageMax)}
    ) r join signalbox.event e on e.run_id = r.run_id and e.seq = r.seq
    order by r.at, r.run_id, r.seq`)
}

/** A run, and those that it has started, and those that these have started. */
const below = (runId: string): RawBuilder<unknown> => sql`
  with recursive tree as (
    select ${runId}::uuid as id
    union all
    select c.id from tree t join signalbox.run c on c.parent_id = t.id
  ) select id from tree`

function behindPosition(after: string): RawBuilder<boolean> {
  const [, at, runId, seq] = /^(\d{15})_([0-9a-f-]{36})_(\d{1,9})$/.exec(after) ?? []
  if (at === undefined || runId === undefined || seq === undefined || !isUuid(runId))
    throw new RangeError('`after` is not a position of the approvals')
  return sql`(a.at, a.run_id, a.seq)
    > (signalbox.from_ms(${at}::bigint), ${runId}::uuid, ${seq}::int)`
}

/** One approval. Should two runs ever have the same id for theirs, the newer one. */
export function approvalQuery(approvalId: string): CompiledQuery<ApprovalView> {
  return compile(sql<ApprovalView>`
    select ${requestColumns},
      case
        when s.type = 'approval.expired' then 'expired'
        when s.type = 'approval.answered' then case s.payload ->> 'decision'
          when 'approve' then 'approved' when 'reject' then 'rejected' else 'edited' end
        when s.type = 'call.denied' or r.status = 'ended' or r.cancel_requested then 'cancelled'
        else 'waiting'
      end as status,
      case when s.type = 'approval.answered' then jsonb_build_object(
        'decision', s.payload ->> 'decision', 'by', s.payload -> 'by', 'actor', s.actor,
        'at', signalbox.to_ms(s.at), 'scope', coalesce(s.payload ->> 'scope', 'once'),
        'note', s.payload ->> 'note') end as answer
    from (
      select run_id, seq from signalbox.approval where id = ${approvalId}
      order by at desc, run_id desc, seq desc limit 1
    ) a
      join signalbox.run r on r.id = a.run_id
      join signalbox.event e on e.run_id = a.run_id and e.seq = a.seq and e.payload is not null
      ${settled}`)
}
