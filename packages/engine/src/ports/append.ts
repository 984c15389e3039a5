/**
 * The one write path of the register: what an append carries, and what it answers (DESIGN §3.1, §3.2, §3.8).
 *
 * Rules of an item: what a part that is refused costs. A fact is never lost for the sake of what came with it, and nothing
 * that is refused once would be accepted the next time.
 *
 * | part that breaks a rule    | its answer                         | what it costs                                        |
 * |----------------------------|------------------------------------|------------------------------------------------------|
 * | create, settle, fact, note | item `rejected`, `detail`          | the item: the facts of an item are one report        |
 * | decision                   | decision `rejected`, `detail`      | itself, and its claims are `gone`                     |
 * | claim                      | claim `rejected`                   | itself                                               |
 *
 * and what does not fit into the history of the run, which holds `limits.eventsPerRunMax` events and keeps some of them for
 * its end (`detail` `history_too_long`):
 *
 * | part                       | its answer                         | must leave                                           |
 * |----------------------------|------------------------------------|------------------------------------------------------|
 * | claim                      | claim `full`                       | what settles and ends all that is open               |
 * | decision with effects      | decision `rejected`                | the same, of its own effects as well                 |
 * | decision without           | decision `rejected`                | half of that                                         |
 * | `input.injected`           | fact `full`                        | as a claim                                           |
 * | any other fact             | fact `full`                        | room for a fault                                     |
 * | `run.faulted`, final decision | fact `full`, decision `rejected` | nothing                                              |
 * | notes                      | left out, or the item `rejected` if it holds nothing else | as a claim; after the end, room for the word that the run is deleted |
 *
 * A claim, a decision or a fact that is refused so is for the caller to end the run: `history_too_long` (`record/full.ts`). A
 * claim after the end (of what outlives the run) is `gone`, and its effect with it.
 */
import type {
  Effect,
  JsonObject,
  Moment,
  Outcome,
  RunStatus,
  StateName,
  Timer,
} from '@signalbox/core'

/** An event to be written. `payloadHash` is sha256(salt ‖ JCS(payload)); the register adds seq, digest and link. */
export interface EventDraft {
  readonly type: string
  readonly version: number
  /** Milliseconds since the epoch, from the writer's clock. */
  readonly at: number
  readonly actor: string
  readonly tool: string | null
  readonly verdict: string | null
  readonly payload: JsonObject
  /** 16 random bytes, hex. */
  readonly salt: string
  /** 32 bytes, hex. */
  readonly payloadHash: string
}

/** The state an effect must be in for a fact about it to be accepted, and its state then. */
export interface EffectFence {
  readonly effectId: string
  /** `started`: claimed at exactly `attempt`. `lost`: the same, and the lease is over, see `renew`. `pending`: never claimed. `unknown`: recorded as such. */
  readonly expect: 'started' | 'lost' | 'pending' | 'unknown'
  /** Ignored for `pending` and `unknown`. */
  readonly attempt: number
  /**
   * `pending`: it may be claimed again, at once, under the same id (an operator's retry of an unknown call). `started`: it
   * goes on without a lease, nobody takes it over, and a later fact at the same attempt ends it (a run that was started).
   */
  readonly becomes: 'done' | 'unknown' | 'cancelled' | 'pending' | 'started'
}

/** A fact: idempotent by `key`, no expected version, refused on ended runs. */
export interface FactDraft extends EventDraft {
  readonly key: string
  readonly fence: EffectFence | null
}

/**
 * A decision: compare-and-swap on the `decided` cursor. A final one also requires that no fact arrived meanwhile, and that no claim
 * stands.
 */
