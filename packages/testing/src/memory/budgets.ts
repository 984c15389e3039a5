/** Budgets of trees in memory: the semantics of `reserve_budget` and its neighbours. */
import type { Budget } from '@signalbox/core'
import type { BudgetPort, Reservation, Reserved } from '@signalbox/engine'
import { type BudgetRow, isOpen, type Tables } from './tables.ts'

export function budgetsOf({ budgets, effects, runs }: Tables): BudgetPort {
  return {
    openBudget: async (budget) => {
      if (budgets.has(budget.rootId)) return
      const spent = { turns: 0, calls: 0, tokens: 0, cost: 0 }
      budgets.set(budget.rootId, { ...budget, spent, reservations: new Map() })
    },
    reserve: async (asked) => {
      const row = budgets.get(asked.rootId)
      if (!row) {
        const none = { code: 'refused', budget: 'tokens', used: 0, limit: 0 } as const
        return asked.runId === asked.rootId ? { code: 'ok' } : none
      }
      return take(row, asked)
    },
    spend: async ({ rootId, effectId }, { tokens, cost }) => {
      const row = budgets.get(rootId)
      const held = row?.reservations.get(effectId)
      if (!row || !held?.open) return
      held.open = false
      row.spent.tokens += tokens
      row.spent.cost += cost
    },
    settleBudgets: async () => {
      for (const [rootId, { reservations }] of budgets) {
        if (runs.get(rootId)?.status === 'ended') budgets.delete(rootId)
        for (const [effectId, held] of reservations) {
          const effect = effects.get(effectId)
          if (!effect || !isOpen(effect)) held.open = false
        }
      }
      return []
    },
  }
}

function take(row: BudgetRow, asked: Reservation): Reserved {
  const { reservations, spent } = row
  const before = reservations.get(asked.effectId)
  // A repetition of what is counted already.
  const turns = before ? 0 : asked.turns
  const calls = before ? 0 : asked.calls
  const others = [...reservations].filter(([id, { open }]) => open && id !== asked.effectId)
  const held = (what: 'tokens' | 'cost'): number =>
    others.reduce((sum, [, each]) => sum + each[what], spent[what])
  const { tokens, cost } = asked
  const checks: readonly (readonly [Budget, number, number | null, boolean])[] = [
    ['turns', spent.turns, row.turns, turns > 0],
    ['calls', spent.calls, row.calls, calls > 0],
    ['tokens', held('tokens'), row.tokens, tokens > 0],
    ['money', held('cost'), row.cost, cost > 0],
  ]
  for (const [budget, used, limit, asks] of checks)
    if (asks && limit !== null && used >= limit) return { code: 'refused', budget, used, limit }
  spent.turns += turns
  spent.calls += calls
  reservations.set(asked.effectId, { tokens, cost, open: true })
  return { code: 'ok' }
}
