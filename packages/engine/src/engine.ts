/** The use cases as the outside sees them: what an API or a command line may ask of Signalbox. */
import type {
  AgentDefinition,
  GivenAnswer,
  EditMessage,
  FactPayload,
  FileChanges,
  JsonObject,
  MemoryChanges,
  PolicyAnswer,
  ToolOutput,
  UserMessage,
} from '@signalbox/core'
import type { ChangeMemory, PauseMemory } from './change-memory.ts'
import type { Lane, Moment, Multitask, NamedTarget, PauseAnswer, PauseCode } from './ports.ts'

/** The caller, as the server authenticated it: never taken from a request's body. */
export interface Caller {
  readonly tenantId: string
  /** Written into events, e.g. `user:ann` or `key:ci`. */
  readonly actor: string
}

/** Somebody the server has authenticated. */
export interface Person {
  readonly id: string
  readonly role: string | null
}

export interface CreateRun extends Caller {
  readonly threadId: string
  /** How it treats the runs that are under way on its thread. Default `enqueue`: it waits for them. */
  readonly multitask?: Multitask
  /** Not started before this long from now. Milliseconds, default 0. */
  readonly delayMs?: number
  /** The higher goes first where runs wait for a lane. -999 to 999, default 0. */
  readonly priority?: number
  /** The limits it stands under. */
  readonly lanes?: readonly Lane[]
  /** The moment it goes on from. Default: from the end of the run before it on its thread. */
  readonly base?: Moment
  readonly definition: AgentDefinition
  readonly input: readonly UserMessage[]
  /** The messages said elsewhere before the input, on a thread that has heard nothing. */
  readonly history?: readonly EditMessage[]
  /** Instead of an input: what the run puts into the conversation. It asks no model, and ends at once. */
  readonly edit?: {
    readonly messages: readonly EditMessage[]
    /** What a person changes in a memory: only on the thread of one. */
    readonly memory?: MemoryChanges
  }
  /** Instead of an input: the run has what was said on its thread summed up, and ends. */
  readonly compact?: { readonly instructions?: string }
  /** Files that it is given, or, for an edit, that it changes: blobs of its thread. */
  readonly files?: FileChanges
  readonly metadata: JsonObject
  /** Nothing of the run is remembered: it is neither learned from, nor shown what is known. Default: what its agent says. */
  readonly memory?: 'off'
  /** The things that the client of the run takes for granted when it comes back. */
  readonly client?: FactPayload<'run.created'>['client']
  /** The words of the client about the run, in the fields that its agent declares. */
  readonly fields?: JsonObject
  /** An address that is told of the run, beside those of the configuration. No event holds it. */
  readonly webhook?: string
  /** The authenticated user the run works for, as policies and approvals see him. */
  readonly user?: Person
  /** Is somebody there who could answer a question of the model? Default: yes. */
  readonly interactive?: boolean
  /** A stable pseudonym of the end user: passed on to providers, and what holds are kept by. */
  readonly endUser?: string
  /** The client's idempotency key or own id for the run, and what it must agree on to mean the same request. */
  readonly alias: { readonly key: string; readonly bodyHash: string } | null
}

export type CreateAnswer =
  | { readonly code: 'created'; readonly runId: string; readonly admitted: boolean }
  /** The same request was made before: this is its run. */
  | { readonly code: 'existing'; readonly runId: string }
  /** The key was used for another request. */
  | { readonly code: 'conflict'; readonly runId: string }
  /** The run that asked for this one has ended, or is being cancelled. */
  | { readonly code: 'no_parent' }
  /** Nobody said on this tenant's threads what the run was to go on from. */
  | { readonly code: 'no_base' }
  /** `reject`: a run of the thread is under way. */
  | { readonly code: 'busy' }
  /** Too many runs wait on the thread. */
  | { readonly code: 'thread_full' }
  /** The thread's id belongs to somebody else. */
  | { readonly code: 'no_thread' }
  /** Too many of the end user's runs were stopped for safety. Milliseconds since the epoch. */
  | { readonly code: 'held'; readonly until: number; readonly stops: number }
  | { readonly code: 'rejected'; readonly detail: string }

