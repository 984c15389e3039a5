/** The world: models, tools, time, chance, and the operator's ear. */
import type {
  DetectorConfig,
  FileTree,
  JsonObject,
  MemoryDraft,
  ModelConfig,
  ModelTurn,
  PassportEvaluator,
  PolicyAnswer,
  PolicyRequest,
  PolicySpec,
  Prompt,
  PureEvaluator,
  SandboxReport,
  ToolOutput,
  ToolSpec,
} from '@signalbox/core'
import type { CallSkills } from './skills.ts'
import type { StreamGuard } from './stream-guard.ts'

export interface ModelRequest {
  readonly model: ModelConfig
  readonly detectors: readonly DetectorConfig[] | undefined
  readonly prompt: Prompt
  readonly tools: readonly ToolSpec[]
  readonly messageId: string
  /** Ids of the calls of this turn are `<prefix>_<n>`, n from 0 in order of the stream. */
  readonly callIdPrefix: string
  /** The digest that the log knows arguments by. */
  readonly argsHash: (args: JsonObject) => string
  /** Keys the hashes of suppressed arguments. Hex. */
  readonly hmacKey: string
  /** Judges what streams before anybody sees it; null if the agent has no stream guardrails. */
  readonly guard: StreamGuard | null
  /** A stable pseudonym of the end user, passed on where the provider has a field for it; null if there is none. */
  readonly endUser: string | null
  /**
   * A word that requests of one conversation share, for providers that keep their caches by one: at most 64 characters of
   * `0-9a-f`, of which nobody learns tenant or thread. Absent: the provider is told nothing.
   */
  readonly cacheKey?: string
  /** The run may wait for people before the next request: a cache of minutes would be gone by then. */
  readonly waitsForPeople?: boolean
  /** The messages behind the first one may be cleared while that stays: a provider that is told of it keeps the beginning apart. */
  readonly keepsHead?: boolean
  /** The trace that the call belongs to, as W3C writes it; sent to the provider. Absent: nothing is traced. */
  readonly traceparent?: string
  /** The bytes of an image of the prompt, by its key; null if they were erased. Asked for as the request is made. Absent: there are none. */
  readonly images?: (key: string) => Promise<Uint8Array | null>
  /**
   * A JSON schema of the object that the answer is to be. A provider that can is held to it, and answers the object as text; others answer
   * words as ever. Absent: nobody is held to anything.
   */
  readonly answer?: JsonObject
}

/** Text as it streams. Never called after the promise of `call` has settled. */
export interface ModelSink {
  delta(kind: 'text' | 'reasoning', text: string): void
  /** So many more characters of arguments have come. Never which: before the verdict nobody is told (I23). */
  arguments?(chars: number): void
}

/**
 * A language model. Answers a turn for whatever happens to the stream, provider errors included (verdict `error`);
 * rejects only with the reason of an aborted signal. No call of a turn without a positive verdict leaves it (I23).
 */
export interface Model {
  call(request: ModelRequest, sink: ModelSink, signal: AbortSignal): Promise<ModelTurn>
}

export interface ToolRequest {
  readonly name: string
  readonly version: string
  readonly args: JsonObject
  /** The effect id: the same on every attempt (I9). */
  readonly idempotencyKey: string
  readonly attempt: number
  readonly tenantId: string
  readonly threadId: string
  readonly runId: string
  readonly callId: string
  readonly timeoutMs: number
  /** The words of the client about the run, in the fields that its agent declares. */
  readonly fields?: JsonObject
  readonly progress: (note: string) => void
  /** The trace that the call belongs to, as W3C writes it: for whatever the tool calls. Absent: nothing is traced. */
  readonly traceparent?: string
  /** The files of the thread, for tools that keep some. Absent where nobody keeps them. */
  readonly files?: CallFiles
  /**
   * The whole text that was said in the conversation under an id: the result of a call, or a message. Null where none was, or it was erased.
   * Absent where nobody keeps it.
   */
  readonly said?: (id: string) => Promise<string | null>
  /** The skills of the run's agent. Absent where it has none. */
  readonly skills?: CallSkills
  /** The memory that the call is about. Absent where nobody keeps one. */
  readonly memory?: CallMemory
}

/** The memory that a call may change, on the thread of one, or look into. */
export interface CallMemory {
  /** Performs the call as the log has it: it is judged with the other calls of its turn. */
  readonly change: () => Promise<ToolOutcome>
  /** Looks for items. `args`: as the model gave them. */
  readonly search: (args: JsonObject) => Promise<ToolOutcome>
}

