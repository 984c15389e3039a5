/** Providers that count strangely, what a run of theirs is charged, and agents that go on until their budget ends them. */
import { factSchemas, type JsonObject, type ModelConfig } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { expect } from 'vitest'
import { functionTools } from '../../packages/engine/test/support/world.ts'
import { wireOf } from '../../packages/models/src/observer/wires.ts'
import type { Provider } from '../../packages/models/test/support/call.ts'
import { countedReply, strange } from '../../packages/models/test/support/counted.ts'
import type { Loopback } from '../../packages/models/test/support/loopback.ts'

export const price = { inputPerMTok: 3, outputPerMTok: 15 }
const maxOutputTokens = 60

/** A model of the provider that asks for the same again and again, and counts so. */
export function countedModel(
  loopback: Loopback,
  provider: Provider,
  name: string,
): ModelConfig & JsonObject {
  const counting = strange[name]
  if (!counting) throw new Error(`nobody counts so: ${name}`)
  const tool = { name: 'look', args: { page: 1 } }
  return {
    provider,
    model: 'm',
    baseURL: loopback.reply(countedReply(wireOf(provider), counting, { tool })),
    apiKeyEnv: 'K',
    region: 'us-east-1',
    idleTimeoutMs: 20_000,
    endMarker: 'required',
    maxOutputTokens,
    price,
  }
}

export const lookTools = functionTools({ look: async () => 'seen' })
/** Nothing but a budget ends them. */
export const unlooped = { loop: { enabled: false }, modelRetries: { max: 0, baseMs: 1, capMs: 1 } }

export interface Charged {
  readonly tokens: number
  readonly cost: number
  readonly estimated: boolean
}

/** What each answer of a run was charged. */
export const charges = (events: readonly StoredEvent[]): readonly Charged[] =>
  events
    .filter(({ type }) => type === 'model.completed')
    .map(({ payload }) => {
      const { usage } = factSchemas['model.completed'].parse(payload).turn
      const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0 } = usage
      expect(cachedInputTokens).toBeLessThanOrEqual(inputTokens)
      return {
        tokens: inputTokens + outputTokens,
        cost: Math.ceil(inputTokens * price.inputPerMTok + outputTokens * price.outputPerMTok),
        estimated: usage.estimated === true,
      }
    })