/** A run to repeat, with the same input after the same history, on a thread of its own. */
export interface Rerun
  extends Caller, Pick<CreateRun, 'threadId' | 'priority' | 'lanes' | 'metadata' | 'alias'> {
  /** The run to repeat. It must have ended. */
  readonly runId: string
  /** The definition to repeat it with. Null: with what it had itself. */
  readonly definition: AgentDefinition | null
  /** Changes that definition. May throw, then nothing is created. Default: nothing. */
  readonly change?: (definition: AgentDefinition) => AgentDefinition
  /** It is shown what is known of the user now. Default: what the other run was shown. */
  readonly memory?: 'now'
  readonly webhook?: string
  readonly user?: Person
  readonly endUser?: string
}

export type RerunAnswer =
  | CreateAnswer
  /**
   * `no_run`: not of this tenant. `run_open`: it has not ended. `edit`: it asked no model. `summary`: it did nothing but sum up its thread.
   * `erased`: so is its input.
   */
  | { readonly code: 'no_run' | 'run_open' | 'edit' | 'summary' | 'erased' }

/** A run to ask once more: its calls execute. On its own thread, behind what was said there since. */
export interface RetryRequest extends Caller {
  /** The run to ask again. It must have ended. */
  readonly runId: string
  /** The agent as it is now. */
  readonly definition: AgentDefinition
  /** The words of the run about its agent, over the metadata of the other. */
  readonly marks: JsonObject
  /** The limits it stands under, by whom the other worked for. */
  readonly lanesOf: (whom: Caller & Pick<CreateRun, 'user' | 'endUser'>) => readonly Lane[]
  /** Which retry this is; null: the one that every request without a name means. 1 to 64 characters. */
  readonly name: string | null
}

export type RetryAnswer =
  | RerunAnswer
  /** `child`: a run has started it, and reads its answer. `rerun`: none of its calls was to execute. */
  | { readonly code: 'child' | 'rerun' }

export interface CancelRun extends Caller {
  readonly runId: string
  readonly action: 'interrupt' | 'rollback'
  readonly reason?: string
}

/** `accepted` is durable: from here on no new effect of the run starts (I14). */
export type CancelAnswer = 'accepted' | 'already' | 'ended' | 'no_run'

export interface ResolveUnknown extends Caller {
  readonly runId: string
  readonly effectId: string
  readonly resolution: 'happened' | 'not_happened' | 'retry'
  /** For `happened`: what the call answered, as far as the operator knows. */
  readonly output?: ToolOutput
  readonly note?: string
}

/** `not_unknown`: the effect is not one whose outcome is unknown (any more). `conflict`: somebody said otherwise before. */
export type ResolveAnswer = 'accepted' | 'already' | 'conflict' | 'not_unknown' | 'ended' | 'no_run'

export interface AnswerApproval extends Caller {
  readonly runId: string
  readonly callId: string
  readonly decision: 'approve' | 'reject' | 'edit'
  readonly note?: string
  /** How far an approval reaches. Default `once`; only for `approve`. */
  readonly scope?: 'once' | 'run' | 'always'
  /** For `edit`: the arguments to execute instead. */
  readonly args?: JsonObject
  /** The person who decides, as the server authenticated him. */
  readonly by?: Person
}

/** A person's answer to a question of the model. */
export interface AnswerInput extends Caller {
  readonly runId: string
  readonly callId: string
  readonly answer: GivenAnswer
  /** The person who answers, as the server authenticated them. */
  readonly by?: Person
}

export type InputAnswer =
  | { readonly code: 'accepted' | 'already' | 'not_asked' | 'expired' | 'ended' | 'no_run' }
  /** Somebody answered otherwise before. */
  | { readonly code: 'conflict' }
  /** It is no answer to that question. `field`: a path into the answer. */
  | { readonly code: 'invalid_answer'; readonly field: string; readonly detail: string }

