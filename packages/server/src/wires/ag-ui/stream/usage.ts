/** What a run has used, by provider and model, as the providers counted it. */
import { factSchemas } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import type { AgUiUsage } from '../event.ts'

/** Counts by the name that AG-UI has for them, and by ours. */
const counts = [
  ['inputTokens', 'inputTokens'],
  ['outputTokens', 'outputTokens'],
  ['cachedInputTokens', 'cachedInputTokens'],
  ['cacheWriteInputTokens', 'cacheWriteTokens'],
  ['reasoningTokens', 'reasoningTokens'],
] as const
type Counts = Partial<Record<(typeof counts)[number][0] | 'totalTokens', number>>

interface Used {
  readonly of: { readonly provider: string; readonly model: string }
  readonly tokens: Counts
}

export class UsedTokens {
  readonly #by = new Map<string, Used>()

  see({ type, payload, salt }: StoredEvent): void {
    if (type !== 'model.completed' || salt === '') return
    const { provider, model, usage } = factSchemas['model.completed'].parse(payload).turn
    const key = `${provider}\n${model}`
    const tokens: Counts = { ...this.#by.get(key)?.tokens }
    for (const [count, ours] of counts) {
      const more = usage[ours]
      if (more !== undefined) tokens[count] = (tokens[count] ?? 0) + more
    }
    this.#by.set(key, { of: { provider, model }, tokens })
  }

  /** Entries with a count; `children` are the tokens of runs that it has started, of whatever models. */
  list(children: number): readonly AgUiUsage[] {
    const own = [...this.#by.values()]
      .filter(({ tokens }) => Object.keys(tokens).length > 0)
      .map(({ of, tokens }) => ({ ...of, ...withTotal(tokens) }))
    return children === 0 ? own : [...own, { totalTokens: children }]
  }
}

function withTotal(tokens: Counts): Counts {
  const { inputTokens, outputTokens } = tokens
  const isWhole = inputTokens !== undefined && outputTokens !== undefined
  return isWhole ? { ...tokens, totalTokens: inputTokens + outputTokens } : tokens
}
