/** The requester and the approver of a call, and calls that began without the approval they needed. */
import { sql } from 'kysely'
import { column, fromPayload, iso } from './columns.ts'
import type { AuditQuestion } from './question.ts'

/** Whom a run works for, as an actor; of a run that was started for a call, whom its parent works for. */
export const requester = sql`coalesce('user:' || (f.payload #>> '{user,id}'), f.actor)`

/** The person or key that answered, as an actor. */
export const approver = sql`case when e.type = 'approval.answered'
  then coalesce('user:' || (e.payload #>> '{by,id}'), e.actor) end`

/**
 * The first execution of the call that the request `e` is about, if no approval of these arguments stands between. The effect says which call is
 * executed; where its row was swept, the event that ended it does. Ids are taken out of payloads before they are joined: see
 * `ofEffect`.
 */
const began = sql`
  select s.seq, s.at, s.payload
  from (
    select s.run_id, s.seq, s.at, s.payload, s.payload ->> 'effectId' as effect_id
    from signalbox.event s
    where s.run_id = e.run_id and s.seq > e.seq and s.type = 'effect.started' offset 0) s
    left join signalbox.effect o on o.id = s.effect_id
  where (o.spec ->> 'callId' = e.payload ->> 'callId' or o.id is null and exists (
      select from signalbox.event t where t.run_id = s.run_id and t.seq > s.seq
        and t.payload ->> 'effectId' = s.effect_id and t.payload ->> 'callId' = e.payload ->> 'callId'))
    and not exists (
      select from signalbox.event a where a.run_id = e.run_id and a.seq > e.seq and a.seq < s.seq
        and a.payload ->> 'callId' = e.payload ->> 'callId'
        and (a.type = 'approval.reused'
          or a.type = 'approval.answered' and a.payload ->> 'decision' in ('approve', 'edit')
            and coalesce(o.spec ->> 'argsHash'
              = coalesce(a.payload #>> '{edited,argsHash}', a.payload ->> 'argsHash'), true)))
  order by s.seq
  limit 1`

/** There must be none. */
export const unapprovedCalls: AuditQuestion = {
  asks: 'Which calls began without the approval they needed? There must be none.',
  types: ['approval.requested'],
  holds: sql`exists (${began})`,
  joins: [sql`left join lateral (${began}) began on true`],
  columns: [
    fromPayload('tool', '{tool}', 'The tool.'),
    fromPayload('call_id', '{callId}', 'The call.'),
    fromPayload('args_hash', '{argsHash}', 'Digest of the arguments that were to be approved.'),
    fromPayload(
      'policy_id',
      '{policyId}',
      'The policy that asked for the approval, where one did.',
    ),
    column('started_seq', 'The event that says that it began.', sql`began.seq`),
    column('started_at', 'When it began.', iso('began.at')),
    column('worker', 'Who executed it.', sql`began.payload ->> 'owner'`),
  ],
}
