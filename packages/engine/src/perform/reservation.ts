/** What a model call may use at most, reserved in the budget of its tree before the model is asked. */
import {
  costOf,
  limits,
  type ModelConfig,
  type ModelTurn,
  type Prompt,
  type ToolSpec,
  type Usage,
} from '@signalbox/core'
import type { BudgetPort, Reserved } from '../ports.ts'
import type { ModelTask } from './model-call.ts'

/** A token is seldom shorter than three bytes of JSON. */
const bytesPerToken = 3
/** Where the model has no limit of its own. */
const outputTokens = 4_096

export type Refused = Extract<Reserved, { code: 'refused' }>

/** Estimates what a request uses: its length as JSON, and the longest answer. */
export function estimate(
  model: ModelConfig,
  request: { readonly prompt: Prompt; readonly tools: readonly ToolSpec[] },
): { readonly tokens: number; readonly cost: number } {
  const input = tokensOf(request)
  const output = model.maxOutputTokens ?? outputTokens
  const usage = { inputTokens: input, outputTokens: output }
  return { tokens: input + output, cost: costOf(model, usage) }
}

const tokensOf = (value: unknown): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify(value)) / bytesPerToken)

/**
 * The turn with a usage that budgets can be charged. What the provider did not count, or counted as no request can be (no
 * input, no output beside an answer), is estimated by its length, and marked so: a limit must not depend on who counts.
 */
export function withUsage(
  turn: ModelTurn,
  request: { readonly prompt: Prompt; readonly tools: readonly ToolSpec[] },
): ModelTurn {
  const { inputTokens, outputTokens: said, ...rest } = turn.usage
  const { parts } = turn.message
  const answered = parts.length > 0 || turn.suppressed.length > 0
  // An error instead of an answer has used nothing.
  if (turn.verdict === 'error' && !answered && inputTokens === undefined && said === undefined)
    return turn
  const input = charge(inputTokens)
  const counted = charge(said)
  const isWhole = input > 0 && (counted > 0 || !answered)
  if (isWhole && input === inputTokens && counted === said) return turn
  return {
    ...turn,
    usage: {
      ...rest,
      inputTokens: input > 0 ? input : tokensOf(request),
      outputTokens: counted > 0 || !answered ? counted : saidIn(turn),
      ...(isWhole ? {} : { estimated: true }),
    },
  }
}

/** What an answer has used at the least, its suppressed calls included. */
const saidIn = ({ message, suppressed }: ModelTurn): number =>
  tokensOf(message.parts) +
  suppressed.reduce((tokens, { argsBytes }) => tokens + Math.ceil(argsBytes / bytesPerToken), 0)

/** A count as it may be charged: never less than nothing, never without bound. */
const charge = (count = 0): number =>
  count > 0 ? Math.min(Math.ceil(count), limits.usageTokensMax) : 0

/** Makes `call` under a reservation, if the run shares a budget: whatever becomes of it, the reservation is given back. */
export async function underBudget<T extends { readonly usage: Usage }>(
  register: BudgetPort,
  task: ModelTask,
  about: {
    readonly model: ModelConfig
    readonly prompt: Prompt
    readonly call: () => Promise<T>
  },
): Promise<T | Refused> {
  const { effect, agent, runId, rootId } = task
  const { model, prompt, call } = about
  if (!effect.shared) return call()
  const most = estimate(model, { prompt, tools: agent.tools })
  const turns = effect.retry === 0 ? 1 : 0
  const id = { rootId, effectId: effect.id }
  const reserved = await register.reserve({ ...id, runId, turns, calls: 0, ...most })
  if (reserved.code === 'refused') return reserved
  let used = { tokens: 0, cost: 0 }
  try {
    const answered = await call()
    const { inputTokens = 0, outputTokens: said = 0 } = answered.usage
    used = { tokens: inputTokens + said, cost: costOf(model, answered.usage) }
    return answered
  } finally {
    await register.spend(id, used)
  }
}
