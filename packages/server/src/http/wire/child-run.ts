/** A run as the wire shows it among the runs that another one has started. */
import { z } from '@hono/zod-openapi'
import { Run } from './run-view.ts'

export const ChildRun = Run.extend({
  /**
   * The use of limits so far, as of its last decision: its own, and that of runs that it has started and that have ended. Money in millionths of
   * the currency's unit. Absent where the run was never decided about, or by a newer build.
   */
  spent: z
    .object({
      turns: z.number().int(),
      calls: z.number().int(),
      tokens: z.number().int(),
      cost: z.number().int(),
    })
    .optional(),
}).openapi('ChildRun')
export type ChildRun = z.infer<typeof ChildRun>
