/** The filters of an audit. */
import { type RawBuilder, sql } from 'kysely'

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
  /** Ids of rules of the audit of scripts, or codes of denials and warnings: any of the reasons of an event. */
  readonly rule?: OneOrMore
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

/** One of the values, or the only one. */
export function among(
  column: string,
  value: OneOrMore | undefined,
): readonly RawBuilder<boolean>[] {
  if (value === undefined) return []
  const values = [value].flat()
  const type = column === 'e.run_id' ? sql.raw('::uuid') : sql.raw('')
  if (values.length === 1) return [sql<boolean>`${sql.ref(column)} = ${values[0]}${type}`]
  const array = column === 'e.run_id' ? sql.raw('::uuid[]') : sql.raw('::text[]')
  return [sql<boolean>`${sql.ref(column)} = any(${values}${array})`]
}
