/** The register: the truth of Signalbox, and what it answers to reads. */
import type {
  AgentDefinition,
  Effect,
  EffectKind,
  EffectMode,
  JsonObject,
  Outcome,
  RunStatus,
  StateName,
  TitledBy,
  ToolCallPart,
} from '@signalbox/core'
import type {
  AppendItem,
  AppendResult,
  EventDraft,
  Moment,
  Multitask,
  ParentRef,
} from './append.ts'
import type { BudgetPort } from './budget.ts'
import type { LedgerPort } from './ledger.ts'
import type { MemoryPort } from './memory.ts'
import type { PausePort } from './pauses.ts'

/** An event as stored. */
export interface StoredEvent extends EventDraft, RunRef, ThreadRef {
  readonly seq: number
  readonly key: string | null
  readonly digest: string
  readonly hash: string
  /** Position in the feed: opaque, ordered as text, gap-safe. Absent on events read back within the run. */
  readonly position?: string
}

/** The head row of a run: cursors and the cached state. */
export interface RunHead extends RunRef, ThreadRef {
  readonly agent: string
  readonly definitionHash: string
  readonly machine: string
  readonly machineVersion: number
  readonly status: RunStatus
  readonly stateName: StateName
  readonly outcome: Outcome | null
  readonly seq: number
  readonly facts: number
  readonly decided: number
  /** Null before the first decision. */
  readonly state: JsonObject | null
  readonly headHash: string
  readonly cancelRequested: boolean
  readonly metadata: JsonObject
  /** Null for a run that nobody started. */
  readonly parent: ParentRef | null
  /** Not admitted before. Milliseconds since the epoch; its place in the queue of its thread. */
  readonly dueAt: number
  /** Its place in the conversation of its thread, from 1; null before it was admitted. */
  readonly place: number | null
  /** Null for a run that goes on from the one before it. */
  readonly base: Moment | null
  readonly multitask: Multitask
  readonly priority: number
  /** Does it stand in lanes? */
  readonly laned: boolean
  /** Does it wait for nothing but humans, in runs below it? Said by reads of the API alone, of runs that are under way. */
  readonly waitsBelow?: boolean
  readonly createdAt: number
  readonly updatedAt: number
}

/** A run that a newer one of its thread wants out of its way. */
export interface Superseded extends RunRef {
  readonly action: Exclude<Multitask, 'enqueue' | 'reject'>
  /** The newer one. */
  readonly by: string
}

/** A run that another one has started. */
export interface ChildRef extends RunRef {
  readonly effectId: string
  readonly ended: boolean
}

/** A run from its last decision on. */
export interface RunTail {
  readonly head: RunHead
  /** Events after `head.decided`, in order; the last one is `head.seq`. */
  readonly events: readonly StoredEvent[]
}

/** What a performer needs of an effect besides its claim. */
export interface EffectRow extends RunRef, ThreadRef {
  readonly effectId: string
  readonly definitionHash: string
  /** Version of the machine its run is pinned to. */
  readonly machineVersion: number
  /** The run at the top of the tree; null for a run that nobody started. */
  readonly rootId: string | null
  readonly kind: EffectKind
  readonly queue: string
  readonly mode: EffectMode
  readonly status: 'pending' | 'started' | 'done' | 'unknown' | 'cancelled'
  readonly attempt: number
  readonly owner: string | null
  readonly leaseUntil: number | null
  readonly dispatches: number
  readonly spec: Effect
  /** For a tool call, and a run that does the work of one: the call as the model asked for it, arguments included, from its `model.completed`. */
  readonly call: ToolCallPart | null
  readonly cancelRequested: boolean
}

export interface RunRef {
  readonly tenantId: string
  readonly runId: string
}

export interface ThreadRef {
  readonly tenantId: string
  readonly threadId: string
}

