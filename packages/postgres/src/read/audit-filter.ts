/**
 * The filters of the audit, as conditions on `event as e`. They join with "and"; several values of one filter with "or".
 * What a transaction in flight may still write before an event keeps it out of sight until that is done (I17).
 */
import { type RawBuilder, sql } from 'kysely'
import { isUuid } from '../query.ts'
import { parsePosition } from './position.ts'

/** One value, or several of which one must hold. */
export type OneOrMore = string | readonly string[]

/** Filters join with "and". Times only filter; paging goes by `after`. */
export interface AuditFilter {
  readonly type?: OneOrMore
  readonly threadId?: OneOrMore
  /** Uuids. */
  readonly runId?: OneOrMore
  readonly tool?: OneOrMore
  readonly actor?: OneOrMore
  readonly verdict?: OneOrMore
  /** Of the run the event belongs to, as are the outcome and the end user. */
  readonly agent?: OneOrMore
  readonly outcome?: OneOrMore
  /** Pseudonyms, as the runs were created with. An erased run is nobody's. */
  readonly endUser?: OneOrMore
  /** Milliseconds since the epoch; `since` inclusive, `until` exclusive. */
  readonly since?: number
  readonly until?: number
  /** `position` of the last event seen. Throws a RangeError if it is no position. */
  readonly after?: string
  /** The last position of interest, included. Throws a RangeError if it is no position. */
  readonly through?: string
  /** At most `limits.pageMax`, which is the default. */
  readonly limit?: number
}

/** The position of an event in the feed, as text. */
export const positionOf = (event: 'e' | 's'): RawBuilder<string> =>
  sql<string>`lpad(${sql.ref(`${event}.xid`)}::text, 20, '0') || '-' || lpad(${sql.ref(`${event}.gpos`)}::text, 20, '0')`

type Condition = RawBuilder<boolean>

/** What must hold of an event that is found. Empty never: what is in flight is always left out. */
export function auditConditions(filter: AuditFilter): readonly Condition[] {
  const { since, until, after, through } = filter
  return [
    sql<boolean>`e.xid < pg_snapshot_xmin(pg_current_snapshot())`,
    ...among('e.type', filter.type),
    ...among('e.thread_id', filter.threadId),
    ...among('e.run_id', runIds(filter)),
    ...among('e.tool', filter.tool),
    ...among('e.actor', filter.actor),
    ...among('e.verdict', filter.verdict),
    ...ofRun(filter),
    ...ofEndUser(filter),
    ...(since === undefined ? [] : [sql<boolean>`e.at >= signalbox.from_ms(${since})`]),
    ...(until === undefined ? [] : [sql<boolean>`e.at < signalbox.from_ms(${until})`]),
    ...(after === undefined ? [] : [sql<boolean>`(e.xid, e.gpos) > ${place('after', after)}`]),
    ...(through === undefined
      ? []
      : [sql<boolean>`(e.xid, e.gpos) <= ${place('through', through)}`]),
  ]
}

/** What is no uuid names no run; Postgres would call it an error. */
function runIds({ runId }: AuditFilter): readonly string[] | undefined {
  return runId === undefined ? undefined : [runId].flat().filter(isUuid)
}

function among(column: string, value: OneOrMore | undefined): readonly Condition[] {
  if (value === undefined) return []
  const values = [value].flat()
  const type = column === 'e.run_id' ? sql.raw('::uuid') : sql.raw('')
  if (values.length === 1) return [sql<boolean>`${sql.ref(column)} = ${values[0]}${type}`]
  const array = column === 'e.run_id' ? sql.raw('::uuid[]') : sql.raw('::text[]')
  return [sql<boolean>`${sql.ref(column)} = any(${values}${array})`]
}

function ofRun({ agent, outcome }: AuditFilter): readonly Condition[] {
  const wanted = [...among('r.agent', agent), ...among('r.outcome', outcome)]
  if (wanted.length === 0) return []
  return [
    sql<boolean>`exists (select from signalbox.run r
      where r.id = e.run_id and ${sql.join(wanted, sql` and `)})`,
  ]
}

function ofEndUser({ endUser }: AuditFilter): readonly Condition[] {
  if (endUser === undefined) return []
  // As an array, which is made before: joined, the planner reads all events and looks for their runs.
  return [
    sql<boolean>`e.run_id = any(array(select u.run_id from signalbox.end_user_run u
      join signalbox.event f on f.run_id = u.run_id and f.seq = 1 and f.payload is not null
      where ${sql.join(among('u.end_user', endUser))}))`,
  ]
}

function place(name: 'after' | 'through', text: string): RawBuilder<unknown> {
  const position = parsePosition(text)
  if (position === null) throw new RangeError(`\`${name}\` is not a position of the feed`)
  return sql`(${position.xid}::xid8, ${position.gpos}::bigint)`
}