export interface DecisionDraft {
  /** The cursor the decision was made from. */
  readonly decided: number
  /** Sequence number of the last fact it folds. */
  readonly through: number
  /**
   * Sequence number of the run when the state was read that it was made from: one that was repaired since makes it stale. Absent: it
   * is not compared.
   */
  readonly seq?: number
  /** `run.transitioned` first, then an event per notable verdict. */
  readonly events: readonly EventDraft[]
  readonly status: RunStatus
  /** `cancelling` closes the run for claims, as `cancel.requested` does (I14). */
  readonly stateName: StateName
  readonly outcome: Outcome | null
  /** The cached state after the decision, at most `limits.stateBytesMax` as JSON; of a final one `limits.finalStateBytesMax`. */
  readonly state: JsonObject
  readonly effects: readonly Effect[]
  readonly timers: readonly Timer[]
  readonly clearTimers: readonly string[]
}

/**
 * A claim: refused after a cancel, while an end is `held`, and on ended runs; increments the attempt and writes `effect.started`.
 * Sent again with the same owner and salt while it holds the effect, it is `ok` with the same attempt, whatever came of the run or
 * the lease since.
 */
export interface ClaimDraft {
  readonly effectId: string
  /** `[A-Za-z0-9._-]{1,100}`: names the process, so that a cancel signal finds it. */
  readonly owner: string
  readonly leaseMs: number
  readonly at: number
  readonly salt: string
}

/**
 * The next state of an effect whose outcome is a note, for it outlives its run (`outlivesRun` of core). `started`: the
 * attempt that holds it ends it, or leaves it to another. `done`: one that was ended is asked for once more.
 */
export interface SettleDraft {
  readonly effectId: string
  readonly expect: 'started' | 'done'
  readonly attempt: number
  readonly becomes: 'done' | 'pending'
  /** Not to be claimed before; milliseconds from the append. */
  readonly delayMs: number
}

/** A new run. Its first fact must be `run.created`. */
export interface CreateDraft {
  readonly threadId: string
  readonly agent: string
  readonly definitionHash: string
  readonly machine: string
  readonly machineVersion: number
  readonly metadata: JsonObject
  /** The client's idempotency key or own id: an alias of the run, unique per tenant. */
  readonly alias: { readonly key: string; readonly bodyHash: string } | null
  /**
   * How it treats the runs of its thread that are due and have not ended. `reject`: it is not created while there are
   * any. `interrupt`, `rollback`: it stands behind them, and `superseded` names them. Default `enqueue`: it waits.
   */
  readonly multitask?: Multitask
  /** It is a run of a memory: on the thread of one, where no other run is created. */
  readonly memory?: true
  /** Not admitted before this long after its creation. Milliseconds. */
  readonly delayMs?: number
  /** The moment it goes on from: right behind this event. Default: through the run before it on its thread. */
  readonly base?: Moment
  /** The higher goes first where runs wait for a lane. -999 to 999, default 0. */
  readonly priority?: number
  /** The limits it stands under, at most eight: it is admitted when each has room. */
  readonly lanes?: readonly Lane[]
  /** The run that starts this one, by which of its effects, at which attempt; the run at the top of both. */
  readonly parent?: ParentRef & { readonly attempt: number }
}

/**
 * A limit that runs of the same key share. A run is at work from its admission to its end, but while it waits for a human;
 * one that goes on after that may be one too many.
 */
export interface Lane {
  /** 1 to 500 characters; of one tenant. */
  readonly key: string
  /** How many may be at work at once. */
  readonly most?: number
  /** How many may be admitted within `perMs` milliseconds. */
  readonly rate?: number
  readonly perMs?: number
}

/** How a new run treats those that are under way on its thread. */
export type Multitask = 'enqueue' | 'reject' | 'interrupt' | 'rollback'

/** A moment of a conversation: right after an event of a run. */
export type { Moment }

/** Where a run stands in a tree of runs. */
export interface ParentRef {
  readonly runId: string
  readonly effectId: string
  readonly rootId: string
}

/**
 * One item of an append: all about one run, applied in this order, each part as far as its rules allow.
 * With `admit`, the run takes its thread's slot: if another run holds it or waits before it, `run.admitted` (the fact
 * that follows `run.created`, or stands alone), the decision and the claims are left out, and `admitted` is false.
 */