export interface Thread extends ThreadRef {
  readonly metadata: JsonObject
  readonly createdAt: number
  /** 32 bytes, hex: keys the content of this thread. Erasing it makes the content unreadable by key. */
  readonly contentKey: string
  /** What was said before its first run. Null for a thread that begins empty. */
  readonly origin?: Moment | null
  /** It is the thread of a memory: no conversation. */
  readonly isMemory?: boolean
  /** So long after it was last used it expires, and is to be hidden. Null: it does not. */
  readonly ttlMinutes?: number | null
}

/** A title that a thread is given, and who gave it. */
export interface GivenTitle {
  /** 1 to `limits.titleCharsMax` characters. */
  readonly title: string
  readonly by: TitledBy
  /** The run whose note says so. Null: none does. */
  readonly runId: string | null
}

/** The title of a thread as it stands. */
export interface ThreadTitle extends GivenTitle {
  /** Has its run completed? Then no other run titles the thread. */
  readonly isOfCompleted: boolean
}

/** What changes of a thread. */
export interface ThreadChange {
  /** Laid over what is there, key by key. */
  readonly metadata: JsonObject
  /** Null takes it away. Absent, it stands, and counts anew. */
  readonly ttlMinutes?: number | null
}

/** The truth. Every method is one round trip; only `append`, `repairState`, the ledger and pauses write events. */
export interface Register extends BudgetPort, LedgerPort, MemoryPort, PausePort {
  append(item: AppendItem): Promise<AppendResult>
  /** Several items, each for another run; answers in the same order. One bad item harms only itself. */
  appendMany(items: readonly AppendItem[]): Promise<readonly AppendResult[]>

  /**
   * Writes the cached state of a run anew together with the notes of that, if the run stands at the decision through `decided`
   * and another state is cached. Answers whether: of several who find the same damage one is answered `true`.
   */
  repairState(
    run: RunRef,
    repaired: {
      readonly decided: number
      readonly state: JsonObject
      readonly notes: readonly EventDraft[]
    },
  ): Promise<boolean>

