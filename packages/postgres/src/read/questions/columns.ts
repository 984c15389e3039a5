/**
 * Columns that the answers of several questions have, and the joins that bring them. `e` is the event an answer is about,
 * `r` its run, `f` the first event of that run. Row-level security is on every table, so all of it is of one tenant (I19).
 */
import { type RawBuilder, sql } from 'kysely'

/** One column of an answer. */
export interface QuestionColumn {
  readonly name: string
  /** For the reference: what it says. */
  readonly says: string
  readonly sql: RawBuilder<unknown>
}

/** A column by its name, what it says and where it is taken from. */
export const column = (name: string, says: string, from: RawBuilder<unknown>): QuestionColumn => ({
  name,
  says,
  sql: from,
})

/** A time as ISO 8601. */
export const iso = (time: string): RawBuilder<string> =>
  sql<string>`to_char(${sql.ref(time)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** A column that is taken from the payload of the event. */
export const fromPayload = (name: string, path: string, says: string): QuestionColumn =>
  column(name, says, sql`e.payload #>> ${sql.lit(path)}::text[]`)

/** Where, when and who: the same for all questions. */
export const commonColumns: readonly QuestionColumn[] = [
  column('at', 'When it was.', iso('e.at')),
  column('type', 'The event it stands in.', sql`e.type`),
  column('run_id', 'The run.', sql`e.run_id::text`),
  column('seq', 'The number of the event in the run.', sql`e.seq`),
  column('thread_id', 'The thread of the run.', sql`e.thread_id`),
  column(
    'agent',
    'The agent of the run; in the ledger, the one that the record is about.',
    sql`case when r.machine = 'ledger' then e.payload ->> 'agent' else r.agent end`,
  ),
  column('user', 'The authenticated user the run works for.', sql`f.payload #>> '{user,id}'`),
  column('end_user', 'The pseudonym of the end user.', sql`f.payload ->> 'endUser'`),
  column('actor', 'Who wrote the event.', sql`e.actor`),
]

/** The tool of a call. */
export const tool = column('tool', 'The tool.', sql`coalesce(e.tool, e.payload ->> 'tool', x.tool)`)
/** The id of a call. */
export const callId = column(
  'call_id',
  'The call.',
  sql`coalesce(e.payload ->> 'callId', x.spec ->> 'callId')`,
)
/** The arguments of a call. */
export const args = column(
  'arguments',
  'The arguments as they were executed, or as the model asked for them; null if they were erased.',
  sql`coalesce(edit.payload #> '{edited,args}', asked.args)`,
)

/**
 * The effect an event names. By a column that was taken out of the payload before: under row-level security a join that
 * looks into JSON itself may use no index, for what `->>` does with a row of another tenant could be seen.
 */
export const ofEffect = sql`
  left join signalbox.effect x on x.id = e.effect_id and x.run_id = e.run_id`

/** The arguments that the model asked for, and those that a human made of them: edited arguments stand in the answer that allowed them. */
export const ofCall = sql`
  left join lateral (
    select p -> 'args' as args
    from signalbox.event m
      cross join lateral jsonb_array_elements(m.payload #> '{turn,message,parts}') p
    where m.run_id = e.run_id and m.seq < e.seq and m.type = 'model.completed'
      and p ->> 'type' = 'tool_call' and p ->> 'id' = coalesce(e.payload ->> 'callId', x.spec ->> 'callId')
    order by m.seq desc
    limit 1
  ) asked on true
  left join lateral (
    select a.payload from signalbox.event a
    where a.run_id = e.run_id and a.seq = case when (x.spec ->> 'edited')::boolean then (x.spec ->> 'approval')::int
      when e.type = 'approval.answered' then e.seq end
    limit 1
  ) edit on true`

const endings = ['tool.completed', 'tool.failed', 'tool.unknown', 'tool.aborted', 'tool.denied']
const ends = sql.join([...endings, 'child.ended'].map((type) => sql.lit(type)))

/** How the effect `x` ended, and what somebody said later of an unknown outcome. */
export const ofEnding = sql`
  left join lateral (
    select n.at, n.type, n.payload from signalbox.event n
    where n.run_id = e.run_id and n.seq > e.seq and n.payload ->> 'effectId' = x.id and n.type in (${ends})
    order by n.seq
    limit 1
  ) ending on true
  left join lateral (
    select n.at, n.actor, n.payload from signalbox.event n
    where n.run_id = e.run_id and n.seq > e.seq and n.payload ->> 'effectId' = x.id and n.type = 'tool.resolved'
    order by n.seq
    limit 1
  ) resolved on true`

/** How an execution ended. */
export const endingColumns: readonly QuestionColumn[] = [
  column(
    'result',
    '`completed`, `reported_error`, `failed`, `unknown`, `aborted`, `denied`; null while it runs.',
    sql`case when (ending.payload #>> '{output,isError}')::boolean then 'reported_error'
      when ending.type = 'child.ended' then 'completed'
      else split_part(ending.type, '.', 2) end`,
  ),
  column('ended_at', 'When it ended.', iso('ending.at')),
  column(
    'error',
    'Why it failed.',
    sql`coalesce(ending.payload #>> '{error,message}', ending.payload ->> 'reason')`,
  ),
]

/** The later word about an outcome that nobody knew. */
export const resolutionColumns: readonly QuestionColumn[] = [
  column(
    'resolution',
    '`happened`, `not_happened`, `retry`; null while nobody knows.',
    sql`resolved.payload ->> 'resolution'`,
  ),
  column('resolved_by', 'Who said so.', sql`resolved.actor`),
  column('resolved_at', 'When.', iso('resolved.at')),
  column('note', 'What they noted.', sql`resolved.payload ->> 'note'`),
]
