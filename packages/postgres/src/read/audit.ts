/** Reads of events for audits: the feed of a tenant, and one run. */
import { limits } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { type CompiledQuery, sql } from 'kysely'
import { build, pageSize } from '../query.ts'
import { eventColumns } from '../rows.ts'
import { parsePosition } from './position.ts'

/** Filters join with "and". Times only filter; paging goes by `after`. */
export interface AuditFilter {
  readonly type?: string
  readonly threadId?: string
  /** A uuid. */
  readonly runId?: string
  readonly tool?: string
  readonly actor?: string
  readonly verdict?: string
  /** Milliseconds since the epoch; `since` inclusive, `until` exclusive. */
  readonly since?: number
  readonly until?: number
  /** `position` of the last event seen. Throws a RangeError if it is no position. */
  readonly after?: string
  /** At most `limits.pageMax`, which is the default. */
  readonly limit?: number
}

/** An event of the feed: its position is always there. */
export type AuditEvent = StoredEvent & { readonly position: string }

export function auditQuery(filter: AuditFilter): CompiledQuery<AuditEvent> {
  let query = build
    .selectFrom('event as e')
    .select(eventColumns)
    .select(
      sql<string>`lpad(e.xid::text, 20, '0') || '-' || lpad(e.gpos::text, 20, '0')`.as('position'),
    )
    // What a transaction in flight may still write before this stays out of sight until it is done (I17).
    .where(sql<boolean>`e.xid < pg_snapshot_xmin(pg_current_snapshot())`)
    .orderBy('e.xid')
    .orderBy('e.gpos')
    .limit(pageSize(filter.limit, limits.pageMax))
  const equals = [
    ['e.type', filter.type],
    ['e.thread_id', filter.threadId],
    ['e.run_id', filter.runId],
    ['e.tool', filter.tool],
    ['e.actor', filter.actor],
    ['e.verdict', filter.verdict],
  ] as const
  for (const [column, value] of equals) {
    if (value !== undefined) query = query.where(column, '=', value)
  }
  const { since, until, after } = filter
  if (since !== undefined) query = query.where(sql<boolean>`e.at >= signalbox.from_ms(${since})`)
  if (until !== undefined) query = query.where(sql<boolean>`e.at < signalbox.from_ms(${until})`)
  if (after !== undefined) {
    const position = parsePosition(after)
    if (position === null) throw new RangeError('`after` is not a position of the feed')
    query = query.where(
      sql<boolean>`(e.xid, e.gpos) > (${position.xid}::xid8, ${position.gpos}::bigint)`,
    )
  }
  return query.compile()
}

export function runEventsQuery(
  runId: string,
  afterSeq: number,
  limit: number,
): CompiledQuery<StoredEvent> {
  return build
    .selectFrom('event as e')
    .select(eventColumns)
    .where('e.run_id', '=', runId)
    .where('e.seq', '>', afterSeq)
    .orderBy('e.seq')
    .limit(pageSize(limit, limits.pageMax))
    .compile()
}
