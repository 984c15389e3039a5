import { z } from 'zod'

/** An event as the API shows it: what the demo reads of it. */
export const RunEvent = z.object({
  run_id: z.string(),
  thread_id: z.string(),
  seq: z.number().int(),
  type: z.string(),
  at: z.string(),
  actor: z.string(),
  tool: z.string().nullable(),
  verdict: z.string().nullable(),
  payload: z.record(z.string(), z.unknown()),
  hash: z.string(),
})
export type RunEvent = z.infer<typeof RunEvent>
