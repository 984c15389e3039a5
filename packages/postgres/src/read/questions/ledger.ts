/** Questions about what belongs to no run: their events stand in the ledger. */
import { sql } from 'kysely'
import { column, fromPayload } from './columns.ts'
import type { AuditQuestion } from './question.ts'

/** Everything that a record says, for the types that have columns of their own in no question. */
const record = column('record', 'What was recorded, as the event has it.', sql`e.payload`)

/** By name. */
export const ledgerQuestions = {
  definitions: {
    asks: 'When did the configuration of an agent change: which definition was used for the first time?',
    types: ['definition.used'],
    ofLedger: true,
    joins: [],
    columns: [fromPayload('hash', '{hash}', 'The definition: GET /definitions/{hash} shows it.')],
  },
  administration: {
    asks: 'Which keys, assistants and pauses were made, changed and ended, and by whom?',
    types: ['key.created', 'key.revoked', 'assistant.changed', 'pause.set', 'pause.lifted'],
    ofLedger: true,
    joins: [],
    columns: [record],
  },
  log_access: {
    asks: 'Who read or exported the log, or asked for the pseudonym of a user?',
    types: ['log.searched', 'export.made', 'user.pseudonymized'],
    ofLedger: true,
    joins: [],
    columns: [
      fromPayload('path', '{path}', 'Of a search: the first address that was asked in the hour.'),
      fromPayload('format', '{format}', 'Of an export: its form.'),
      column('filter', 'Of an export: its filters.', sql`e.payload -> 'filter'`),
      column(
        'events',
        'Of an export: how many events it had, if that was known when it began.',
        sql`(e.payload ->> 'events')::int`,
      ),
      fromPayload('pseudonym', '{pseudonym}', 'The pseudonym that was asked for.'),
    ],
  },
} as const satisfies Readonly<Record<string, AuditQuestion>>
