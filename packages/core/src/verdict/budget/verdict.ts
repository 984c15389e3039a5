/**
 * Budget: how much of its agent's limits has a run used? Evidence in (what the facts add up to), verdict out: at a share of
 * each limit the model is told, once; at the limit nothing more is asked for.
 */
import type { AgentDefinition } from '../../definition.ts'
import type { Budget } from '../../budget.ts'
import type { Usage } from '../../turn.ts'

/** The sums of the facts of a run: part of its context, where each field is explained. */
export interface Spent {
  readonly turn: number
  readonly childTurns: number
  readonly calls: number
  readonly tokens: number
  readonly cost: number
}

/** The use of one limit. Money in millionths of the currency's unit, time in milliseconds. */
export interface Used {
  readonly budget: Budget
  readonly used: number
  readonly limit: number
}

/** Millionths in one unit of the currency: budgets count money in them. */
export const million = 1_000_000

/** The use of each limit. */
export function usedOf(agent: AgentDefinition, spent: Spent, activeMs: number): readonly Used[] {
  const { maxTurns, maxToolCalls, maxTokens, maxCost, timeoutMs } = agent.limits
  const all: Used[] = [
    { budget: 'turns', used: spent.turn + spent.childTurns, limit: maxTurns },
    { budget: 'tokens', used: spent.tokens, limit: maxTokens },
    { budget: 'calls', used: spent.calls, limit: maxToolCalls },
    { budget: 'time', used: activeMs, limit: timeoutMs },
  ]
  if (maxCost !== null)
    all.push({ budget: 'money', used: spent.cost, limit: Math.round(maxCost * million) })
  return all
}

/** Before the calls of a turn run: would `asked` more calls be too many? */
export function callBudget(
  agent: AgentDefinition,
  spent: Pick<Spent, 'calls'>,
  asked: number,
): Used | null {
  const used = spent.calls + asked
  const limit = agent.limits.maxToolCalls
  return used > limit ? { budget: 'calls', used, limit } : null
}

/** Before the next model call, a retry included. Time ends a run by its timer, calls before they run. */
export function turnBudget(agent: AgentDefinition, spent: Spent): Used | null {
  return (
    usedOf(agent, spent, 0).find(
      ({ budget, used, limit }) => budget !== 'calls' && budget !== 'time' && used >= limit,
    ) ?? null
  )
}

/** Before a repeated call of the same turn: it begins no turn, so turns do not count. */
export function retryBudget(agent: AgentDefinition, spent: Spent): Used | null {
  return turnBudget(agent, { ...spent, turn: 0, childTurns: 0 })
}

/** Limits that are nearly used up and were not warned about yet. A limit of 1 is never nearly used up. */
export function nearlyUsed(
  agent: AgentDefinition,
  spent: Spent & { readonly told: readonly Budget[] },
  activeMs: number,
): readonly Used[] {
  return usedOf(agent, spent, activeMs).filter(
    ({ budget, used, limit }) =>
      !spent.told.includes(budget) && used < limit && used >= limit * agent.limits.warnAt,
  )
}

/** What a turn costs, in millionths of the currency's unit, rounded up. */
export function costOf(
  model: AgentDefinition['model'],
  usage: Pick<Usage, 'inputTokens' | 'outputTokens' | 'cachedInputTokens' | 'cacheWriteTokens'>,
): number {
  const { price } = model
  if (!price) return 0
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage
  // Tokens that were read from a cache and tokens that were written to it are parts of the input: none counts twice.
  const cached = Math.min(cachedInputTokens, inputTokens)
  const written = Math.min(cacheWriteTokens, inputTokens - cached)
  const input = (inputTokens - cached - written) * price.inputPerMTok
  return Math.ceil(
    input +
      cached * (price.cachedInputPerMTok ?? price.inputPerMTok) +
      written * (price.cacheWritePerMTok ?? price.inputPerMTok) +
      outputTokens * price.outputPerMTok,
  )
}
