/** Why a call of a rerun has no recorded result. */
import { z } from 'zod'

/**
 * `never_made`: the log holds no such call. `used_up`: it holds it, but less often. `unknown`: nobody knows what became of it.
 * `no_result`: it was cut off before it had one. `erased`: it had one, which was erased since.
 */
export const MissedRecall = z.enum(['never_made', 'used_up', 'unknown', 'no_result', 'erased'])
export type MissedRecall = z.infer<typeof MissedRecall>
