/** The ledger: notes that belong to no run. See the functions in the migration. */
import type { LedgerDraft, LedgerPort } from '@signalbox/engine'
import { type CompiledQuery, sql } from 'kysely'
import type { Pool } from 'pg'
import { compile, fetchRows } from '../query.ts'

type Answer = { readonly answer: 'recorded' | 'known' }

/** Records a draft: for a transaction that does what it tells of. */
export const recordQuery = (draft: LedgerDraft): CompiledQuery<Answer> =>
  compile(sql<Answer>`select signalbox.record_in_ledger(${JSON.stringify(draft)}::jsonb) as answer`)

export function ledgerOf(pool: Pool): LedgerPort {
  const answered = async (query: CompiledQuery<Answer>, name: string): Promise<Answer['answer']> =>
    (await fetchRows(pool, query, name))[0]?.answer ?? 'known'
  return {
    recordInLedger: (draft) => answered(recordQuery(draft), 'record_in_ledger'),
    useDefinition: (hash, draft) =>
      answered(
        compile(
          sql<Answer>`select signalbox.use_definition(${hash}, ${JSON.stringify(draft)}::jsonb) as answer`,
        ),
        'use_definition',
      ),
  }
}