export interface AppendItem {
  readonly tenantId: string
  readonly runId: string
  readonly create?: CreateDraft
  readonly admit?: boolean
  readonly facts?: readonly FactDraft[]
  readonly decision?: DecisionDraft
  readonly notes?: readonly EventDraft[]
  /** Moves an effect. If it is not as expected, the notes of the item are left out. */
  readonly settle?: SettleDraft
  readonly claims?: readonly ClaimDraft[]
}

/** The fate of a fact. A repetition is `duplicate` even when the run has ended since. */
export type FactCode =
  | 'ok'
  /** The key is there already: an earlier try succeeded. */
  | 'duplicate'
  /** The effect is not as the fence expects: somebody else's result stands, or the attempt is old. */
  | 'fenced'
  /** The run has ended; of something that is said to it: or is to end. */
  | 'ended'
  /** The history of the run has no room for it; of something that is said to it: or too much was said already. */
  | 'full'
  /** Left out because the run was not admitted. */
  | 'not_admitted'

/** The fate of a decision. */
export type DecisionCode =
  | 'ok'
  /** Somebody else decided, or the facts are not those it was made from. Reload. */
  | 'stale'
  /** A fact arrived before a final decision. Decide again. */
  | 'moved'
  /**
   * A final one, and a claim of the run stands: something may still begin. The run is closed for claims, as by `cancel.requested`,
   * and the end is to be decided again when what is claimed has settled, or its lease is over, see `renew`. No end waits for claims
   * of `policy.evaluate` and `tool.recall`, which execute nothing, or of a kind that outlives the run.
   */
  | 'held'
  /** It breaks a rule, or does not fit into the history: `detail` says which. Facts of the item stand. The run must be faulted. */
  | 'rejected'
  /** Left out because the run was not admitted. */
  | 'not_admitted'

export type ClaimCode =
  | 'ok'
  /** No such effect, it is done, unknown or cancelled, or the claim was left out with its decision. */
  | 'gone'
  /** Another attempt holds a lease that is not over, see `renew`. */
  | 'leased'
  /** Not yet due. */
  | 'early'
  /** A cancel was asked, the end of the run is `held`, or it has ended. */
  | 'cancelled'
  /** It could be claimed, but for a pause: it is not offered again before that is over, see `ports/pauses.ts`. */
  | 'paused'
  /** A `once` effect whose lease expired: it must become unknown, never a second execution. */
  | 'lost'
  /** It could be claimed, but the history of the run has no room for work: the run must be faulted. */
  | 'full'
  /** The claim breaks a rule. */
  | 'rejected'

export interface Claimed {
  readonly effectId: string
  readonly code: ClaimCode
  /** Valid when `ok` (the new attempt) or `lost` (the lost one). */
  readonly attempt: number
}

export type ItemCode =
  | 'ok'
  /** `create`: the alias is taken by `runId` with the same body. */
  | 'exists'
  /** `create`: the alias is taken by `runId` with another body. */
  | 'conflict'
  /** No such run for this tenant. */
  | 'no_run'
  /** `create`: the parent has ended, is being cancelled (I14), or another attempt took over: no run is started. */
  | 'no_parent'
  /** `create`: no run of the tenant has said what this one goes on from. */
  | 'no_base'
  /** `create` with `reject`: another run of the thread is under way, or waits. */
  | 'busy'
  /** `create`: too many runs wait on the thread. */
  | 'thread_full'
  /** The item broke a rule of the register; nothing of it was written. `detail` says which. */
  | 'rejected'

export interface AppendResult {
  readonly code: ItemCode
  /** Why the item or its decision was rejected, or its notes were left out. */
  readonly detail?: string
  /** The run the answer is about: another than asked for `exists` and `conflict`. */
  readonly runId: string
  readonly admitted: boolean
  /** Cursors after the item. */
  readonly seq: number
  readonly facts: number
  readonly decided: number
  readonly factCodes: readonly FactCode[]
  readonly decisionCode: DecisionCode | null
  readonly claims: readonly Claimed[]
  /** Was the effect as `settle` expected? Present where the item had one. */
  readonly settled?: boolean
}
