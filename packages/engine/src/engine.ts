/** The use cases as the outside sees them: what an API or a command line may ask of Signalbox. */
import type { AgentDefinition, JsonObject, ToolOutput, UserMessage } from '@signalbox/core'

/** Who asks, as the server authenticated it: never taken from a request's body. */
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
  readonly definition: AgentDefinition
  readonly input: readonly UserMessage[]
  readonly metadata: JsonObject
  /** The authenticated user the run works for, as policies and approvals see him. */
  readonly user?: Person
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
  /** Too many runs wait on the thread. */
  | { readonly code: 'thread_full' }
  /** The thread's id belongs to somebody else. */
  | { readonly code: 'no_thread' }
  /** Too many of the end user's runs were stopped for safety. Milliseconds since the epoch. */
  | { readonly code: 'held'; readonly until: number; readonly stops: number }
  | { readonly code: 'rejected'; readonly detail: string }

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
  /** Who decides, as the server authenticated him. */
  readonly by?: Person
}

export type ApprovalAnswer =
  | { readonly code: 'accepted' | 'already' | 'not_asked' | 'expired' | 'ended' | 'no_run' }
  /** Somebody decided otherwise before. */
  | { readonly code: 'conflict'; readonly decision: string }
  /** The agent lets only certain roles approve, or not whoever the run works for. */
  | { readonly code: 'forbidden'; readonly detail: string }
  /** The edited arguments are not what the tool takes. */
  | { readonly code: 'invalid_arguments'; readonly detail: string }

/** The commands of the engine. Each is one append; each may be repeated after a failure. */
export interface Commands {
  createRun(request: CreateRun): Promise<CreateAnswer>
  cancel(request: CancelRun): Promise<CancelAnswer>
  resolveUnknown(request: ResolveUnknown): Promise<ResolveAnswer>
  answerApproval(request: AnswerApproval): Promise<ApprovalAnswer>
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

/** What a running tool says of itself. A later note replaces an earlier one of the same call. */
export interface ToolProgress {
  readonly callId: string
  /** Of the call's effect, from 1. */
  readonly attempt: number
  /** At most `limits.progressCharsMax` characters. */
  readonly note: string
}

/** Engine roles of one process, composed over ports by `createEngine`. */
export interface Engine {
  readonly commands: Commands
  /** Follows the text in flight of a run, from its beginning: the first piece has offset 0. Answers the way to stop. */
  followText(runId: string, listener: (piece: LiveText) => void): () => void
  /** Follows the notes of the tools that run for a run, from now on; some may be lost. Answers the way to stop. */
  followProgress(runId: string, listener: (progress: ToolProgress) => void): () => void
  /** Starts the roles this engine was created with (`orchestrator`, `worker`); an engine with neither only has commands. */
  start(): Promise<void>
  /** Hands work over: claims nothing more, waits for effects in flight up to `graceMs`, then releases. */
  stop(graceMs: number): Promise<void>
}
