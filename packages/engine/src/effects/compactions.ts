/** Has conversations summed up, in the place of a model call (`models.ts`): after the decision, or when the reconciler finds the effect. */
import { type AgentDefinition, type CompactEffect, NewerError } from '@signalbox/core'
import type { CompactionDeps } from '../perform/ask-summary.ts'
import { performCompaction } from '../perform/compaction.ts'
import { promptOf, promptSteps } from '../perform/prompt-steps.ts'
import type { FactDraft } from '../ports.ts'
import type { Strangers } from '../record/strangers.ts'
import type { Writer } from '../record/draft.ts'
import type { LoopDeps, Performer } from './loop.ts'
import type { RowOf } from './row.ts'

type Row = RowOf<CompactEffect>

/** The words of the log about a summary that was given up. */
export const summaryGivenUp = 'a conversation was not summed up'

/** Any other failure is one of the summary, and is told in its fact. */
function unlessNewer(error: unknown): void {
  if (error instanceof NewerError) throw error
}

/** The steps that read a conversation without its long texts. */
const unhydrated = promptSteps.filter(({ name }) => name === 'project')

export const compactionPerformer = (
  deps: CompactionDeps & LoopDeps & { readonly strangers: Strangers },
): Performer<Row, AgentDefinition> => ({
  givenUp: summaryGivenUp,
  needsRun: true,
  async read(row) {
    const agent = await deps.views.definition(row.definitionHash)
    // A conversation that is newer than this build is found out before the claim (W1). The prompt is kept for the performing.
    await promptOf(deps, { ...row, agent, seq: Infinity }, unhydrated).catch(unlessNewer)
    return agent
  },
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
