/**
 * The filters of the audit, as conditions on `event as e`. They join with "and"; several values of one filter with "or".
 * An event that a transaction in flight may still write before another keeps that one out of sight until that is done (I17).
 */
import { type AliasedRawBuilder, type RawBuilder, sql } from 'kysely'
import type { EventTable } from '../database.ts'
import { isUuid } from '../query.ts'
import { among, type AuditFilter, type OneOrMore } from './audit-filter.ts'
import type { AuditScope } from './audit-scope.ts'
import { parsePosition } from './position.ts'

type Condition = RawBuilder<boolean>

/** Of no transaction that is under way, nor of a later one. */
const shown = sql<boolean>`e.xid < pg_snapshot_xmin(pg_current_snapshot())`

/** Columns whose indexes hold the events of one value in the order of the feed. */
const ordered = ['type', 'tool', 'actor', 'verdict'] as const

/**
 * The events that are found, as `e`: at least the first `size` of them, for a query that takes no more in the order of the feed.
 *
 * Of few runs, they are read before they are ordered ("offset 0"): the planner would look for them in the order of the feed, as
 * if they were spread over all of it. Of several values, each is read alone, for together no index has them in order.
 */
export function matching(
  filter: AuditFilter,
  scope: AuditScope | null,
  { size, also = [] }: { readonly size: number; readonly also?: readonly Condition[] },
): AliasedRawBuilder<EventTable, 'e'> {
  const column = ordered.find((one) => distinct(filter[one]).length > 1)
  if (scope?.runs || column === undefined) {
    const conditions = [...auditConditions(filter, scope), ...also]
    return sql<EventTable>`(
      select e.* from signalbox.event e where ${sql.join(conditions, sql` and `)}
      ${scope?.runs ? sql`offset 0` : sql``})`.as('e')
  }
  const { [column]: values, ...others } = filter
  const conditions = [
    sql<boolean>`${sql.ref(`e.${column}`)} = one.value`,
    ...auditConditions(others, scope),
    ...also,
  ]
  return sql<EventTable>`(
    select e.* from unnest(${distinct(values)}::text[]) as one (value), lateral (
      select e.* from signalbox.event e where ${sql.join(conditions, sql` and `)}
      order by e.xid, e.gpos limit ${size}) e)`.as('e')
}

const distinct = (values: OneOrMore | undefined): string[] =>
  values === undefined ? [] : [...new Set([values].flat())]

/**
 * The conditions that hold of an event that is found. Empty never: what is in flight is always left out. A scope is of the same filter;
 * `after` and `through` may have moved on.
 */
export function auditConditions(
  filter: AuditFilter,
  scope: AuditScope | null,
): readonly Condition[] {
  const { since, until, after, through } = filter
  return [
    ...(scope === null ? [shown] : within(scope)),
    ...among('e.type', filter.type),
    ...among('e.thread_id', filter.threadId),
    ...among('e.run_id', runIds(filter)),
    ...among('e.tool', filter.tool),
    ...among('e.actor', filter.actor),
    ...among('e.verdict', filter.verdict),
    ...ofRule(filter),
    ...ofRuns(filter, scope),
    ...ofEndUser(filter),
    ...(since === undefined ? [] : [sql<boolean>`e.at >= ${moment(since)}`]),
    ...(until === undefined ? [] : [sql<boolean>`e.at < ${moment(until)}`]),
    ...(after === undefined ? [] : [sql<boolean>`(e.xid, e.gpos) > ${place('after', after)}`]),
    ...(through === undefined
      ? []
      : [sql<boolean>`(e.xid, e.gpos) <= ${place('through', through)}`]),
  ]
}

/** Immutable, unlike `from_ms`: so it is worked out once, and not for each event. */
const moment = (ms: number): RawBuilder<unknown> => sql`to_timestamp(${ms}::float8 / 1000)`

/** A text that is no uuid names no run; Postgres would call it an error. */
function runIds({ runId }: AuditFilter): readonly string[] | undefined {
  return runId === undefined ? undefined : [runId].flat().filter(isUuid)
}

/** No index has them: what is asked beside them narrows the question. */
function ofRule({ rule }: AuditFilter): readonly Condition[] {
  if (rule === undefined) return []
  const rules = sql`${distinct(rule)}::text[]`
  return [
    sql<boolean>`(e.payload ->> 'rule' = any(${rules}) or e.payload ->> 'code' = any(${rules})
      or jsonb_path_query_array(e.payload, '$.reasons[*].code') ?| ${rules})`,
  ]
}

/** A scope that knows the runs has looked for them by all that is asked of runs. */
function ofRuns({ agent, outcome }: AuditFilter, scope: AuditScope | null): readonly Condition[] {
  if (scope?.runs) return [sql<boolean>`e.run_id = any(${[...scope.runs]}::uuid[])`]
  const wanted = [...among('r.agent', agent), ...among('r.outcome', outcome)]
  const { firstRun = null, lastRun = null } = scope ?? {}
  return [
    ...(firstRun === null ? [] : [sql<boolean>`e.run_id >= ${firstRun}::uuid`]),
    ...(lastRun === null ? [] : [sql<boolean>`e.run_id <= ${lastRun}::uuid`]),
    ...(wanted.length === 0
      ? []
      : [
          sql<boolean>`exists (select from signalbox.run r
            where r.id = e.run_id and ${sql.join(wanted, sql` and `)})`,
        ]),
  ]
}

function ofEndUser({ endUser }: AuditFilter): readonly Condition[] {
  if (endUser === undefined) return []
  // As an array, which is made before: joined, the planner reads all events and looks for their runs.
  return [
    sql<boolean>`e.run_id = any(array(select u.run_id from signalbox.end_user_run u
      where ${sql.join(among('u.end_user', endUser))}))`,
  ]
}

/** The horizon of a scope lies no higher than that of now, and is not asked for again for each event. */
function within({ horizon, first, last }: AuditScope): readonly Condition[] {
  return [
    sql<boolean>`e.xid < ${horizon}::xid8`,
    ...(first === null ? [] : [sql<boolean>`e.xid >= ${first}::xid8`]),
    ...(last === null ? [] : [sql<boolean>`e.xid <= ${last}::xid8`]),
  ]
}

function place(name: string, text: string): RawBuilder<unknown> {
  const position = parsePosition(text)
  if (position === null) throw new RangeError(`\`${name}\` is not a position of the feed`)
  return sql`(${position.xid}::xid8, ${position.gpos}::bigint)`
}
