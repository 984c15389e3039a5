/**
 * Performing a model call: prompt from the register, one stream, one fact. Repeatable: nothing of a turn is executed
 * before its fact is committed, so a call that was lost with its process is simply made again.
 */
import {
  type AgentDefinition,
  callIdPrefix,
  callsOf,
  type ModelCallEffect,
  modelOf,
  type ModelTurn,
  NewerError,
  type Prompt,
  setKey,
} from '@signalbox/core'
import { AbortError, messageOf } from '../errors.ts'
import type {
  BudgetPort,
  Clock,
  FactDraft,
  Log,
  Model,
  Random,
  Register,
  StreamGuardrails,
} from '../ports.ts'
import type { Digests, RunDigest } from '../record/digests.ts'
import type { Writer } from '../record/draft.ts'
import { type Breaker, circuitOf } from './breaker.ts'
import { cacheHints } from './cache-hints.ts'
import type { Content } from './content.ts'
import { evidenceOf, type Origin, originOf } from './evidence.ts'
import { streamGuardOf } from './guard.ts'
import type { Held } from './leases.ts'
import { type Refused, requestLength, underBudget, withUsage } from './reservation.ts'
import { earlyOf, misfitOf, type Room, roomOf } from './room.ts'
import type { Memories } from './memories.ts'
import type { LiveMessages } from './live.ts'
import { type Pinned, type PromptDeps, type PromptDraft, promptOf } from './prompt-steps.ts'
import type { Transcripts } from './transcript.ts'

