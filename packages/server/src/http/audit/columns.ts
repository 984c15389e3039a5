/** The columns of exported events: the same names, in the same order, in CSV and Parquet. */
import type { AuditEvent } from '@signalbox/postgres'
import { type Event, eventView } from '../wire/event-view.ts'

/** How a column is stored in Parquet. */
export interface Column {
  readonly name: keyof Event
  readonly type: 'STRING' | 'INT32' | 'TIMESTAMP' | 'JSON'
  readonly nullable: boolean
}

const column = (name: keyof Event, type: Column['type'] = 'STRING', nullable = false): Column => ({
  name,
  type,
  nullable,
})

/** Never reordered, never renamed: files that were written once are appended to. New ones come last. */
export const columns: readonly Column[] = [
  column('position'),
  column('run_id'),
  column('seq', 'INT32'),
  column('thread_id'),
  column('type'),
  column('version', 'INT32'),
  column('at', 'TIMESTAMP'),
  column('actor'),
  column('tool', 'STRING', true),
  column('verdict', 'STRING', true),
  column('payload', 'JSON'),
  column('payload_hash'),
  column('digest'),
  column('hash'),
]

/** A row of an export. */
export type Row = Event

/** Rows of events. */
export const rowsOf = (events: readonly AuditEvent[]): readonly Row[] => events.map(eventView)
