/**
 * Questions of models that wait for a person. The table says where they stand, the event what is asked.
 */
import type { DecisionPayload } from '@signalbox/core'
import { limits } from '@signalbox/core'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { compile, isUuid, pageSize } from '../query.ts'

/** A question as the log has it. Times in milliseconds since the epoch. */
export interface InputRequest extends Pick<
  DecisionPayload<'input.requested'>,
  'callId' | 'question' | 'kind' | 'expiresAt'
> {
  readonly runId: string
  readonly threadId: string
  readonly agent: string
  /** The run at the top of its tree, and its thread: those of the run itself where nobody started it. */
  readonly rootRunId: string
  readonly rootThreadId: string
  readonly why: string | null
  readonly options: readonly string[] | null
  readonly form: DecisionPayload<'input.requested'>['form'] | null
  readonly requestedAt: number
  /** Where a page ends, for `after`. Opaque. */
  readonly position: string
}

/** Which questions a listing shows. */
export interface InputFilter {
  /** Of this run. */
  readonly runId?: string
  /** Of this run, and of those below it. */
  readonly treeOf?: string
  /** `position` of the last one seen. Throws a RangeError if it is no position. */
  readonly after?: string
  /** At most `limits.pageMax`, which is the default. */
  readonly limit?: number
}

/** Of the run `r`, the question `q` and its event `e`. */
const requestColumns = sql`
  q.run_id as "runId", r.thread_id as "threadId", r.agent, coalesce(r.root_id, r.id) as "rootRunId",
  coalesce((select t.thread_id from signalbox.run t where t.id = r.root_id), r.thread_id) as "rootThreadId",
  e.payload ->> 'callId' as "callId", e.payload ->> 'question' as question, e.payload ->> 'why' as why,
  e.payload ->> 'kind' as kind, e.payload -> 'options' as options, e.payload -> 'form' as form,
  (e.payload ->> 'expiresAt')::float8 as "expiresAt", signalbox.to_ms(e.at)::float8 as "requestedAt",
  lpad(signalbox.to_ms(q.at)::text, 15, '0') || '_' || q.run_id || '_' || q.seq as position`

/** The questions that wait, in order of (time, run, seq). */
export function inputsQuery(filter: InputFilter): CompiledQuery<InputRequest> {
  const { runId, treeOf, after } = filter
  const ofRun = runId === undefined ? sql`` : sql`and q.run_id = ${runId}::uuid`
  const ofTree = treeOf === undefined ? sql`` : sql`and ${treeOf}::uuid in (r.id, r.root_id)`
  const behind = after === undefined ? sql`` : sql`and ${behindPosition(after)}`
  return compile(sql<InputRequest>`
    select ${requestColumns}
    from signalbox.question q join signalbox.run r on r.id = q.run_id
      join signalbox.event e on e.run_id = q.run_id and e.seq = q.seq
    where q.waits and not r.cancel_requested and e.payload is not null ${ofRun} ${ofTree} ${behind}
    order by q.at, q.run_id, q.seq
    limit ${pageSize(filter.limit, limits.pageMax)}`)
}

/** A call of a thread that asked a question. */
export interface AskingCall {
  readonly threadId: string
  readonly callId: string
}

/** The question of a call. Should two runs ever have the same id for theirs, the newer one. */
export const inputQuery = ({ threadId, callId }: AskingCall): CompiledQuery<InputRequest> =>
  compile(sql<InputRequest>`
    select ${requestColumns}
    from signalbox.run r join signalbox.question q on q.run_id = r.id and q.call_id = ${callId}
      join signalbox.event e on e.run_id = q.run_id and e.seq = q.seq
    where r.thread_id = ${threadId} and e.payload is not null
    order by r.id desc limit 1`)

function behindPosition(after: string): RawBuilder<boolean> {
  const [, at, runId, seq] = /^(\d{15})_([0-9a-f-]{36})_(\d{1,9})$/.exec(after) ?? []
  if (at === undefined || runId === undefined || seq === undefined || !isUuid(runId))
    throw new RangeError('`after` is not a position of the questions')
  return sql`(q.at, q.run_id, q.seq)
    > (signalbox.from_ms(${at}::bigint), ${runId}::uuid, ${seq}::int)`
}
