/** Reads of events for audits: the feed of a tenant, and one run. */
import { limits } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { type CompiledQuery, sql } from 'kysely'
import { build, pageSize } from '../query.ts'
import { eventColumns } from '../rows.ts'
import { matching } from './audit-conditions.ts'
import { type AuditFilter, positionOf } from './audit-filter.ts'
import type { AuditScope } from './audit-scope.ts'

/** An event of the feed: its position is always there. */
export type AuditEvent = StoredEvent & { readonly position: string }

export function auditQuery(
  filter: AuditFilter,
  scope: AuditScope | null = null,
): CompiledQuery<AuditEvent> {
  const size = pageSize(filter.limit, limits.pageMax)
  return build
    .selectFrom(matching(filter, scope, { size }))
    .select(eventColumns)
    .select(positionOf('e').as('position'))
    .orderBy('e.xid')
    .orderBy('e.gpos')
    .limit(size)
    .compile()
}

/** Where a piece of the feed ends: its last event, and how many there are. */
export interface PieceEnd {
  readonly position: string
  readonly count: number
}

/**
 * The end of the next `most` events of the feed, no row if there are none. What lies before it never changes, so that a
 * piece can be announced before it is read.
 */
export function pieceEndQuery(
  filter: AuditFilter,
  most: number,
  scope: AuditScope | null = null,
): CompiledQuery<PieceEnd> {
  const size = pageSize(most, limits.exportRowsMax)
  const piece = build
    .selectFrom(matching(filter, scope, { size }))
    .select(['e.xid', 'e.gpos'])
    .orderBy('e.xid')
    .orderBy('e.gpos')
    .limit(size)
  return build
    .selectFrom(piece.as('s'))
    .select(positionOf('s').as('position'))
    .select(sql<number>`(count(*) over ())::int`.as('count'))
    .orderBy('s.xid', 'desc')
    .orderBy('s.gpos', 'desc')
    .limit(1)
    .compile()
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
