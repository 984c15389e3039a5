/** What the bench and the processes it measures, or measures with, say to each other. */
import { z } from 'zod'

/** To a server. */
export const ServerOrder = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    databaseUrl: z.string(),
    dataDir: z.string(),
    roles: z.array(z.enum(['api', 'orchestrator', 'worker'])),
  }),
  z.object({ kind: z.literal('memory') }),
  z.object({ kind: z.literal('cpu') }),
  z.object({ kind: z.literal('hold') }),
  z.object({ kind: z.literal('let-go') }),
  z.object({ kind: z.literal('stop') }),
])
export type ServerOrder = z.infer<typeof ServerOrder>

/** From a server: the answer to each order, in their order. */
export const ServerReport = z.object({
  url: z.string(),
  /** Resident memory after a collection. */
  residentBytes: z.number(),
  /** CPU time that the process has used so far, milliseconds. */
  cpuMs: z.number(),
  /** Milliseconds since the epoch: when it did it. */
  at: z.number(),
})
export type ServerReport = z.infer<typeof ServerReport>

/** To the clients. */
export const ClientOrder = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('enqueue'),
    url: z.string(),
    clients: z.number(),
    requests: z.number(),
  }),
  z.object({
    kind: z.literal('open'),
    streams: z.array(
      z.object({ method: z.string(), url: z.string(), body: z.string().nullable() }),
    ),
  }),
  z.object({ kind: z.literal('ends') }),
  z.object({ kind: z.literal('stop') }),
])
export type ClientOrder = z.infer<typeof ClientOrder>

/** From the clients. */
export const ClientReport = z.object({
  /** Of each request, milliseconds. */
  times: z.array(z.number()),
  wallMs: z.number(),
  /** When each open stream ended, milliseconds since the epoch. */
  endedAt: z.array(z.number()),
})
export type ClientReport = z.infer<typeof ClientReport>
