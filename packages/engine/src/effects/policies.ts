/** Asks the policies with I/O, on orchestrators: at once after the decision that needs them, or when the reconciler finds the question. */
import type { AgentDefinition, PolicyEffect } from '@signalbox/core'
import { performPolicyCall, type PolicyCallDeps, readQuestion } from '../perform/policy-call.ts'
import type { Strangers } from '../record/strangers.ts'
import type { Claimable, LoopDeps, Performer } from './loop.ts'

/** A question that waits, and whose it is. */
export interface Question extends Claimable {
  readonly effect: PolicyEffect
}

export const policyPerformer = (
  deps: PolicyCallDeps & LoopDeps & { readonly strangers: Strangers },
): Performer<Question, AgentDefinition> => ({
  givenUp: 'policies could not be asked',
  needsRun: true,
  async read(question) {
    await readQuestion(deps, question)
    return deps.views.definition(question.definitionHash)
  },
  left: (question, why) => deps.strangers.leave(question, why),
  perform: (question, { attempt, seq, read: agent }, held) =>
    performPolicyCall(deps, { ...question, agent, attempt, seq }, held),
  record: (question, fact) => deps.recorder.record(question, [fact]),
})
