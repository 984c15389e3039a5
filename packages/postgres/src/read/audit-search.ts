/**
 * Free text over the feed. No index helps, so a page looks at so many events that pass the other filters and says where
 * it stopped: a search is many short steps, and never hangs.
 */
import { limits } from '@signalbox/core'
import { type CompiledQuery, sql } from 'kysely'
import { build, pageSize } from '../query.ts'
import { eventColumns } from '../rows.ts'
import { matching } from './audit-conditions.ts'
import { type AuditFilter, positionOf } from './audit-filter.ts'
import type { AuditScope } from './audit-scope.ts'
import type { AuditEvent } from './audit.ts'
import { holdsText } from './searched-text.ts'

/** A filter with a text that events must hold. */
export interface SearchFilter extends AuditFilter {
  readonly q?: string
}

/** A page of the feed. */
export interface AuditPage {
  readonly events: readonly AuditEvent[]
  /** Where to go on, as `after`; null at the end of what is there now. A page without events may have one. */
  readonly next: string | null
}

/** An event that was looked at: one that holds the text, or the last one of the step. */
type Seen = AuditEvent & { readonly holds: boolean; readonly n: number }

/** The events of one step that hold the text, and its last one. */
export function searchQuery(
  filter: AuditFilter,
  q: string,
  scope: AuditScope | null = null,
): CompiledQuery<Seen> {
  const step = build
    .selectFrom(matching(filter, scope, { size: limits.searchedEventsMax }))
    .select(eventColumns)
    .select(['e.xid', 'e.gpos'])
    .select(positionOf('e').as('position'))
    .select(holdsText(q).as('holds'))
    .select(sql<number>`(row_number() over (order by e.xid, e.gpos))::int`.as('n'))
    .orderBy('e.xid')
    .orderBy('e.gpos')
    .limit(limits.searchedEventsMax)
  return (
    build
      .selectFrom(step.as('s'))
      .selectAll('s')
      .where(sql<boolean>`(s.holds or s.n = ${limits.searchedEventsMax})`)
      // Also keeps the planner from planning the step for a few rows only, when it must look at all of them.
      .orderBy('s.xid')
      .orderBy('s.gpos')
      .limit(pageSize(filter.limit, limits.pageMax) + 1)
      .compile()
  )
}

/** The page that rows of `searchQuery` make. */
export function searchPage(rows: readonly Seen[], filter: AuditFilter): AuditPage {
  const size = pageSize(filter.limit, limits.pageMax)
  const events = rows.filter(({ holds }) => holds).slice(0, size)
  const last = rows.at(-1)
  if (events.length === size && size > 0) return { events, next: events.at(-1)?.position ?? null }
  const isCut = last?.n === limits.searchedEventsMax
  return { events, next: isCut ? last.position : null }
}

/** The page that rows of `auditQuery` make. */
export function feedPage(events: readonly AuditEvent[], filter: AuditFilter): AuditPage {
  const isFull = events.length === pageSize(filter.limit, limits.pageMax)
  return { events, next: isFull ? (events.at(-1)?.position ?? null) : null }
}
