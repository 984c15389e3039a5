/** The events of budgets, with the words the model or the user reads. */
import type { Verdict } from '../../event/decision.ts'
import type { Budget } from '../../budget.ts'
import type { Used } from './verdict.ts'

const units: Readonly<Record<Budget, string>> = {
  turns: 'turns',
  calls: 'tool calls',
  tokens: 'tokens',
  money: 'millionths of the currency unit',
  time: 'milliseconds',
}

const amount = ({ budget, used, limit }: Used): string =>
  `${Math.round(used)} of ${limit} ${units[budget]}`

/** `budget.warned`: the model should come to an end. */
export function budgetWarned(near: readonly Used[]): readonly Verdict[] {
  return near.map((used) => {
    const text = `[BUDGET] You have used ${amount(used)}. Finish with what you have.`
    return {
      type: 'budget.warned',
      payload: { ...used, text },
      tool: null,
      verdict: used.budget,
    }
  })
}

/** `budget.exhausted`: the run ends with these words as its answer. */
export function exhausted(used: Used, messageId: string): Verdict {
  const text = `[BUDGET EXHAUSTED] The run was stopped: it has used ${amount(used)}.`
  const payload = { ...used, messageId, text }
  return { type: 'budget.exhausted', payload, tool: null, verdict: used.budget }
}
