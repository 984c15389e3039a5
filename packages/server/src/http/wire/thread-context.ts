/** The context of a thread, as a model is shown it, told from its events: how much, of how much, and what was left out. */
import { z } from '@hono/zod-openapi'
import {
  type AgentDefinition,
  decisionSchemas,
  factSchemas,
  type FactPayload,
  payloadOf,
} from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'

const Place = z.object({ run_id: z.string(), seq: z.number().int() }).nullable()

export const ThreadContext = z
  .object({
    thread_id: z.string(),
    /** Tokens of the newest request that was counted, and of its answer; by estimate, where a summary was made since. Null before the first. */
    tokens: z.number().int().nullable(),
    /** Of the agent's model; null where nobody says it. */
    window: z.number().int().nullable(),
    /** Up to this event, a summary stands for what was said. */
    cut: Place,
    /** Up to this event, old results gave way to a line each. */
    pruned: Place,
    compactions: z.number().int(),
    prunes: z.number().int(),
    /** Share of all input tokens that providers read from their cache, 0 to 1; null where none was counted. */
    cached: z.number().nullable(),
  })
  .openapi('ThreadContext')
export type ThreadContext = z.infer<typeof ThreadContext>

/** The context by these events of a thread. `agent` is that of its newest run. */
export function contextOf(
  threadId: string,
  events: readonly StoredEvent[],
  agent: Pick<AgentDefinition, 'model'> | null,
): ThreadContext {
  const usages = events.flatMap((event) => usageOf(event) ?? [])
  // One that was erased leaves nothing out of a request.
  const readable = events.filter(({ salt }) => salt !== '')
  const cuts = readable.filter(({ type }) => type === 'context.compacted')
  const prunes = readable.filter(({ type }) => type === 'context.pruned')
  const input = usages.reduce((sum, { inputTokens = 0 }) => sum + inputTokens, 0)
  const cached = usages.reduce((sum, { cachedInputTokens = 0 }) => sum + cachedInputTokens, 0)
  return {
    thread_id: threadId,
    tokens: events.flatMap((event) => tokensAfter(event) ?? []).at(-1) ?? null,
    window: agent?.model.contextWindow ?? null,
    cut: placeOf(cuts.at(-1)),
    pruned: placeOf(prunes.at(-1)),
    compactions: cuts.length,
    prunes: prunes.length,
    cached: input === 0 ? null : cached / input,
  }
}

/** Tokens of the conversation after an event, as far as it tells them. */
function tokensAfter(event: StoredEvent): number | null {
  if (event.type === 'context.compacted') {
    const read = factSchemas['context.compacted'].safeParse(event.payload)
    return read.success ? read.data.tokens.after : null
  }
  const { inputTokens = 0, outputTokens = 0 } = usageOf(event) ?? {}
  return inputTokens > 0 ? inputTokens + outputTokens : null
}

type Usage = FactPayload<'model.completed'>['turn']['usage']

/** The usage of an answer; null for an event that is none, or whose payload was erased. */
function usageOf(event: StoredEvent): Usage | null {
  if (event.type !== 'model.completed') return null
  const read = factSchemas['model.completed'].safeParse(event.payload)
  return read.success ? read.data.turn.usage : null
}

function placeOf(event: StoredEvent | undefined): ThreadContext['cut'] {
  if (!event) return null
  const { through } =
    event.type === 'context.compacted'
      ? payloadOf(factSchemas['context.compacted'], event)
      : payloadOf(decisionSchemas['context.pruned'], event)
  return { run_id: through.runId, seq: through.seq }
}
