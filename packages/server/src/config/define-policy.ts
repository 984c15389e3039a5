import type { PolicyModule } from '@signalbox/policies'
import { z } from 'zod'
import { Callable, EventName } from './define-guardrail.ts'

/** A policy of the user's own. It may do I/O; it is asked before a call is executed. */
export interface DefinedPolicy {
  /** Names the policy in events and answers. */
  readonly id: string
  /** Milliseconds one answer may take, 1 to 60,000; default 2000. */
  readonly timeoutMs?: number
  /** Answers a boolean, `{ allow }` or `{ effect }`, with `reasons` if it has some. A throw is no answer, and denies. */
  readonly evaluate: PolicyModule
}

const Shape = z.looseObject({
  id: EventName,
  timeoutMs: z.number().int().min(1).max(60_000).optional(),
  evaluate: Callable,
})

/** Is the value an object with an id and a function `evaluate`? */
export const isPolicy = (value: unknown): value is DefinedPolicy => Shape.safeParse(value).success

/**
 * Defines a policy: name it in `guardrails.provider` of an agent, as it is or as `./file.ts#export`. Throws when the
 * definition itself is wrong.
 */
export function definePolicy(policy: DefinedPolicy): DefinedPolicy {
  if (isPolicy(policy)) return policy
  throw new TypeError(
    'A policy has an id, a function evaluate(request, context), and a timeoutMs of 1 to 60000 if it has one.',
  )
}
