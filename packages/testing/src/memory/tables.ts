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
import { genesis } from './chain.ts'

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

/** The budget of a tree of runs, and its use. Money in millionths of the currency's unit. */
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

/** The tables of one register. */
export class Tables {
  /** Events that one run may have. */
  readonly eventsMax: number
  /** When a renewal came last, and since when none was missing. Null before the first one. Milliseconds since the epoch. */
  heartbeat: { readonly upSince: number; readonly at: number } | null = null
  /** Events written so far, over all runs: the position in the feed. */
  written = 0
  readonly runs = new Map<string, RunRow>()
  readonly events = new Map<string, StoredEvent[]>()
  /** Idempotency keys of facts, by run. */
  readonly keys = new Map<string, Set<string>>()
  readonly effects = new Map<string, EffectRecord>()
  /** By run: those that were not settled when somebody looked last. What becomes open again is put back. */
  readonly unsettled = new Map<string, Set<EffectRecord>>()
  readonly timers = new Map<string, TimerRow>()
  readonly aliases = new Map<string, { readonly runId: string; readonly bodyHash: string }>()
  readonly definitions = new Map<string, AgentDefinition>()
  /** Tenant and hash of the definitions that were used. */
  readonly used = new Set<string>()
  readonly threads = new Map<string, Thread>()
  /** By thread. */
  readonly titles = new Map<string, GivenTitle>()
  /** Threads of memories, and threads of which nothing is remembered. */
  readonly memories = new Set<string>()
  readonly memoryOff = new Set<string>()
  /** By tenant, hex. */
  readonly digestKeys = new Map<string, string>()
  /** Ids of threads and runs that are deleted for their users. */
  readonly hidden = new Set<string>()
  readonly blobs = new Map<string, { readonly mime: string; readonly bytes: Uint8Array }>()
  /** By model. */
  readonly circuits = new Map<string, CircuitRow>()
  /** By the run at the top. */
  readonly budgets = new Map<string, BudgetRow>()
  /** Those that are over stay until what they held is released. */
  readonly pauses = new Map<string, PauseRow>()

  constructor(eventsMax: number) {
    this.eventsMax = eventsMax
  }
}

/** Puts an effect among those of its run that are not settled. */
export function putUnsettled({ unsettled }: Tables, effect: EffectRecord): void {
  const known = unsettled.get(effect.runId) ?? new Set<EffectRecord>()
  unsettled.set(effect.runId, known.add(effect))
}

/** How many effects of a run are not settled. Late in a run this looks at as many as early. */
export function countUnsettled({ unsettled }: Tables, runId: string): number {
  const known = unsettled.get(runId)
  if (!known) return 0
  for (const effect of known)
    if (effect.status === 'done' || effect.status === 'cancelled') known.delete(effect)
  return known.size
}

/** Is the effect neither settled nor given up, nor unknown? */
export const isOpen = ({ status }: Pick<EffectRecord, 'status'>): boolean =>
  status === 'pending' || status === 'started'

/** Ids of threads are a tenant's own. */
export const threadKey = ({ tenantId, threadId }: Pick<RunHead, 'tenantId' | 'threadId'>): string =>
  `${tenantId}\u0000${threadId}`

/** The columns that every creator of a run decides. */
type Pinned =
  | 'runId'
  | 'tenantId'
  | 'threadId'
  | 'agent'
  | 'definitionHash'
  | 'machine'
  | 'machineVersion'
  | 'metadata'

/** The columns that say what a run waits for: whoever creates one decides each of them. */
export type WaitColumn = 'parent' | 'base' | 'dueAt' | 'multitask' | 'priority' | 'lanes' | 'laned'

/** Inserts a run without events. Unless the draft says more, it waits for nothing but its thread. */
export function insertRun(
  { runs, events, keys }: Tables,
  now: number,
  draft: Pick<RunRow, Pinned> & Partial<RunRow>,
): RunRow {
  const { runId, tenantId } = draft
  const run: RunRow = {
    status: 'queued',
    stateName: 'queued',
    outcome: null,
    parent: null,
    base: null,
    place: null,
    dueAt: now,
    multitask: 'enqueue',
    priority: 0,
    lanes: [],
    laned: false,
    admittedAt: null,
    admitted: false,
    seq: 0,
    facts: 0,
    decided: 0,
    state: null,
    headHash: genesis(tenantId, runId),
    cancelRequested: false,
    createdAt: now,
    updatedAt: now,
    ...draft,
  }
  runs.set(runId, run)
  events.set(runId, [])
  keys.set(runId, new Set())
  return run
}
