/** The ledger in memory: `record_in_ledger` and `use_definition` of the SQL. */
import { limits } from '@signalbox/core'
import { canonical, type Clock, type LedgerDraft, type LedgerPort } from '@signalbox/engine'
import { insertRun, type RunRow, type Tables } from './tables.ts'
import { write } from './write.ts'

export function ledgerOf(tables: Tables, clock: Pick<Clock, 'now'>): LedgerPort {
  const record = (draft: LedgerDraft): 'recorded' | 'known' => {
    const { tenantId, runId, key, event } = draft
    if (Buffer.byteLength(canonical(event.payload)) > limits.ledgerBytesMax)
      throw new Error('ledger_malformed')
    const run = tables.runs.get(runId) ?? opened(tables, draft, clock.now())
    if (run.tenantId !== tenantId || run.machine !== 'ledger') throw new Error('not_a_ledger')
    if (key !== null && tables.keys.get(runId)?.has(key)) return 'known'
    write(tables, run, { draft: event, key, fact: false })
    run.updatedAt = clock.now()
    return 'recorded'
  }
  return {
    recordInLedger: async (draft) => record(draft),
    useDefinition: async (hash, draft) => {
      const use = `${draft.tenantId}\u0000${hash}`
      if (tables.used.has(use)) return 'known'
      tables.used.add(use)
      return record(draft)
    },
  }
}

/** The run of a month, which ended before it began, and which its users do not see. */
function opened(tables: Tables, { tenantId, runId }: LedgerDraft, now: number): RunRow {
  const run = insertRun(tables, now, {
    runId,
    tenantId,
    threadId: runId,
    agent: '-',
    definitionHash: '-',
    machine: 'ledger',
    machineVersion: 1,
    metadata: {},
    status: 'ended',
    stateName: 'completed',
  })
  tables.hidden.add(runId)
  return run
}
