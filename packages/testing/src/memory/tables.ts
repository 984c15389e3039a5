/** The rows of the in-memory register: what the SQL tables hold, as plain mutable objects. */
import type { AgentDefinition } from '@signalbox/core'
import type {
  EffectRow,
  GivenTitle,
  Lane,
  Pause,
  RunHead,
  StoredEvent,
  Thread,
  TreeBudget,
} from '@signalbox/engine'

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export type RunRow = Mutable<RunHead> & {
  admitted: boolean
  readonly lanes: readonly Lane[]
  /** Null before. Milliseconds since the epoch. */
  admittedAt: number | null
  /** Sequence number when the cached state was repaired last. */
  repaired?: number
}

export type EffectRecord = Mutable<
  Omit<
    EffectRow,
    'call' | 'cancelRequested' | 'threadId' | 'definitionHash' | 'machineVersion' | 'rootId'
  >
> & {
  /** Not to be claimed before. */
  notBefore: number
  /** Not to be looked at by the reconciler before. Infinity: never by its time. */
  due: number
  /** When it could have been claimed, had no pause refused it; null while none does. */
  held: number | null
  /** How long the lease was made for. 0: it was given back. Milliseconds. */
  leaseMs: number
  /** When it was announced again for the last time, while it waited; 0 before. */
  announced: number
}

/** The run that an item is about, and the time. */
export interface RunNow {
  readonly run: RunRow
  readonly now: number
}

export interface TimerRow {
  readonly tenantId: string
  readonly runId: string
  readonly timerId: string
  readonly fireAt: number
}

/** What a tree of runs may use, and has used. Money in millionths of the currency's unit. */
export interface BudgetRow extends TreeBudget {
  readonly spent: { turns: number; calls: number; tokens: number; cost: number }
  /** By effect. Closed: nothing is reserved any more. */
  readonly reservations: Map<string, { tokens: number; cost: number; open: boolean }>
}

/** The circuit of a model that has failed since it last answered. Times in milliseconds since the epoch. */
export interface CircuitRow {
  /** In a row. */
  readonly failures: number
  /** Null while closed. */
  readonly openedAt: number | null
  /** When the probe under way was let through; null if none is. */
  readonly probeAt: number | null
}

/** A pause; `until` is also when it was lifted. */
export type PauseRow = Mutable<Pause>

export interface Tables {
  /** Events that one run may have. */
  readonly eventsMax: number
  /** When a renewal came last, and since when none was missing. Null before the first one. Milliseconds since the epoch. */
  heartbeat: { readonly upSince: number; readonly at: number } | null
  /** Events written so far, over all runs: the position in the feed. */
  written: number
  readonly runs: Map<string, RunRow>
  readonly events: Map<string, StoredEvent[]>
  /** Idempotency keys of facts, by run. */
  readonly keys: Map<string, Set<string>>
  readonly effects: Map<string, EffectRecord>
  readonly timers: Map<string, TimerRow>
  readonly aliases: Map<string, { readonly runId: string; readonly bodyHash: string }>
  readonly definitions: Map<string, AgentDefinition>
  /** Tenant and hash of the definitions that were used. */
  readonly used: Set<string>
  readonly threads: Map<string, Thread>
  /** By thread. */
  readonly titles: Map<string, GivenTitle>
  /** By tenant, hex. */
  readonly digestKeys: Map<string, string>
  /** Ids of threads and runs that are deleted for their users. */
  readonly hidden: Set<string>
  readonly blobs: Map<string, { readonly mime: string; readonly bytes: Uint8Array }>
  /** By model. */
  readonly circuits: Map<string, CircuitRow>
  /** By the run at the top. */
  readonly budgets: Map<string, BudgetRow>
  /** Those that are over stay until what they held is released. */
  readonly pauses: Map<string, PauseRow>
}

export const emptyTables = (eventsMax: number): Tables => ({
  eventsMax,
  heartbeat: null,
  written: 0,
  runs: new Map(),
  events: new Map(),
  keys: new Map(),
  effects: new Map(),
  timers: new Map(),
  aliases: new Map(),
  definitions: new Map(),
  used: new Set(),
  threads: new Map(),
  titles: new Map(),
  digestKeys: new Map(),
  hidden: new Set(),
  blobs: new Map(),
  circuits: new Map(),
  budgets: new Map(),
  pauses: new Map(),
})

/** Ids of threads are a tenant's own. */
export const threadKey = ({ tenantId, threadId }: Pick<RunHead, 'tenantId' | 'threadId'>): string =>
  `${tenantId}\u0000${threadId}`
