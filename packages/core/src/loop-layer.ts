import { z } from 'zod'

/** Which check saw that the model goes in circles. */
export const LoopLayer = z.enum([
  'identical_call_set',
  'tool_frequency',
  'alternating_cycle',
  'stagnant_results',
])
export type LoopLayer = z.infer<typeof LoopLayer>
