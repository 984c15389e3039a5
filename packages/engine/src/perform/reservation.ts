/** What a model call may use at most, reserved in the budget of its tree before the model is asked. */
import { costOf, type ModelConfig, type Prompt, type ToolSpec, type Usage } from '@signalbox/core'
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
  const bytes = Buffer.byteLength(JSON.stringify(request))
  const input = Math.ceil(bytes / bytesPerToken)
  const output = model.maxOutputTokens ?? outputTokens
  const usage = { inputTokens: input, outputTokens: output }
  return { tokens: input + output, cost: costOf(model, usage) }
}

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
