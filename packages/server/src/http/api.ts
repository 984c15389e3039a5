/** What the routes stand on. Everything is handed in, so that each part can be another. */
import type { AgentDefinition } from '@signalbox/core'
import type { Caller, Commands, Engine, Log, Person, Random, Register } from '@signalbox/engine'
import type { Env } from 'hono'
import type { ReadModel } from '../read-model.ts'
import type { StreamSlots } from './stream-slots.ts'
import type { RunWakes } from '../stream/run-wakes.ts'

/** Who asks, as the server knows it: from headers alone, never from a body. */
export interface Identified extends Caller {
  /** The authenticated user, who runs work for and who answers approvals. */
  readonly user?: Person
  /** A stable pseudonym of the end user. */
  readonly endUser?: string
}

/** Says who asks; null if nobody it knows. Throws a `Problem` for a header that cannot be used. */
export type Authenticate = (headers: Headers) => Identified | null

export interface HttpSettings {
  readonly bodyBytesMax: number
  readonly waitMsMax: number
  readonly heartbeatMs: number
  /** How often a stream looks into the register, wakes or not. */
  readonly pollMs: number
}

export interface Api {
  readonly commands: Commands
  readonly followText: Engine['followText']
  readonly followProgress: Engine['followProgress']
  readonly read: ReadModel
  /** Asks the register for next to nothing; rejects when it does not answer. */
  readonly ping: () => Promise<unknown>
  readonly threads: Pick<Register, 'ensureThread'>
  /** The runs a run has started. Of any tenant: each must be read as the caller's. */
  readonly children: Register['children']
  readonly wakes: RunWakes
  readonly streams: StreamSlots
  /** Told how long after it was written an event is shown on a stream. Milliseconds. */
  readonly shown: (lagMs: number) => void
  readonly agents: ReadonlyMap<string, AgentDefinition>
  readonly authenticate: Authenticate
  readonly random: Random
  readonly now: () => number
  readonly log: Log
  readonly settings: HttpSettings
  /** Aborted when the process begins to stop. */
  readonly stopping: AbortSignal
  /** The metrics page, in Prometheus' text format. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>
  readonly version: string
  readonly roles: readonly string[]
}

/** What the middleware leaves for the routes. */
export interface ApiEnv extends Env {
  Variables: { caller: Identified }
}
