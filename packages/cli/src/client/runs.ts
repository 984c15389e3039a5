/** Questions and commands about many runs at once. */
import { z } from 'zod'
import { Queue, Retried, RunPage, RunReport, RunsCancelled } from './documents.ts'
import { ask, inPath, type Query, type Server } from './http.ts'

/** Filters of a body: by name, several values of one as a list. */
export type RunFilter = Readonly<Record<string, unknown>>

/** What is retried: runs by their ids, or those that a filter finds. */
export interface RetryBody {
  readonly run_ids?: readonly string[]
  readonly filter?: RunFilter
  readonly limit?: number
  readonly after?: string
  readonly dry_run?: boolean
  readonly again?: boolean
}

/** What is cancelled. */
export interface CancelBody {
  readonly filter: RunFilter
  readonly limit?: number
  readonly dry_run: boolean
  readonly reason?: string
}

/** These parts of a client. */
export const runsClient = (server: Server) => ({
  runs: (query: Query) => ask(server, RunPage, { path: '/runs', query }),
  report: (runId: string) => ask(server, RunReport, { path: `/runs/${inPath(runId)}/report` }),
  queues: () => ask(server, z.array(Queue), { path: '/queues' }),
  retry: (body: RetryBody) =>
    ask(server, Retried, {
      path: '/runs/retry',
      method: 'POST',
      body,
      headers: { 'idempotency-key': `cli-${crypto.randomUUID()}` },
    }),
  cancelMany: (body: CancelBody) =>
    ask(server, RunsCancelled, { path: '/runs/cancel', method: 'POST', body }),
})