/** The files of its thread that a call finds. What a path means is the tools' business. */
export interface CallFiles {
  /** The files that the calls of the conversation have left so far. One round trip. */
  readonly tree: () => Promise<FileTree>
  /** The bytes of a blob that the tree names; null if they were erased. */
  readonly read: (key: string) => Promise<Uint8Array | null>
}

/** A file as a call leaves it; `bytes` null: it is gone. */
export interface FileDraft {
  readonly path: string
  readonly bytes: Uint8Array | null
  readonly executable: boolean
  /** It was edited, not written anew: the edits in the form of the tools, and the state they were made in. */
  readonly edit?: { readonly bytes: Uint8Array; readonly since: string }
}

/** An image that a tool answers with. A model that sees none reads the text in its place. */
export interface ImageDraft {
  /** Which part of the content stands in its place: a text that says what it is, and that it is not shown. */
  readonly at: number
  readonly bytes: Uint8Array
  /** As somebody declares it. The bytes decide. */
  readonly mime?: string
  /** Of the file that it is. */
  readonly name?: string
}

export type ToolOutcome =
  /** `files` is what the call changed: stored with its result, or not at all. */
  | {
      readonly status: 'completed'
      readonly output: ToolOutput
      readonly images?: readonly ImageDraft[]
      readonly files?: readonly FileDraft[]
      /** What the call changed in the memory whose thread it is on: stored with its result, or not at all. */
      readonly memory?: readonly MemoryDraft[]
      /** How its command was executed, if it was one for the sandbox. */
      readonly sandbox?: SandboxReport
      /** The name of the skill whose instructions it answered. */
      readonly skill?: string
    }
  /** It ran and failed, or could not run. */
  | {
      readonly status: 'failed'
      readonly error: { readonly code: string; readonly message: string }
      /** Set when it may have taken effect all the same: the connection broke, or it would not stop after its timeout. */
      readonly unknown?: true
    }
  /** The signal was obeyed. `settled` false: the tool did not come back within its grace, its outcome is unknown. */
  | { readonly status: 'aborted'; readonly settled: boolean }

/** The tools of one process. Content of an output may be large; the engine moves it to blobs. */
export interface ToolHost {
  specs(): Promise<readonly ToolSpec[]>
  /** May this process run the tool in this version? */
  knows(name: string, version: string): Promise<boolean>
  call(request: ToolRequest, signal: AbortSignal): Promise<ToolOutcome>
  close(): Promise<void>
}

/** The policies of one process. Nothing here decides: it answers, and the machine decides. */
export interface PolicyHost {
  /** The evaluator of a pure policy the core does not know by itself (Cedar); null if this process cannot have one. */
  evaluator(spec: PolicySpec): PureEvaluator | null
  /** Judges passports. Never in need of `prepare`. */
  readonly passports: PassportEvaluator
  /** Loads what `evaluator` needs; rejects with what is missing. Called once per definition, before it is used. */
  prepare(specs: readonly PolicySpec[]): Promise<void>
  /** Asks a policy with I/O. Never longer than its timeout; rejects on anything that is no answer. */
  ask(spec: PolicySpec, request: PolicyRequest, signal: AbortSignal): Promise<PolicyAnswer>
  /**
   * Asks again, right before an execution: the living passports, and after a human's approval also the policies with
   * I/O; `all`: these in any case, they were never asked. Answers the first denial, or null. A policy that wants a human's approval
   * denies, unless one has approved. What cannot be asked is a denial, unless `failClosed` is false.
   */
  recheck(
    specs: readonly PolicySpec[],
    request: PolicyRequest,
    how: {
      readonly approved: boolean
      readonly all?: true
      readonly failClosed: boolean
      readonly signal: AbortSignal
    },
  ): Promise<PolicyAnswer | null>
  close(): Promise<void>
}

/** Time, so that the simulation can own it. */
export interface Clock {
  /** Milliseconds since the epoch, for what people read. It may be set, in either direction: nothing is decided by it. */
  readonly now: () => number
  /** Milliseconds since some moment, never set and never going back: for how long something took or may take. */
  readonly monotonic: () => number
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** Chance, so that the simulation can own it. */
export interface Random {
  /** A UUIDv7. */
  uuid(): string
  /** Random bytes as hex. */
  hex(bytes: number): string
  /** 0 ≤ x < 1. */
  unit(): number
}

/** The messages of the engine to an operator; an adapter over pino. Never payloads, never secrets (I20). */
export interface Log {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void
  info(message: string, fields?: Readonly<Record<string, unknown>>): void
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void
  error(message: string, fields?: Readonly<Record<string, unknown>>): void
}
