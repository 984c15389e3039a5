/** The limits that a run passes on to a run that it starts. */
import type { AgentDefinition } from '../../definition.ts'
import type { RunStartEffect } from '../../effect.ts'
import type { Budget } from '../../budget.ts'
import { million, type Spent, usedOf } from './verdict.ts'

type Left = RunStartEffect['left']

/** The rest of each limit. */
export function leftOf(agent: AgentDefinition, spent: Spent, activeMs: number): Left {
  const used = new Map(usedOf(agent, spent, activeMs).map((each) => [each.budget, each]))
  const left = (budget: Budget): number => {
    const one = used.get(budget)
    return one ? Math.max(0, Math.floor(one.limit - one.used)) : 0
  }
  return {
    maxTurns: left('turns'),
    maxToolCalls: left('calls'),
    maxTokens: left('tokens'),
    timeoutMs: left('time'),
    maxCost: used.has('money') ? left('money') / million : null,
  }
}

/**
 * The agent with no limit above what is left. Where nothing is, the least that a limit can be: the budget of the tree then
 * says no.
 */
export function lowered(agent: AgentDefinition, left: Left): AgentDefinition {
  const { limits } = agent
  const own = limits.maxCost ?? Infinity
  const cost = Math.max(Math.min(1 / million, own), Math.min(own, left.maxCost ?? Infinity))
  return {
    ...agent,
    limits: {
      ...limits,
      maxTurns: Math.max(1, Math.min(limits.maxTurns, left.maxTurns)),
      maxToolCalls: Math.min(limits.maxToolCalls, left.maxToolCalls),
      maxTokens: Math.max(1, Math.min(limits.maxTokens, left.maxTokens)),
      timeoutMs: Math.max(1, Math.min(limits.timeoutMs, left.timeoutMs)),
      maxCost: Number.isFinite(cost) ? cost : null,
    },
  }
}
