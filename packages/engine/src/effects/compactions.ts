/** Has conversations summed up, on orchestrators that make model calls: after the decision, or when the reconciler finds the effect. */
import type { AgentDefinition, CompactEffect } from '@signalbox/core'
import { type CompactionDeps, performCompaction } from '../perform/compaction.ts'
import type { FactDraft } from '../ports.ts'
import type { Strangers } from '../record/strangers.ts'
import type { Writer } from '../record/draft.ts'
import type { LoopDeps, Performer } from './loop.ts'
import type { RowOf } from './row.ts'

type Row = RowOf<CompactEffect>

export const compactionPerformer = (
  deps: CompactionDeps & LoopDeps & { readonly strangers: Strangers },
): Performer<Row, AgentDefinition> => ({
  givenUp: 'a conversation was not summed up',
  needsRun: true,
  read: (row) => deps.views.definition(row.definitionHash),
  left: (row, why) => deps.strangers.leave(row, why),
  perform: (row, { attempt, seq, read: agent }, held) => {
    const rootId = row.rootId ?? row.runId
    return performCompaction(deps, { ...row, effect: row.spec, agent, rootId, attempt, seq }, held)
  },
  record: (row, fact) => deps.recorder.record(row, [fact]),
})

/** The fact that a compaction of a run that is to end was lost, or starts no more. */
export const abortedCompaction = (
  writer: Writer,
  { effectId, attempt, status }: Row,
): FactDraft => {
  const expect = status === 'pending' ? 'pending' : 'lost'
  const fence = { effectId, attempt, expect, becomes: 'cancelled' } as const
  const payload = { effectId, attempt, reason: 'aborted', usage: {}, durationMs: 0 } as const
  return writer.fact('context.unchanged', payload, { key: effectId, fence, verdict: 'aborted' })
}