export interface ModelCallDeps {
  readonly model: Model
  readonly register: Pick<Register, 'grants' | keyof BudgetPort> & PromptDeps['register']
  readonly memories: Memories
  readonly breaker: Breaker
  readonly guardrails: StreamGuardrails
  readonly transcripts: Transcripts
  readonly content: Content
  readonly digests: Digests
  readonly live: LiveMessages
  readonly writer: Writer
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** A claimed model call, and where the run stood when it was claimed. */
export interface ModelTask {
  readonly runId: string
  readonly tenantId: string
  readonly threadId: string
  readonly agent: AgentDefinition
  /** The run at the top of the tree: this one, if nobody started it. */
  readonly rootId: string
  readonly effect: ModelCallEffect
  readonly attempt: number
  readonly seq: number
}

/** Makes the call and answers the fact about it. Null: the signal was aborted for another reason than a cancel. Rejects
 * with a `NewerError` where the conversation is newer than this build. */
export async function performModelCall(
  deps: ModelCallDeps,
  task: ModelTask,
  held: Held,
): Promise<FactDraft | null> {
  const { writer } = deps
  const { signal } = held
  const { effect, attempt } = task
  const about = { effectId: effect.id, attempt }
  const fence = { ...about, expect: 'started', becomes: 'done' } as const
  const began = deps.clock.monotonic()
  const passed = (): number => Math.round(deps.clock.monotonic() - began)
  try {
    const digest = await deps.digests.by(task.tenantId, task.agent)
    const made = await makeCall(deps, { ...task, digest }, held)
    if ('refused' in made) return refusal(writer, about, made.refused)
    const { turn, origin, room, images, pinned } = made
    const evidence = await evidenceOf(deps, task, { turn, origin })
    const callSet = callSetOf(task.agent, turn, digest)
    const shown = { ...(images > 0 ? { images } : {}), ...(pinned ? { pinned } : {}) }
    const payload = {
      ...about,
      turn,
      callSet,
      durationMs: passed(),
      ...evidence,
      ...room,
      ...shown,
    }
    return writer.fact('model.completed', payload, {
      key: effect.id,
      fence,
      verdict: turn.verdict,
    })
  } catch (error) {
    if (error instanceof NewerError) throw error
    const cause = signal.reason instanceof AbortError ? signal.reason.abortCause : null
    if (cause === 'cancelled') return writer.fact('model.aborted', about, { key: effect.id, fence })
    if (cause !== null) return null
    const turn = brokenTurn(task, messageOf(error))
    const payload = { ...about, turn, callSet: '', durationMs: passed() }
    return writer.fact('model.completed', payload, {
      key: effect.id,
      fence,
      verdict: 'error',
    })
  }
}

/** The budget of the tree is used up: the model was not asked. */
function refusal(
  writer: Writer,
  about: { readonly effectId: string; readonly attempt: number },
  { budget, used, limit }: Refused,
): FactDraft {
  const fence = { ...about, expect: 'started', becomes: 'cancelled' } as const
  const payload = { ...about, budget, used, limit }
  return writer.fact('budget.refused', payload, { key: about.effectId, fence, verdict: budget })
}

type Made =
  | {
      readonly turn: ModelTurn
      readonly origin: Origin
      readonly room: Room
      /** Of the request, whether it was sent or not. */
      readonly images: number
      /** What its requests show beside the conversation, where nothing says so yet. */
      readonly pinned?: Pinned
    }
  | { readonly refused: Refused }

/** A call, and how its run makes digests. */
type DigestedTask = ModelTask & { readonly digest: RunDigest }

async function makeCall(deps: ModelCallDeps, task: DigestedTask, held: Held): Promise<Made> {
  const draft = await promptOf(deps, { ...task, mayPin: true })
  const made = await callFor(deps, task, { draft, held })
  const { pinning } = draft
  return 'refused' in made || !pinning ? made : { ...made, pinned: pinning }
}

async function callFor(
  deps: ModelCallDeps,
  task: DigestedTask,
  { draft, held }: { readonly draft: PromptDraft; readonly held: Held },
): Promise<Made> {
  const { agent, effect } = task
  const { created, prompt, measured } = draft
  const images = draft.images().length
  const about = { origin: originOf(created), images }
  if (draft.isSilent) return { turn: silentTurn(task), ...about, room: {} }
  const promptBytes = measured.bytes
  const model = modelOf(agent, effect.model)
  const bytes = requestLength({ prompt, promptBytes, tools: agent.tools })
  const weighing = { agent, model, runId: task.runId, bytes, draft }
  const misfit = misfitOf(weighing)
  if (misfit) {
    const turn = unsentTurn(task, misfit)
    return { turn, ...about, room: roomOf(weighing, turn, misfit) }
  }
  const early = earlyOf(weighing, effect)
  if (early)
    return { turn: earlyTurn(task, early), ...about, room: { promptBytes: bytes, room: early } }
  const name = circuitOf(model)
  const { state, waitMs } = await deps.breaker.admit(name, agent.breaker)
  if (state === 'open') return { turn: openCircuit(task, waitMs), ...about, room: {} }
  const call = async () => {
    await held.begin()
    const answered = await stream(deps, task, {
      prompt,
      endUser: about.origin.endUser,
      signal: held.signal,
    })
    return withUsage(answered, { prompt, promptBytes, tools: agent.tools })
  }
  const reserved = { ...task, turns: effect.retry === 0 ? (1 as const) : (0 as const) }
  const turn = await underBudget(deps.register, reserved, { model, prompt, promptBytes, call })
  if ('code' in turn) return { refused: turn }
  const outcome = outcomeOf(turn, { agent, effect, isProbe: state === 'probe' })
  if (outcome) await deps.breaker.report(name, outcome, agent.breaker)
  const parts = await deps.content.spill(task, turn.message.parts)
  const room = roomOf(weighing, turn, null)
  return { turn: { ...turn, message: { ...turn.message, parts } }, ...about, room }
}

/** The word of the call about its model: nothing, unless it answered, failed for good, or was sent to find out. */
function outcomeOf(
  turn: ModelTurn,
  call: {
    readonly agent: AgentDefinition
    readonly effect: ModelCallEffect
    readonly isProbe: boolean
  },
): 'ok' | 'failed' | null {
  const failed = turn.verdict === 'error' || turn.verdict === 'interrupted'
  if (!failed) return 'ok'
  const again = turn.error?.retryable ?? true
  const isLast = call.isProbe || call.effect.tries >= call.agent.modelRetries.max
  return again && isLast ? 'failed' : null
}

async function stream(
  deps: ModelCallDeps,
  task: DigestedTask,
  call: {
    readonly prompt: Prompt
    readonly endUser: string | null
    readonly signal: AbortSignal
  },
): Promise<ModelTurn> {
  const { agent, effect, runId } = task
  const live = deps.live.begin({
    runId,
    messageId: effect.messageId,
    attempt: effect.retry * 1_000 + task.attempt,
  })
  try {
    const request = {
      model: modelOf(agent, effect.model),
      detectors: agent.safety.detectors,
      prompt: call.prompt,
      tools: agent.tools,
      messageId: effect.messageId,
      callIdPrefix: callIdPrefix(runId, effect.turn),
      argsHash: task.digest.argsHash,
      hmacKey: deps.random.hex(32),
      guard: streamGuardOf(deps.guardrails, agent, effect),
      endUser: call.endUser,
      images: (key: string) => deps.content.bytes(task, key),
      ...cacheHints(task),
    }
    return await deps.model.call(request, live, call.signal)
  } finally {
    live.end()
  }
}

/** The digest of a set of calls: what the loop check tells sets apart by. */
function callSetOf({ tools }: AgentDefinition, turn: ModelTurn, digest: RunDigest): string {
  const calls = callsOf(turn)
  const toolOf = (name: string) => tools.find((tool) => tool.name === name)
  return calls.length === 0 ? '' : digest.short(setKey(calls, toolOf), 12)
}

/** The turn of a call that could not even be made: an error of ours, never retried, visible in the log. */
const brokenTurn = (task: ModelTask, message: string): ModelTurn => ({
  verdict: 'error',
  message: { id: task.effect.messageId, role: 'assistant', parts: [] },
  suppressed: [],
  evidence: [],
  finish: null,
  usage: {},
  error: {
    class: 'invalid_request',
    kind: 'internal',
    retryable: false,
    message: message.slice(0, 2_000),
  },
  provider: task.agent.model.provider,
  model: task.agent.model.model,
})

/** There was nothing to ask: the run is done. */
const silentTurn = (task: ModelTask): ModelTurn => {
  const { error: _, ...turn } = brokenTurn(task, '')
  return { ...turn, verdict: 'complete' }
}

/** The circuit of the model is open: nobody was asked. */
const openCircuit = (task: ModelTask, waitMs: number): ModelTurn => ({
  ...brokenTurn(task, ''),
  error: {
    class: 'circuit_open',
    kind: 'circuit_open',
    retryable: false,
    message: `the model failed too often; it is asked again in ${Math.ceil(waitMs / 1000)} s`,
  },
})

/** The request cannot fit the model's window: nobody was asked. */
const unsentTurn = (
  task: ModelTask,
  { tokens, window }: { readonly tokens: number; readonly window: number },
): ModelTurn =>
  tooLong(task, `has some ${tokens} tokens, and the window of the model ${window}; it was not sent`)

/** It fits, and is to be made lighter first: nobody was asked yet. */
const earlyTurn = (task: ModelTask, { tokens }: { readonly tokens: number }): ModelTurn =>
  tooLong(task, `has some ${tokens} tokens; it is made lighter before it is sent`)

const tooLong = (task: ModelTask, about: string): ModelTurn => ({
  ...brokenTurn(task, ''),
  error: {
    class: 'context_overflow',
    kind: 'context_overflow',
    retryable: false,
    message: `the request ${about}`,
  },
})
