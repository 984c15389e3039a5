/** What the routes stand on. Everything is handed in, so that each part can be another. */
import type { AgentDefinition } from '@signalbox/core'
import type {
  Caller,
  Commands,
  Engine,
  Lane,
  Ledger,
  Log,
  Person,
  Random,
  Register,
} from '@signalbox/engine'
import type { Keyring, Resources } from '@signalbox/postgres'
import type { DirectoryWorkspaces } from '@signalbox/tools'
import type { Env } from 'hono'
import type { LaneRequest } from '../config/lanes-schema.ts'
import type { IncomingBody } from '../files/incoming.ts'
import type { Health } from '../health/health.ts'
import type { Scope } from '../keys/scope.ts'
import type { ReadModel } from '../read-model.ts'
import type { LogReads } from './audit/log-reads.ts'
import type { CancelsUnderWay } from './cancels-under-way.ts'
import type { Door } from './door.ts'
import type { Pseudonym } from './identity.ts'
import type { PublicAddress } from './public-address.ts'
import type { StreamSlots } from './stream-slots.ts'
import type { Bindings } from './upgrade.ts'
import type { RunWakes } from '../stream/run-wakes.ts'
import type { WebhookSettings } from '../webhooks/settings.ts'

/** Whom a run works for. */
export interface Asker extends Caller {
  /** The authenticated user, who runs work for and who answers approvals. */
  readonly user?: Person
  /** A stable pseudonym of the end user. */
  readonly endUser?: string
}

/** Who asks, as the server knows it: from headers alone, never from a body. */
export interface Identified extends Asker {
  /** What the caller may do. */
  readonly scopes: readonly Scope[]
  /** Does what the caller showed still stand? Left out where nothing can change it. Rejects if Postgres does not answer. */
  readonly stands?: () => Promise<boolean>
}

/** Says who asks; null if nobody showed anything. Rejects with a `Problem` for what cannot be used. */
export type Authenticate = (headers: Headers) => Promise<Identified | null>

export interface HttpSettings {
  readonly bodyBytesMax: number
  readonly waitMsMax: number
  readonly heartbeatMs: number
  /** After how long a register that was away is asked again. */
  readonly pollMs: number
}

export interface Api {
  readonly commands: Commands
  readonly cancels: CancelsUnderWay
  readonly followText: Engine['followText']
  readonly followProgress: Engine['followProgress']
  readonly read: ReadModel
  /** Where what belongs to no run is recorded. */
  readonly ledger: Ledger
  readonly logReads: LogReads
  /** Null: this server knows no end users (`server.identity`). */
  readonly pseudonym: Pseudonym | null
  /** What tenants keep beside their runs. */
  readonly resources: Omit<Resources, 'close'>
  readonly health: Pick<Health, 'ready' | 'live'>
  readonly threads: Pick<
    Register,
    'ensureThread' | 'ensureThreads' | 'changeThread' | 'giveTitle' | 'setMemory'
  >
  /** Memories of those whom runs work for. Of any tenant: each is read as the caller's. */
  readonly memories: Register
  /** Where the files of threads are; null: in the register. */
  readonly directories: Pick<DirectoryWorkspaces, 'files'> | null
  /** The runs a run has started. Of any tenant: each must be read as the caller's. */
  readonly children: Register['children']
  readonly wakes: RunWakes
  readonly streams: StreamSlots
  /** Told how long after it was written an event is shown on a stream. Milliseconds. */
  readonly shown: (lagMs: number) => void
  /** Which addresses runs may bring to be told at. */
  readonly webhooks: WebhookSettings
  readonly agents: ReadonlyMap<string, AgentDefinition>
  /** The limits that a run stands under. */
  readonly lanesOf: (asked: LaneRequest) => readonly Lane[]
  readonly authenticate: Authenticate
  readonly door: Door
  readonly publicAddress: PublicAddress
  readonly keys: Pick<Keyring, 'create' | 'list' | 'revoke'>
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
  Bindings: Bindings
  /** `incoming`: of requests whose bodies are files, and of no other. */
  Variables: { caller: Identified; requestId: string; incoming: IncomingBody }
}
