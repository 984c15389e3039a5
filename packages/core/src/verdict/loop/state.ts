/**
 * The memory of a run about loops: texts and numbers only, part of the cached state (DESIGN §3.11). Rebuilt by folding
 * the log, so a restart forgets nothing.
 */
import { z } from 'zod'
import { loopBounds } from './config.ts'

const sum = z.number().int().min(0).max(0xffff_ffff)

/** Loop detection's part of a run's state; reads back what was cached, and refuses what is none. */
export const LoopState = z.object({
  /** The last sets asked for, as `window.ts` writes them. */
  window: z
    .string()
    .max(loopBounds.windowMax * 13)
    .regex(/^(?:(?:[0-9a-f]{8}|-{8})(?:[0-9a-f]{4}|-{4})[.icbw-znICB])*$/),
  /** The last calls, two letters per tool, as `frequency.ts` writes them. */
  calls: z
    .string()
    .max(loopBounds.callsMax * 2)
    .regex(/^(?:[a-z]{2}|[A-Z]{2})*$/),
  /** The sum of the results of the newest set so far, and whether all are of reading tools; null before the first. */
  taken: z.object({ sum, reads: z.boolean() }).nullable(),
  /** Sets in a row that all gave the same: how many, the last of them, and whether the model was told. */
  stagnant: z
    .object({
      sets: z.number().int().min(1),
      set: z.string().regex(/^[0-9a-f]{8}$/),
      sum,
      warned: z.boolean(),
    })
    .nullable(),
})
export type LoopState = Readonly<z.infer<typeof LoopState>>

/** Before the first call. */
export const emptyLoop: LoopState = { window: '', calls: '', taken: null, stagnant: null }
