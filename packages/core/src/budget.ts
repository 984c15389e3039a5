import { z } from 'zod'

/** What a run may use up. Money in millionths of the currency's unit, time in milliseconds of activity. */
export const Budget = z.enum(['turns', 'calls', 'tokens', 'money', 'time'])
export type Budget = z.infer<typeof Budget>

/** The use of a budget, as events tell it. */
export const used = { budget: Budget, used: z.number(), limit: z.number() }
