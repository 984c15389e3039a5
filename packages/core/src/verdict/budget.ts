/** Budget: has the run used up one of its agent's limits? */
import type { AgentDefinition } from '../definition.ts'
import type { DecisionPayload, Verdict } from '../event/decision.ts'
import type { RunContext } from '../machine/context.ts'

type Exhausted = DecisionPayload<'budget.exhausted'>

/** Before the calls of a turn run: `asked` more calls than before. */
export function callBudget(
  agent: AgentDefinition,
  context: RunContext,
  asked: number,
): Exhausted | null {
  const used = context.calls + asked
  const limit = agent.limits.maxToolCalls
  return used > limit ? { budget: 'calls', used, limit } : null
}

/** Before the next model call. */
export function turnBudget(agent: AgentDefinition, context: RunContext): Exhausted | null {
  const { maxTurns, maxTokens } = agent.limits
  if (context.turn >= maxTurns) return { budget: 'turns', used: context.turn, limit: maxTurns }
  if (context.tokens >= maxTokens)
    return { budget: 'tokens', used: context.tokens, limit: maxTokens }
  return null
}

export const budgetVerdict = (payload: Exhausted): Verdict => ({
  type: 'budget.exhausted',
  payload,
  tool: null,
  verdict: payload.budget,
})
