import { limits } from '@signalbox/core'
import type { Guardrail } from '@signalbox/policies'
import { z } from 'zod'

const windowMax = 1024

/** A text that can name something in events. */
export const EventName = z
  .string()
  .max(limits.idCharsMax)
  .refine((name) => name.trim() !== '')

/** Any function; what it takes is only found out by calling it. */
export const Callable = z.custom((value) => typeof value === 'function')

const Shape = z.looseObject({
  id: EventName,
  name: EventName,
  handle: Callable,
  window: z.number().int().min(0).max(windowMax).optional(),
  parts: z.array(z.enum(['text', 'reasoning', 'tool_call', 'error'])).optional(),
})

/** Is the value an object with an id, a name and a function `handle`, its window within the bounds, its parts kinds of part? */
export const isGuardrail = (value: unknown): value is Guardrail => Shape.safeParse(value).success

/**
 * Defines a stream guardrail: name it in `guardrails.stream` of an agent, as it is or as `./file.ts#export`. Throws when
 * the definition itself is wrong: that is a mistake in the program, found at its start.
 */
export function defineGuardrail(guardrail: Guardrail): Guardrail {
  if (isGuardrail(guardrail)) return guardrail
  throw new TypeError(
    `A guardrail has an id, a name, a function handle(part, context), and a window of 0 to ${windowMax} and a list of parts if it has them.`,
  )
}
