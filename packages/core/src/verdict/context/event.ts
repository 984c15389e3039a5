/** The events of room. */
import type { Verdict } from '../../event/decision.ts'
import type { Pruning } from './verdict.ts'

/** `context.pruned`: from this turn on, the model reads one line in the place of old results. */
export function contextPruned(turn: number, pruning: Pruning): Verdict {
  const { through, results, inputs, images, tokens, rule } = pruning
  const payload = {
    turn,
    through,
    results,
    inputs,
    ...(images > 0 ? { images } : {}),
    tokens,
    rule: { ...rule, exclude: [...rule.exclude] },
  }
  return { type: 'context.pruned', payload, tool: null, verdict: 'pruned' }
}

/** `context.exhausted`: the run ends with these words as its answer. */
export function contextExhausted(about: {
  readonly turn: number
  readonly messageId: string
  readonly tokens: number | null
  readonly window: number | null
  readonly tried: readonly ('prune' | 'compact')[]
}): Verdict {
  const size = about.tokens === null ? '' : ` (some ${about.tokens} tokens)`
  const text =
    `[CONTEXT FULL] The run was stopped: its request does not fit the model${size}, ` +
    'and nothing is left that could make it lighter.'
  const payload = { ...about, tried: [...about.tried], text }
  return { type: 'context.exhausted', payload, tool: null, verdict: 'context_full' }
}
