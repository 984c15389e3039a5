/** How long an agent waits for answers to its questions. */
import { z } from 'zod'

const week = 7 * 24 * 3600 * 1000

/** `clarification` of a definition. */
export const ClarificationConfig = z.strictObject({
  /** A question that nobody answers is over after this long. Waiting counts in no timeout of the run. */
  expiresMs: z
    .number()
    .int()
    .min(1000)
    .max(365 * 24 * 3600 * 1000)
    .default(week),
})
export type ClarificationConfig = z.infer<typeof ClarificationConfig>
