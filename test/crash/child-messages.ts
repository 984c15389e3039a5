/** What driver and child say to each other, over the child's IPC channel. */
import { z } from 'zod'
import type { Armed } from './failpoints.ts'

/** `production`: the settings of production. `transcripts`: the agents and tools of the transcripts. */
export const Scene = z.enum(['production', 'transcripts'])
export type Scene = z.infer<typeof Scene>

/** What a child is started with, as JSON in its environment. */
export const ChildOrders = z.object({
  role: z.enum(['api', 'orchestrator', 'worker']),
  /** Names the process in leases and events, another for each start. */
  owner: z.string(),
  /** Null: the process has every role, and a Postgres of its own on its disk. */
  databaseUrl: z.string().nullable(),
  redisUrl: z.string().nullable(),
  /** Where tools leave their marks. */
  world: z.string(),
  log: z.string(),
  /** Where the data of its Postgres and its log are, if it has one of its own. */
  disk: z.string().exactOptional(),
  sabotage: z.string().nullable(),
  /** What the process is set up for; absent: the failpoints. */
  scene: Scene.exactOptional(),
})
export type ChildOrders = z.infer<typeof ChildOrders>

export type ToChild =
  | ({ readonly type: 'arm' } & Armed)
  /** Answered with the points passed since the last time it was asked. */
  | { readonly type: 'count' }

export type FromChild =
  | { readonly type: 'started'; readonly url: string | null }
  | { readonly type: 'armed' }
  | { readonly type: 'counts'; readonly counts: Readonly<Record<string, number>> }
