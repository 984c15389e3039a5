/**
 * Tells a client that text it was shown is withdrawn: the model begins the message anew, for whatever reason. A stream
 * that was resumed in the middle of a decision may not know the attempt; then it is left out.
 */
import { messageId, ModelCallEffect } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { z } from 'zod'

/** What is withdrawn: the text of the message from attempts before this one. */
export interface StepReset {
  readonly messageId: string
  /** The first attempt that counts from here on. */
  readonly attempt?: number
  readonly reason: 'guardrail' | 'retry' | 'fallback'
  /** The guardrail that objected. */
  readonly guardrail?: string
}

const reasons = new Map<string, StepReset['reason']>([
  ['guardrail.tripped', 'guardrail'],
  ['model.retried', 'retry'],
  ['model.replaced', 'fallback'],
])

const About = z.object({
  turn: z.number(),
  trip: z.object({ guardrail: z.object({ id: z.string() }) }).optional(),
})
const Asked = z.object({ effects: z.array(z.unknown()) })

/** The model calls that a decision asked for. */
export function askedModelCalls(event: StoredEvent): readonly ModelCallEffect[] {
  const asked = event.type === 'run.transitioned' ? Asked.safeParse(event.payload) : null
  if (!asked?.success) return []
  return asked.data.effects.flatMap((effect) => {
    const call = ModelCallEffect.safeParse(effect)
    return call.success ? [call.data] : []
  })
}

/** The engine numbers live attempts `retry * 1000 + attempt`; the first of a call is this. */
export const firstAttempt = ({ retry }: ModelCallEffect): number => retry * 1000 + 1

/** Follows the events of one run. */
export class StepResets {
  /** First attempts by message, as far as the stream has seen them asked for. */
  readonly #asked = new Map<string, number>()

  /** What is withdrawn by the event that is about to be shown; null if nothing. */
  see(event: StoredEvent): StepReset | null {
    for (const call of askedModelCalls(event)) this.#asked.set(call.messageId, firstAttempt(call))
    const reason = reasons.get(event.type)
    const about = reason === undefined ? null : About.safeParse(event.payload)
    if (reason === undefined || !about?.success) return null
    const { turn, trip } = about.data
    const id = messageId(event.runId, turn)
    const attempt = this.#asked.get(id)
    return {
      messageId: id,
      reason,
      ...(attempt === undefined ? {} : { attempt }),
      ...(trip ? { guardrail: trip.guardrail.id } : {}),
    }
  }
}
