/**
 * Asking a model for a summary: once, and once more where that may help. Nobody sees it stream.
 *
 * Q1 Both requests, what is thought and the words are within what the decision allows; a request that alone would use it up is not made.
 */
import {
  type AgentDefinition,
  type CompactEffect,
  defaultContext,
  type ModelConfig,
  type ModelTurn,
  tokensOf,
  type Usage,
} from '@signalbox/core'
import { callBounded } from './bounded-call.ts'
import { circuitOf } from './breaker.ts'
import type { Bundles } from './bundles.ts'
import { cacheHints } from './cache-hints.ts'
import type { SummaryRequest } from './compaction-prompt.ts'
import { originOf } from './evidence.ts'
import { streamGuardOf } from './guard.ts'
import type { Held } from './leases.ts'
import { measured } from './measure.ts'
import type { ModelCallDeps, ModelTask } from './model-call.ts'
import type { PromptDraft } from './prompt-steps.ts'
import { type Refused, requestLength, underBudget, withUsage } from './reservation.ts'

export type CompactionDeps = Omit<ModelCallDeps, 'live'> & {
  readonly bundles: Pick<Bundles, 'read'>
}

/** A claimed compaction, and where the run stood when it was claimed. */
export interface CompactionTask extends Omit<ModelTask, 'effect'> {
  readonly effect: CompactEffect
}

/** A request, and the one that is made instead where that is too long for the model. */
export interface Requests {
  readonly request: SummaryRequest
  readonly shorter: () => SummaryRequest
}

/** Tokens of the longest summary. */
export const summaryMost = ({ context = defaultContext }: AgentDefinition): number =>
  context.compact.summaryTokens

interface Asked extends Requests {
  readonly model: ModelConfig
  readonly bpt: number
  /** Tokens that a request and its answer may have together. */
  readonly tokensMax: number
  readonly draft: PromptDraft
  readonly held: Held
}

/** Tokens that the answer to a request may have; none where the request alone has as many as both may. */
export const leftFor = (
  request: Parameters<typeof requestLength>[0],
  { bpt, tokensMax }: Pick<Asked, 'bpt' | 'tokensMax'>,
): number => tokensMax - tokensOf(requestLength(request), bpt)

/** An answer, and how it was asked for. */
interface Answered {
  readonly turn: ModelTurn | Refused
  readonly how: SummaryRequest['how']
  /** Of all that was asked. */
  readonly usage: Usage
}

/**
 * Once more, where the provider says that it may work then, and does not ask for more patience than the agent has; and where the request was
 * too long, by the shorter one. What the first answer has used is no longer left for the second.
 */
export async function askTwice(
  deps: CompactionDeps,
  task: CompactionTask,
  asked: Asked,
): Promise<Answered> {
  const { request, model, held } = asked
  const first = await ask(deps, task, asked)
  const next = 'code' in first ? null : nextOf(task.agent, first, asked)
  if (next) await deps.clock.sleep(next.delayMs, held.signal)
  const second = next && (await ask(deps, task, { ...asked, ...next }))
  // The usage of an answer that broke off is counted, also where the budget allows no other.
  const isSecond = second !== null && !('code' in second)
  const turn = isSecond ? second : first
  if ('code' in turn) return { turn, how: request.how, usage: {} }
  await report(deps, { agent: task.agent, model }, turn)
  const usage = isSecond && !('code' in first) ? plus(first.usage, turn.usage) : turn.usage
  return { turn, how: (isSecond ? (next?.request ?? request) : request).how, usage }
}

/** The usage of two calls together: an answer that broke off is paid, too. */
function plus(one: Usage, other: Usage): Usage {
  const { estimated: isOne, ...counts } = one
  const { estimated: isOther, ...more } = other
  const sums = new Map<string, number>()
  for (const [name, count = 0] of [counts, more].flatMap((each) => Object.entries(each)))
    sums.set(name, (sums.get(name) ?? 0) + count)
  return { ...Object.fromEntries(sums), ...((isOne ?? isOther) ? { estimated: true } : {}) }
}

/** The next request, and when it is made. */
interface Next extends Pick<Asked, 'request' | 'tokensMax'> {
  readonly delayMs: number
}

/** The request behind an answer; null: there is none, or too little is left for it. */
function nextOf(agent: AgentDefinition, { error, usage }: ModelTurn, asked: Asked): Next | null {
  const { inputTokens = 0, outputTokens = 0 } = usage
  const tokensMax = asked.tokensMax - inputTokens - outputTokens
  const again = againOf(agent, error, asked)
  return again && leftFor(again.request, { ...asked, tokensMax }) > 0
    ? { ...again, tokensMax }
    : null
}

/** May it be asked for once more, as it was or shorter? */
function againOf(
  { modelRetries: { baseMs, capMs } }: AgentDefinition,
  error: ModelTurn['error'],
  { request, shorter }: Requests,
): Omit<Next, 'tokensMax'> | null {
  if (error?.class === 'context_overflow') return { request: shorter(), delayMs: 0 }
  const delayMs = Math.max(Math.min(baseMs, capMs), error?.retryAfterMs ?? 0)
  return error?.retryable && delayMs <= capMs ? { request, delayMs } : null
}

/** The breaker counts it as it counts a turn: by the last attempt, unless the request was what failed. */
async function report(
  { breaker }: Pick<CompactionDeps, 'breaker'>,
  { agent, model }: { readonly agent: AgentDefinition; readonly model: ModelConfig },
  { verdict, error }: ModelTurn,
): Promise<void> {
  const failed = verdict === 'error' || verdict === 'interrupted'
  const isTheirs = error?.retryable ?? true
  if (failed && !isTheirs) return
  await breaker.report(circuitOf(model), failed ? 'failed' : 'ok', agent.breaker)
}

async function ask(
  deps: CompactionDeps,
  task: CompactionTask,
  asked: Asked,
): Promise<ModelTurn | Refused> {
  const { request, model, draft, held } = asked
  const { agent, effect } = task
  const { prompt, tools } = request
  const promptBytes = measured(prompt).bytes
  const left = leftFor({ prompt, promptBytes, tools }, asked)
  const { state } = await deps.breaker.admit(circuitOf(model), agent.breaker)
  if (state === 'open') return failedTurn(task, model, 'the model failed too often')
  const digest = await deps.digests.by(task.tenantId, agent)
  const call = async (): Promise<ModelTurn> => {
    await held.begin()
    const turn = await callBounded(
      deps.model,
      {
        model,
        detectors: agent.safety.detectors,
        prompt,
        tools,
        messageId: `s_${effect.id}`,
        callIdPrefix: `s_${effect.turn}`,
        argsHash: digest.argsHash,
        hmacKey: deps.random.hex(32),
        guard: streamGuardOf(deps.guardrails, agent, { correction: 0 }),
        endUser: originOf(draft.created).endUser,
        images: (key) => deps.content.bytes(task, key),
        ...cacheHints(task),
      },
      { tokensMax: summaryMost(agent), answerMax: left, signal: held.signal },
    )
    return withUsage(turn, { prompt, promptBytes, tools })
  }
  const about = { model, prompt, promptBytes, call }
  return underBudget(deps.register, { ...task, turns: 0 }, about)
}

const failedTurn = (task: CompactionTask, model: ModelConfig, message: string): ModelTurn => ({
  verdict: 'error',
  message: { id: `s_${task.effect.id}`, role: 'assistant', parts: [] },
  suppressed: [],
  evidence: [],
  finish: null,
  usage: {},
  error: { class: 'circuit_open', kind: 'circuit_open', retryable: false, message },
  provider: model.provider,
  model: model.model,
})
