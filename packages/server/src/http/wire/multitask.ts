import { z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'

/** What a new run does to the runs of its thread that have not ended. */
export const MultitaskStrategy = z.enum(['enqueue', 'reject', 'interrupt', 'rollback'])

/** A run may be put off by this much. Seconds: a year. */
const delayMax = 365 * 24 * 3600

/** Where a new run stands among those of its thread. */
export const orderFields = {
  /** `enqueue` waits for them; `reject` is refused if there are any; `interrupt` and `rollback` end them. */
  multitask_strategy: MultitaskStrategy.nullish().transform((strategy) => strategy ?? 'enqueue'),
  /** The higher starts first where runs wait for a limit they share (`runLimits`). */
  priority: z
    .number()
    .int()
    .min(-limits.priorityMax)
    .max(limits.priorityMax)
    .nullish()
    .transform((priority) => priority ?? 0),
  /** Not started before this many seconds have passed. */
  after_seconds: z
    .number()
    .min(0)
    .max(delayMax)
    .nullish()
    .transform((seconds) => seconds ?? 0),
}
