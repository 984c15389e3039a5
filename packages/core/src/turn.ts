/**
 * A turn as the model layer reports it, after the stream has ended in whatever way. The verdict is the only gate to
 * tools (DESIGN §4): unless it is `complete`, `message` holds no tool call, in any shape.
 */
import { z } from 'zod'
import { limits } from './limits.ts'
import { AssistantMessage } from './message.ts'

/** How a provider's stream ended. Only `complete` is positive. */
export const StreamVerdict = z.enum([
  'complete',
  'length',
  'safety',
  'refusal',
  'interrupted',
  'error',
  'unknown_terminal',
  'guardrail',
])

/** A stream guardrail ended an attempt: which one, on what, where. Never the text it objected to. */
export const Trip = z.object({
  guardrail: z.object({ id: z.string(), name: z.string() }),
  /** `fail`: the model may correct itself. `stop`: it may not. */
  outcome: z.enum(['fail', 'stop']),
  /** What the model reads, in the first person; for `stop` the reason, if it gave one. */
  feedback: z.string(),
  partType: z.enum(['text', 'reasoning', 'tool_call', 'error']),
  /** Characters of the turn that were released before. */
  offset: z.number().int(),
})

/** What a guardrail took out before anything was recorded: what kind of thing, where, how often. Never the text itself. */
export const Redaction = z.object({
  guardrail: z.object({ id: z.string(), name: z.string() }),
  /** As in the marker that stands in its place, e.g. `github-token`. */
  kind: z.string(),
  /** What the model said or thought, the arguments of a call, or the result of one. */
  place: z.enum(['text', 'reasoning', 'arguments', 'result']),
  /** The call, where it is about one, and its tool. */
  callId: z.string().optional(),
  tool: z.string().optional(),
  count: z.number().int().min(1),
})

/** What a detector saw: which detector, in which field, the value as the provider spelt it. Never content. */
export const SafetyEvidence = z.object({
  detector: z.string(),
  field: z.string(),
  value: z.string(),
})

/** A call that was taken out of a turn: its name and a keyed hash of its arguments, never the arguments (I23). */
export const SuppressedCall = z.object({
  name: z.string(),
  argsBytes: z.number().int(),
  argsHmac: z.string(),
})

/** Why a stream whose provider reported no error did not close positively. Words of ours, never content. */
export const TurnCut = z.object({
  /** Such as `end_marker_missing`. */
  code: z.string(),
  /** A sentence for an operator, with the option that helps where there is one. */
  detail: z.string(),
})

/** Tokens, as the provider counted them, or as they were estimated where it did not. */
export const Usage = z.object({
  inputTokens: z.number().int().optional(),
  outputTokens: z.number().int().optional(),
  cachedInputTokens: z.number().int().optional(),
  /** Of the input tokens, those that were written to a cache. Absent: none, or nobody counted. */
  cacheWriteTokens: z.number().int().optional(),
  reasoningTokens: z.number().int().optional(),
  /** Present where the provider counted nothing, or nothing that can be true: then budgets are charged what is estimated. */
  estimated: z.literal(true).optional(),
})

/** Classes of model-call errors, by what to do about them (reference: model layer, section 5). */
export const ModelErrorClass = z.enum([
  'rate_limit',
  'quota',
  'overloaded',
  'network',
  'context_overflow',
  'safety',
  'invalid_request',
  'tool_use_failed',
  'auth',
  'circuit_open',
  'unknown',
])

/** What went wrong with a model call, as clients and operators read it: finer than the class, which says what is done next. */
export const FailureClass = z.enum([
  'auth',
  'not_found',
  'rate_limit',
  'quota',
  'overloaded',
  'context_overflow',
  'tool_use_failed',
  'invalid_request',
  'safety',
  'configuration',
  'network',
  'timeout',
  'protocol',
  'circuit_open',
  'internal',
  'unknown',
])

/** Why a model call failed, for clients: never the words of the provider, which may quote a prompt or a key. */
export const ModelFailure = z.object({
  class: FailureClass,
  /** Of the HTTP answer; absent where there was none. */
  status: z.number().int().optional(),
  /** The provider's own or ours, where it is one short word. */
  code: z.string().optional(),
  provider: z.string(),
  model: z.string(),
  /** The environment variable that the key was read from, or is missing in. */
  keyEnv: z.string().optional(),
  /** The cause and what to do about it, in one sentence. */
  message: z.string(),
})

/** Why a model call has no answer, and what to do about it. */
export const ModelError = z.object({
  class: ModelErrorClass,
  /** Absent in facts of older builds. */
  kind: FailureClass.optional(),
  /** The environment variable that the key was read from, or is missing in. */
  keyEnv: z.string().optional(),
  /** May the same call be made again? Decided by the class, never by the SDK alone. */
  retryable: z.boolean(),
  /** What the provider asked us to wait, in milliseconds. */
  retryAfterMs: z.number().int().optional(),
  /** Of an invalid request: the provider objects to an image of it. */
  images: z.literal(true).optional(),
  /** Of an overflow: the window in tokens, where the provider names it. */
  window: z.number().int().positive().optional(),
  status: z.number().int().optional(),
  code: z.string().optional(),
  message: z.string(),
  requestId: z.string().optional(),
})

/** One turn, as the model layer reports it. */
export const ModelTurn = z.object({
  verdict: StreamVerdict,
  message: AssistantMessage,
  suppressed: z.array(SuppressedCall),
  evidence: z.array(SafetyEvidence),
  finish: z.object({ unified: z.string(), raw: z.string().optional() }).nullable(),
  usage: Usage,
  /** Present exactly when the verdict is `error`, or the stream was interrupted for a known cause. */
  error: ModelError.optional(),
  /** Present exactly when the verdict is `guardrail`. */
  trip: Trip.optional(),
  /** Absent where nothing was taken out. */
  redactions: z.array(Redaction).max(limits.redactionsMax).optional(),
  /** Images of the request that the model was not shown: it takes none, or not such, or their content was erased. Absent: none. */
  imagesLeftOut: z.number().int().min(1).optional(),
  /** Present where the stream ended well by itself, and the close is not believed. */
  cut: TurnCut.optional(),
  provider: z.string(),
  model: z.string(),
  responseId: z.string().optional(),
})

export type StreamVerdict = z.infer<typeof StreamVerdict>
export type SafetyEvidence = z.infer<typeof SafetyEvidence>
export type SuppressedCall = z.infer<typeof SuppressedCall>
export type TurnCut = z.infer<typeof TurnCut>
export type Trip = z.infer<typeof Trip>
export type Redaction = z.infer<typeof Redaction>
export type Usage = z.infer<typeof Usage>
export type ModelErrorClass = z.infer<typeof ModelErrorClass>
export type FailureClass = z.infer<typeof FailureClass>
export type ModelFailure = z.infer<typeof ModelFailure>
export type ModelError = z.infer<typeof ModelError>
export type ModelTurn = z.infer<typeof ModelTurn>