  head(runId: string): Promise<RunHead | null>
  /**
   * The head, and the events after its `decided` cursor, read at one moment: the next decision needs both. With `after`, the caller knows
   * the run up to there only, and is told of all that came since as well, unless that is more than `limits.tailEventsMax` events before
   * the cursor.
   */
  tail(runId: string, after: number | null): Promise<RunTail | null>
  /** Events of one run after `after`, in order. */
  events(
    runId: string,
    options: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly StoredEvent[]>
  /**
   * Events that carry conversation (`run.created`, `model.completed`, `tool.*`, …) of what `runId` goes on from, and its
   * own, in the order in which things were said. What was rolled back is left out. A register may answer other events
   * besides; they say nothing to a prompt.
   */
  conversation(threadId: string, runId: string): Promise<readonly StoredEvent[]>
  /**
   * The same conversation without the runs before the one whose turns the newest summary keeps (`context.compacted`, `keep`): it stands for
   * them. All of it where there is no summary.
   */
  sinceCut(threadId: string, runId: string): Promise<readonly StoredEvent[]>
  /**
   * The same conversation from a moment on: what is in it after `known`, an event of a run before this one. Null if the run does not go
   * on from that moment, so that nothing that was read up to it may be used again; null, too, where no conversation follows it, as
   * for a run that has no place yet.
   */
  continuation(
    threadId: string,
    runId: string,
    known: Moment,
  ): Promise<readonly StoredEvent[] | null>
  /**
   * Of the same conversation, the events that say what calls and runs that were started changed in files, what runs were given (`files`), and
   * with whose files they began (`filesFrom`), in the same order.
   */
  changedFiles(threadId: string, runId: string): Promise<readonly StoredEvent[]>
  effect(effectId: string): Promise<EffectRow | null>
  /** Effects of one run that are pending, started or unknown. */
  openEffects(runId: string): Promise<readonly EffectRow[]>

  /** The runs a run has started, in the order of their starting. At most `limits.childrenMax`. */
  children(runId: string): Promise<readonly ChildRef[]>

  putDefinition(hash: string, definition: AgentDefinition): Promise<void>
  /**
   * Rejects with a `TerminalError` `definition_changed` for one that is not what its hash says, and with a `NewerError` for one
   * that says anything this build does not know.
   */
  definition(hash: string): Promise<AgentDefinition | null>
  /** Content-addressed, idempotent: the key names the bytes. Written before the event that points to it. */
  putBlob(
    thread: ThreadRef,
    blob: { readonly key: string; readonly mime: string; readonly bytes: Uint8Array },
  ): Promise<void>
  blob(
    thread: ThreadRef,
    key: string,
  ): Promise<{ readonly mime: string; readonly bytes: Uint8Array } | null>
  /**
   * The key of a tenant's digests, 32 bytes as hex: the given one, if there is none yet. The same for all processes and runs of
   * the tenant, for good; no event holds it, and no export.
   */
  digestKey(wanted: { readonly tenantId: string; readonly key: string }): Promise<string>
  /**
   * Creates the thread if it is not there; answers what stands. Its id is the tenant's own. Null: the thread is hidden, or its
   * origin is nothing that was said to this tenant.
   */
  ensureThread(thread: Thread): Promise<Thread | null>
  /** The same of many, at most `limits.pageMax`; answers in the same order. */
  ensureThreads(threads: readonly Thread[]): Promise<readonly (Thread | null)[]>
  /** Changes a thread. `too_large`: its metadata is over `limits.threadMetadataBytesMax` as JSON. */
  changeThread(thread: ThreadRef, change: ThreadChange): Promise<'ok' | 'no_thread' | 'too_large'>
  /** The title of the thread: a projection of the notes `thread.titled` and `title.unchanged` of its runs. Null: no title, or no thread. */
  threadTitle(thread: ThreadRef): Promise<ThreadTitle | null>
  /**
   * Gives the thread a title beside its notes. A person's (`by` `user`) stands for good; another one is for a thread without, as a copy is
   * when it is made.
   */
  giveTitle(thread: ThreadRef, given: GivenTitle): Promise<'ok' | 'no_thread'>
  /**
   * Hides a thread and its runs from its users; the log keeps everything, and the id stays taken. `busy`: a run is under way
   * that was not asked to end. A run is hidden by the note `run.hidden`.
   *
   * With `expired`, only if its ttl has passed: `busy`, if its owner changed it since, or there is a run behind `lastRunId`.
   */
  hideThread(
    thread: ThreadRef,
    expired?: { readonly lastRunId: string | null },
  ): Promise<'ok' | 'no_thread' | 'busy'>

  // What the reconciler polls. Each finds everything, even if no wake ever arrives, but for the runs of `except`.
  /** Runs with undecided facts. Tenants take turns where there are more than `limit`. */
  readyRuns(limit: number, except?: readonly string[]): Promise<readonly RunRef[]>
  /** Queued runs that are due, whose thread is free and whose lanes have room: the first of each thread. Tenants take turns; of each by priority. */
  admissibleRuns(limit: number, except?: readonly string[]): Promise<readonly RunRef[]>
  /** Runs that are to end because a newer one supersedes them, and were not asked to yet. Of all threads, or of one. */
  superseded(
    limit: number,
    thread?: ThreadRef,
    except?: readonly string[],
  ): Promise<readonly Superseded[]>
  /** Runs that wait for a lane of this one, and for nothing else: the most urgent first, at most `limit` of each lane. */
  nextInLanes(runId: string, limit: number): Promise<readonly RunRef[]>
  /** The run that waits first on a thread, if the thread is free. */
  nextInThread(tenantId: string, threadId: string): Promise<RunRef | null>
  /**
   * Pending effects that are overdue and started effects whose lease expired, of the given kinds; marks them dispatched
   * (`dispatches` + 1, next look after `againMs`). An effect may be claimed from its delay on, and is overdue two seconds
   * later, or at once if it had a delay: whoever decided has announced the others already. Tenants take turns where there
   * are more than `limit`. A pending tool call is answered once; then `waitingCalls` counts it, until it is claimed or its run
   * is being cancelled.
   */
  takeDue(
    kinds: readonly EffectKind[],
    againMs: number,
    limit: number,
  ): Promise<readonly EffectRow[]>
  /** How many tool calls are pending and may be claimed, by queue; no more than 100,000 are counted of each. Queues without are left out. */
  waitingCalls(): Promise<readonly { readonly queue: string; readonly calls: number }[]>
  /**
   * Of these calls, those that were announced long ago; marks them dispatched. Of more than `limit` those whose announcement is
   * longest ago, so that none waits for others that are announced again. Long ago is two seconds at first, then `waitMs`, then
   * the double of it.
   */
  takeWaiting(queue: string, waitMs: number, limit: number): Promise<readonly EffectRow[]>
  /**
   * The pending tool call of a queue that has waited longest, of the first tenant after `afterTenant` that has one; behind the
   * last tenant comes the first. Null: nothing waits there.
   */
  nextWaiting(queue: string, afterTenant: string): Promise<EffectRow | null>
  /** Timers that are due. They stay until a fact with the key `timer:<id>:<fireAt>` is appended for the run. */
  dueTimers(
    limit: number,
    except?: readonly string[],
  ): Promise<readonly (RunRef & { readonly timerId: string; readonly fireAt: number })[]>
  /** Ended runs whose parent lives and still waits for them. */
  endedChildren(limit: number, except?: readonly string[]): Promise<readonly RunRef[]>
  /** Runs that live, are not being cancelled, and whose parent has ended or is being cancelled. */
  orphans(limit: number, except?: readonly string[]): Promise<readonly RunRef[]>
  /**
   * Milliseconds until the next effect of the given kinds, timer or delayed run comes due, null if none will. What came due
   * in the last `lookedMs` counts as due now, 0. What has been due for longer does not count: it was looked at, and to look
   * again at once would change it no more.
   */
  nextDue(kinds: readonly EffectKind[], lookedMs: number): Promise<number | null>
  /**
   * Extends the leases of started effects at their attempts, lapsed ones too, to `leaseMs` from now; answers which were kept and
   * whether its work is to stop: a cancel was asked, an end of the run is `held`, or it has ended. One that is being written just
   * now is left as it is, and not answered. With `leaseMs` 0 the leases are given back: they are over at once.
   *
   * Called every few seconds by each process, with or without leases, for it is also how the register knows that it can be
   * reached: leases do not run while it was away. No lease is over, for a claim, a fence `lost` or an end, before renewals have come for
   * as long as the lease was made for, without a pause of half as long. Where none ever came, leases just run.
   */
  renew(
    leases: readonly { readonly effectId: string; readonly attempt: number }[],
    leaseMs: number,
  ): Promise<
    readonly { readonly effectId: string; readonly kept: boolean; readonly cancel: boolean }[]
  >

  // What governance asks before and after a step.
  /** For each call: has a human approved this tool with these arguments for every run of the agent? */
  grants(
    agent: { readonly tenantId: string; readonly agent: string },
    calls: readonly { readonly tool: string; readonly argsHash: string }[],
  ): Promise<readonly boolean[]>
  /** When an end user's runs were stopped for safety since `since`, newest first, at most `limit`. Milliseconds since the epoch. */
  safetyStops(
    user: { readonly tenantId: string; readonly endUser: string },
    since: number,
    limit: number,
  ): Promise<readonly number[]>
  /** May a model be called? `probe`: the circuit was open, and this one call may find out whether it still has to be. */
  admitCall(model: string, breaker: BreakerSettings): Promise<Admission>
  /** What became of a model's calls: `failed` when all retries of one are used up. */
  reportCall(model: string, outcome: 'ok' | 'failed', breaker: BreakerSettings): Promise<void>

  close(): Promise<void>
}

/** The circuit breaker of a model, shared by all orchestrators. */
export interface BreakerSettings {
  /** Failures in a row that open the circuit. */
  readonly threshold: number
  /** How long it stays open before one call may probe it; a probe that does not report in this time is given up. */
  readonly openMs: number
}

export interface Admission {
  readonly state: 'closed' | 'open' | 'probe'
  /** Failures in a row so far. */
  readonly failures: number
  /** Milliseconds until a probe is allowed; 0 unless open. */
  readonly waitMs: number
}