export type ApprovalAnswer =
  | { readonly code: 'accepted' | 'already' | 'not_asked' | 'expired' | 'ended' | 'no_run' }
  /** Somebody decided otherwise before. */
  | { readonly code: 'conflict'; readonly decision: string }
  /** The agent lets only certain roles approve, or not whoever the run works for. */
  | { readonly code: 'forbidden'; readonly detail: string }
  /** The edited arguments are not what the tool takes. */
  | { readonly code: 'invalid_arguments'; readonly detail: string }
  /** The policies deny the call with the edited arguments. Nothing is recorded: the request still waits. */
  | { readonly code: 'edit_denied'; readonly answer: PolicyAnswer }

export interface InjectInput extends Caller {
  readonly runId: string
  /** At least one. Together with what was said to the run before: `limits.injectedMessagesMax` and `injectedBytesMax`. */
  readonly messages: readonly UserMessage[]
  /** The name of the request among those of the run: the same one is heard once. 1 to 200 characters. */
  readonly key: string
  /** The person who speaks, as the server authenticated him. */
  readonly by?: Person
  /** A stable pseudonym of the end user: who is held says nothing. */
  readonly endUser?: string
}

export type InjectAnswer =
  /** It is in the log before the end of the run, which will not complete without a turn that was shown it. */
  | { readonly code: 'accepted' }
  /** The same was said before, under the same key. */
  | { readonly code: 'already' }
  /** Something else was said under this key. */
  | { readonly code: 'conflict' }
  /** The run has ended, or is to end: it is being cancelled, or out of time. */
  | { readonly code: 'ended' }
  /** Too much was said to the run. */
  | { readonly code: 'full' }
  /** The run is an edit of the conversation: it asks no model. */
  | { readonly code: 'no_model' }
  /** The run does nothing but sum up its thread. */
  | { readonly code: 'summary' }
  /** Too many of the end user's runs were stopped for safety. Milliseconds since the epoch. */
  | { readonly code: 'held'; readonly until: number; readonly stops: number }
  | { readonly code: 'no_run' }

/** A run of the caller. */
export interface HideRun extends Caller {
  readonly runId: string
}

/** A thread of the caller. `lastRunId` is where the log says so; null where nobody has run. */
export interface HideThread extends Caller {
  readonly threadId: string
  readonly lastRunId: string | null
  /** Only if its ttl has passed, and nothing came since that run. */
  readonly expired?: boolean
}

/** `busy`: a run of the thread is under way that nobody has cancelled; of one that has expired, somebody used it since. */
export type HideAnswer = 'hidden' | 'busy' | 'unknown'

/** A request of a caller to title a thread. `lastRunId` is the run whose log records it; null where the thread has had no run. */
export interface TitleThread extends Caller {
  readonly threadId: string
  readonly lastRunId: string | null
  /** 1 to `limits.titleCharsMax` characters. */
  readonly title: string
}

export type TitleAnswer = 'titled' | 'unknown'

export interface ReplayWebhook extends Caller {
  readonly runId: string
  readonly effectId: string
}

/** `unknown`: no delivery of this run. `under_way`: it is not over yet. `rejected`: the run's log is full. */
export type ReplayAnswer = 'accepted' | 'under_way' | 'unknown' | 'rejected'

export interface PauseRequest extends Caller {
  readonly target: NamedTarget
  /** 1 to `limits.pauseReasonCharsMax` characters. */
  readonly reason: string
  /** Milliseconds since the epoch; null: until it is lifted. */
  readonly until: number | null
}

/** Confirmed it is final: from here on nothing of the target starts. `busy`: others keep changing the pause. */
export type PauseAnswerOf =
  | (PauseAnswer & { readonly code: Exclude<PauseCode, 'taken'> })
  | { readonly code: 'busy' }

export interface ResumeRequest extends Caller {
  readonly pauseId: string
}

