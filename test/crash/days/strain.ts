/** Limits of time are those of a machine that is not busy with other things; on one that is, they are as much longer. */
import { availableParallelism, loadavg } from 'node:os'

const most = 8

/** How many times as long things may take now: 1 where nothing waits for a core. */
export const strain = (): number =>
  Math.min(most, Math.max(1, (loadavg()[0] ?? 1) / availableParallelism()))
