/** The events of room. */
import type { Verdict } from '../../event/decision.ts'
import type { Pruning } from './verdict.ts'

/** `context.pruned`: from this turn on, the model reads one line in the place of old results. */
export function contextPruned(turn: number, pruning: Pruning): Verdict {
  const { through, results, inputs, tokens, rule } = pruning
  const payload = {
    turn,
    through,
    results,
    inputs,
    tokens,
    rule: { ...rule, exclude: [...rule.exclude] },
  }
  return { type: 'context.pruned', payload, tool: null, verdict: 'pruned' }
}
