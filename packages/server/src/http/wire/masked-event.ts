/**
 * Events as a live stream shows them to whoever watches a run: an error of a provider by its class and code, not in the
 * provider's words, which may hold what operators know and users need not. The register, and reads of it, keep them.
 */
import type { JsonObject } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { z } from 'zod'

const ErrorFields = z.looseObject({
  class: z.string(),
  status: z.number().optional(),
  code: z.string().optional(),
})
const Completed = z.looseObject({ turn: z.looseObject({ error: ErrorFields.optional() }) })
const Tripped = z.looseObject({ trip: z.looseObject({ partType: z.string() }) })
const Again = z.looseObject({
  class: z.string(),
  error: z.looseObject({ message: z.string() }).optional(),
})

const masked = ({ class: kind, status, code }: z.infer<typeof ErrorFields>): string =>
  `The model could not answer (${[kind, status, code].filter((each) => each !== undefined).join(', ')}).`

/** The payload to show. */
export function maskedPayload({ type, payload, salt }: StoredEvent): JsonObject {
  // Erased: there is nothing to mask.
  if (salt === '') return payload
  switch (type) {
    case 'model.completed': {
      const { turn } = Completed.parse(payload)
      const error = turn.error && { ...turn.error, message: masked(turn.error) }
      return Object.assign({}, payload, {
        turn: { ...turn, ...(error && { error }), ...maskedTrip(turn) },
      })
    }
    case 'model.retried':
    case 'model.replaced': {
      const again = Again.parse(payload)
      // What the model reads after an empty answer is ours.
      const isOurs = again.class === 'empty_answer'
      return isOurs ? payload : { ...payload, message: again.error?.message ?? masked(again) }
    }
    case 'guardrail.tripped':
    case 'guardrail.stopped':
      return Object.assign({}, payload, maskedTrip(payload))
    default:
      return payload
  }
}

/** What a guardrail tells the model about an error may quote it. Empty if there is no such trip. */
function maskedTrip(about: object): object {
  const tripped = Tripped.safeParse(about)
  if (!tripped.success || tripped.data.trip.partType !== 'error') return {}
  const feedback = 'The model could not answer, and corrects itself.'
  return { trip: { ...tripped.data.trip, feedback } }
}