/** The commands of the engine. Each is one append; each may be repeated after a failure. */
export interface Commands {
  createRun(request: CreateRun): Promise<CreateAnswer>
  /** Repeats a run that has ended. No call of the new run executes: what was recorded of the other answers. */
  rerun(request: Rerun): Promise<RerunAnswer>
  /** Asks once more what a run that has ended was asked. The same request again answers the first retry. */
  retry(request: RetryRequest): Promise<RetryAnswer>
  cancel(request: CancelRun): Promise<CancelAnswer>
  /** Says something to a run that goes on. The model is shown it before its next turn. */
  injectInput(request: InjectInput): Promise<InjectAnswer>
  resolveUnknown(request: ResolveUnknown): Promise<ResolveAnswer>
  answerApproval(request: AnswerApproval): Promise<ApprovalAnswer>
  answerInput(request: AnswerInput): Promise<InputAnswer>
  /** Deletes a run for its users. What it said stays said, and the log keeps everything. */
  hideRun(request: HideRun): Promise<HideAnswer>
  /** Deletes a thread, with all its runs, for its users. The log keeps everything, and the id stays taken. */
  hideThread(request: HideThread): Promise<HideAnswer>
  /** Gives a thread a title that no run and no model changes any more. */
  titleThread(request: TitleThread): Promise<TitleAnswer>
  /** A person writes or removes items of a memory. */
  changeMemory(request: ChangeMemory): Promise<CreateAnswer>
  /** Nothing is learned into a memory, nor shown of it, until the pause ends. It holds at once. */
  pauseMemory(request: PauseMemory): Promise<void>
  replayWebhook(request: ReplayWebhook): Promise<ReplayAnswer>
  /** An agent, a tool or a queue starts nothing new from the answer on. What runs goes on. */
  pause(request: PauseRequest): Promise<PauseAnswerOf>
  /** Ends a pause. False: there is none of this id. */
  resume(request: ResumeRequest): Promise<boolean>
}

/** The text of the message in flight, as far as this process has seen it. */
export interface LiveText {
  readonly messageId: string
  readonly attempt: number
  /** Text that follows what the listener has been given of this message and attempt. */
  readonly text: string
  /** Position of `text` in the whole text. 0 begins the message anew. */
  readonly offset: number
}

/** A note of a running tool about itself. A later note replaces an earlier one of the same call. */
export interface ToolProgress {
  readonly callId: string
  /** Of the call's effect, from 1. */
  readonly attempt: number
  /** At most `limits.progressCharsMax` characters. */
  readonly note: string
}

/** Engine roles of one process, composed over ports by `createEngine`. */
/** How an engine process is. */
export interface EngineHealth {
  /**
   * Milliseconds since the end of the last look of the reconciler in which the register answered every question, or since the
   * start if there was none yet; by a clock that nobody sets. Null where nothing is reconciled.
   */
  readonly reconcilerAgeMs: number | null
  /** Milliseconds since the reconciler ended a look, whether or not the register answered. Null where nothing is reconciled. */
  readonly lookAgeMs: number | null
}

export interface Engine {
  readonly commands: Commands
  /** Follows the text in flight of a run, from its beginning: the first piece has offset 0. Answers the way to stop. */
  followText(runId: string, listener: (piece: LiveText) => void): () => void
  /** Follows the notes of the tools that run for a run, from now on; some may be lost. Answers the way to stop. */
  followProgress(runId: string, listener: (progress: ToolProgress) => void): () => void
  /** How it is right now. Asks nobody. */
  health(): EngineHealth
  /** Starts the roles this engine was created with (`orchestrator`, `worker`); an engine with neither only has commands. */
  start(): Promise<void>
  /**
   * Hands work over: claims nothing more, waits for effects in flight up to `graceMs`, then releases, within two seconds.
   * `cut` ends the grace before its time.
   */
  stop(graceMs: number, cut?: AbortSignal): Promise<void>
}
