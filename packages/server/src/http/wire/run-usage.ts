/** The tokens that the model calls of a run used, by its log: its turns, and apart from them the summaries and titles that nobody asked for. */
import { z } from '@hono/zod-openapi'
import { type FactPayload, factSchemas, noteSchemas } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'

const count = z.number().int()

const UsedTokens = z.object({
  calls: count,
  input_tokens: count,
  /** Parts of the input. */
  cached_input_tokens: count,
  cache_write_tokens: count,
  output_tokens: count,
})
type UsedTokens = z.infer<typeof UsedTokens>

export const RunUsage = z.object({
  /** Answers of models, repeated ones included. A request that was too long to be sent is none. */
  turns: UsedTokens,
  /** Summaries of the conversation, those that failed included. */
  compaction: UsedTokens,
  /** Titles of the thread, those that failed included. */
  title: UsedTokens,
})

type Usage = FactPayload<'context.unchanged'>['usage']

const nothing: UsedTokens = {
  calls: 0,
  input_tokens: 0,
  cached_input_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 0,
}

/** Of the events of a run. One whose words were erased is not counted. */
export function usageIn(
  events: readonly Pick<StoredEvent, 'type' | 'payload'>[],
): z.infer<typeof RunUsage> {
  let [turns, compaction, title] = [nothing, nothing, nothing]
  for (const { type, payload } of events) {
    if (type === 'model.completed') {
      const { data } = factSchemas[type].pick({ turn: true, room: true }).safeParse(payload)
      if (data && !data.room?.unsent) turns = plus(turns, data.turn.usage)
    }
    if (type === 'context.compacted' || type === 'context.unchanged') {
      const { data } = factSchemas['context.unchanged'].pick({ usage: true }).safeParse(payload)
      // A model that was not asked has used nothing.
      if (data?.usage.inputTokens !== undefined) compaction = plus(compaction, data.usage)
    }
    if (type === 'thread.titled' || type === 'title.unchanged') {
      const { data } = noteSchemas['title.unchanged'].pick({ usage: true }).safeParse(payload)
      if (data?.usage) title = plus(title, data.usage)
    }
  }
  return { turns, compaction, title }
}

const plus = (sum: UsedTokens, usage: Usage): UsedTokens => ({
  calls: sum.calls + 1,
  input_tokens: sum.input_tokens + (usage.inputTokens ?? 0),
  cached_input_tokens: sum.cached_input_tokens + (usage.cachedInputTokens ?? 0),
  cache_write_tokens: sum.cache_write_tokens + (usage.cacheWriteTokens ?? 0),
  output_tokens: sum.output_tokens + (usage.outputTokens ?? 0),
})
