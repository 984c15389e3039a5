import type { sql } from 'kysely'
import type { QuestionColumn } from './columns.ts'

/** One question. */
export interface AuditQuestion {
  readonly asks: string
  /** Types of the events that answer it. */
  readonly types: readonly string[]
  /** Its events stand in the ledger, whose run is of no agent: each names its own, if it is about one. */
  readonly ofLedger?: true
  /** Only calls of tools, where the events are of other effects too. */
  readonly ofTools?: true
  /** Filters that must be given. */
  readonly needs?: readonly ('since' | 'until' | 'path')[]
  /** Only those events of which this holds. So many are looked at for a page. */
  readonly holds?: ReturnType<typeof sql>
  readonly joins: readonly ReturnType<typeof sql>[]
  /** After those that all answers have. */
  readonly columns: readonly QuestionColumn[]
}
