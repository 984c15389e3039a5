/** What the bench and its worker process say to each other. */
import { z } from 'zod'
import { dispatcherNames } from './options.ts'

/** A moment in the life of a run, on the clock that both processes share. */
const Mark = z.object({
  runId: z.string(),
  what: z.enum(['asked', 'created', 'modelled', 'hinted', 'claimed', 'reported', 'decided']),
  /** Milliseconds since the epoch, with fractions. */
  at: z.number(),
})
export type Mark = z.infer<typeof Mark>

/** To the worker. */
export const Order = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    addresses: z.object({
      dispatcher: z.enum(dispatcherNames),
      engineUrl: z.string(),
      redisUrl: z.string().nullable(),
    }),
  }),
  z.object({
    kind: z.literal('hints'),
    effects: z.array(z.object({ effectId: z.string(), queue: z.string() })),
  }),
  z.object({ kind: z.literal('cpu') }),
  z.object({ kind: z.literal('marks') }),
  z.object({ kind: z.literal('profile'), file: z.string().nullable() }),
  z.object({ kind: z.literal('stop') }),
])
export type Order = z.infer<typeof Order>

/** From the worker: the answer to each order but `hints`, in their order. */
export const Report = z.object({
  cpuMs: z.number(),
  marks: z.array(Mark),
})
export type Report = z.infer<typeof Report>

/** Now, on the clock of marks. */
export const now = (): number => performance.timeOrigin + performance.now()

/** CPU milliseconds of this process. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
