/** The statement of a question: the events that answer it, page by page of the feed, with the columns of the answer. */
import { limits } from '@signalbox/core'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { compile, pageSize } from '../../query.ts'
import { matching } from '../audit-conditions.ts'
import { type AuditFilter, positionOf } from '../audit-filter.ts'
import type { AuditScope } from '../audit-scope.ts'
import { type QuestionName, questions } from './catalogue.ts'
import { args, commonColumns, ofCall, ofEffect, type QuestionColumn } from './columns.ts'

/** The filters of the audit but `type`, which the question chooses. */
export interface QuestionFilter extends Omit<AuditFilter, 'type'> {
  /** The path of a file, as the arguments of calls name it. */
  readonly path?: string
}

/** A row of an answer, by column. */
export type AnswerRow = Readonly<Record<string, unknown>>

/** Answers to a question. */
export interface AnswerPage {
  readonly rows: readonly AnswerRow[]
  /** Where to go on, as `after`; null at the end of what is there now. */
  readonly next: string | null
}

/** A row, or the last event of a step that looked for a path and is no answer itself. */
interface Found {
  readonly position: string
  readonly holds: boolean
  readonly n: number
  readonly row: AnswerRow
}

/** The part of a filter that a question asks of the runs that its events stand in. */
export function askedOfRuns(
  name: QuestionName,
  { agent, ...rest }: QuestionFilter,
): QuestionFilter {
  return questions[name].ofLedger || agent === undefined ? rest : { ...rest, agent }
}

/** The columns of an answer, in their order. */
export const columnsOf = (name: QuestionName): readonly QuestionColumn[] => [
  ...commonColumns,
  ...questions[name].columns,
  { name: 'position', says: 'The place in the feed, for `after`.', sql: positionOf('e') },
]

/**
 * One page. A question for a path looks at the arguments of so many calls, and then says where it stopped, as a search
 * does; the others find as many rows as they are asked for. What looks for a path is planned alone ("offset 0"): together
 * with the rest, the planner reads all effects and events.
 */
export function questionQuery(
  name: QuestionName,
  filter: QuestionFilter,
  scope: AuditScope | null = null,
): CompiledQuery<Found> {
  const { types, ofLedger, ofTools, joins, holds: ownHolds } = questions[name]
  const { path, ...rest } = askedOfRuns(name, filter)
  const size = pageSize(filter.limit, limits.pageMax)
  const step = looksFurther(name, filter) ? limits.searchedCallsMax : size
  const { agent } = filter
  const also = [
    ...(ofTools ? [sql<boolean>`e.tool is not null`] : []),
    ...(ofLedger && agent !== undefined
      ? [sql<boolean>`e.payload ->> 'agent' = any(${[agent].flat()}::text[])`]
      : []),
  ]
  const events = matching({ ...rest, type: types }, scope, { size: step, also })
  const picked = sql`
    select e.*, e.payload ->> 'effectId' as effect_id, row_number() over (order by e.xid, e.gpos) as n
    from ${events}
    order by e.xid, e.gpos
    limit ${step}`
  const columns = columnsOf(name).map(({ name: key, sql: of }) => sql`${of} as ${sql.ref(key)}`)
  return compile(sql<Found>`
    select e.position, e.n, e.holds, (
      select row_to_json(answer) from (select ${sql.join(columns)}) answer
    ) as row
    from (
      select e.*, ${positionOf('e')} as position, ${path === undefined ? (ownHolds ?? sql`true`) : holds(path)} as holds from (${picked}) e
      ${path === undefined ? sql`` : sql`${ofEffect} ${ofCall} offset 0`}
    ) e
    join signalbox.run r on r.id = e.run_id
    left join signalbox.event f on f.run_id = e.run_id and f.seq = 1
    ${sql.join(joins, sql` `)}
    where e.holds or e.n = ${step}
    order by e.xid, e.gpos
    limit ${size + 1}`)
}

/** Does the question look at events that may be no answer? */
const looksFurther = (name: QuestionName, { path }: QuestionFilter): boolean =>
  path !== undefined || questions[name].holds !== undefined

/** Is the path a part of the arguments, of a call that may change something? Compared as JSON writes it. */
function holds(path: string): RawBuilder<unknown> {
  const written = JSON.stringify(path).slice(1, -1)
  return sql`coalesce(x.mode <> 'read' and strpos((${args.sql})::text, ${written}) > 0, false)`
}

/** The page that rows of `questionQuery` make. */
export function answerPage(
  found: readonly Found[],
  { name, filter }: { readonly name: QuestionName; readonly filter: QuestionFilter },
): AnswerPage {
  const size = pageSize(filter.limit, limits.pageMax)
  const answers = found.filter(({ holds: isAnswer }) => isAnswer).slice(0, size)
  const rows = answers.map(({ row }) => row)
  if (rows.length === size && size > 0) return { rows, next: answers.at(-1)?.position ?? null }
  const last = found.at(-1)
  const isCut = looksFurther(name, filter) && last?.n === limits.searchedCallsMax
  return { rows, next: isCut ? last.position : null }
}
