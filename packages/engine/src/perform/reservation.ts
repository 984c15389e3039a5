/** The most that a model call may use, reserved in the budget of its tree before the model is asked. */
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
import { jsonBytes, listBytes, measured } from './measure.ts'
import type { ModelTask } from './model-call.ts'

/** A token is seldom shorter than three bytes of JSON. */
const bytesPerToken = 3
/** And none is longer on average: the longest tokens there are, of blanks, have half of that. */
const bytesPerTokenMost = 256
/** Where the model has no limit of its own. */
const outputTokens = 4_096

export type Refused = Extract<Reserved, { code: 'refused' }>

/** Estimates what a request uses: its length as JSON, and the longest answer. */
export function estimate(
  model: ModelConfig,
  request: Request,
): { readonly tokens: number; readonly cost: number } {
  const input = asTokens(requestLength(request))
  const output = model.maxOutputTokens ?? outputTokens
  const usage = { inputTokens: input, outputTokens: output }
  // All of it may be new to a cache, which may cost more than input that is read alone.
  const cost = Math.max(costOf(model, usage), costOf(model, { ...usage, cacheWriteTokens: input }))
  return { tokens: input + output, cost }
}

const asTokens = (bytes: number): number => Math.ceil(bytes / bytesPerToken)

interface Request {
  readonly prompt: Prompt
  readonly tools: readonly ToolSpec[]
  /** The length of the prompt as JSON, where it is known. */
  readonly promptBytes?: number
}

/** Lengths of tools that were measured. */
const lengths = new WeakMap<object, number>()

function lengthOf(value: object): number {
  const known = lengths.get(value) ?? jsonBytes(value)
  lengths.set(value, known)
  return known
}

const listLength = (items: readonly object[]): number =>
  listBytes(
    items.reduce((bytes, item) => bytes + lengthOf(item), 0),
    items.length,
  )

/** The length of a request as JSON, in bytes. */
export const requestLength = ({ prompt, promptBytes, tools }: Request): number =>
  '{"prompt":,"tools":}'.length + (promptBytes ?? measured(prompt).bytes) + listLength(tools)

/**
 * The turn with a usage that budgets can be charged. What the provider did not count, or counted as no request can be (no
 * input, no output beside an answer, fewer tokens than its length can be), is estimated by its length, and marked so: a limit
 * must not depend on who counts.
 */
export function withUsage(turn: ModelTurn, request: Request): ModelTurn {
  const {
    inputTokens,
    outputTokens: said,
    cachedInputTokens,
    cacheWriteTokens,
    ...rest
  } = turn.usage
  const { parts } = turn.message
  const answered = parts.length > 0 || turn.suppressed.length > 0
  // An error instead of an answer has used nothing.
  if (turn.verdict === 'error' && !answered && inputTokens === undefined && said === undefined)
    return turn
  const cached = charge(cachedInputTokens)
  const written = charge(cacheWriteTokens)
  const counted = charge(inputTokens)
  const length = requestLength(request)
  // Tokens that a cache read or wrote are a part of the input; where they are more, the provider counted them beside it.
  const beside = cached + written
  const input = believed(charge(counted < beside ? counted + beside : counted), {
    bytes: length,
    estimate: () => asTokens(length),
  })
  const output = answered
    ? believed(charge(said), { bytes: wordsIn(turn), estimate: () => saidIn(turn) })
    : { tokens: charge(said) }
  const estimated = input.estimated ?? output.estimated
  return {
    ...turn,
    usage: {
      ...rest,
      inputTokens: input.tokens,
      outputTokens: output.tokens,
      // An estimate is charged whole: a discount on it would be a guess on top.
      ...(cachedInputTokens === undefined || input.estimated ? {} : { cachedInputTokens: cached }),
      ...(written === 0 || input.estimated ? {} : { cacheWriteTokens: written }),
      ...(estimated ? { estimated } : {}),
    },
  }
}

/** The tokens that an answer has used at the least, its suppressed calls included: ids and hashes are ours. */
const saidIn = ({ message, suppressed }: ModelTurn): number =>
  asTokens(
    jsonBytes(message.parts.map((part) => ({ ...part, id: undefined, argsHash: undefined }))),
  ) + suppressed.reduce((tokens, { argsBytes }) => tokens + Math.ceil(argsBytes / bytesPerToken), 0)

interface Believed {
  readonly tokens: number
  readonly estimated?: true
}

/** The count, unless nothing of so many bytes can be so few tokens. */
const believed = (
  count: number,
  length: { readonly bytes: number; readonly estimate: () => number },
): Believed =>
  count > 0 && count * bytesPerTokenMost >= length.bytes
    ? { tokens: count }
    : { tokens: length.estimate(), estimated: true }

/** Bytes that the model itself has written: no signatures, no hashes, nothing of what was suppressed. */
const wordsIn = ({ message }: ModelTurn): number =>
  message.parts.reduce((bytes, part) => {
    if (part.type === 'text' || part.type === 'reasoning')
      return bytes + Buffer.byteLength(part.text)
    return part.type === 'tool_call' ? bytes + jsonBytes(part.args) : bytes
  }, 0)

/** A count as it may be charged: never less than nothing, never without bound. */
const charge = (count = 0): number =>
  count > 0 ? Math.min(Math.ceil(count), limits.usageTokensMax) : 0

/** A call that is reserved for: of a turn, or of no turn (`turns` 0). */
type ReservedCall = Pick<ModelTask, 'agent' | 'runId' | 'rootId'> & {
  readonly effect: { readonly id: string; readonly shared?: boolean | undefined }
  readonly turns: 0 | 1
}

/** Makes `call` under a reservation, if the run shares a budget: whatever becomes of it, the reservation is given back. */
export async function underBudget<T extends { readonly usage: Usage }>(
  register: BudgetPort,
  task: ReservedCall,
  about: {
    readonly model: ModelConfig
    readonly prompt: Prompt
    readonly promptBytes: number
    readonly call: () => Promise<T>
  },
): Promise<T | Refused> {
  const { effect, agent, runId, rootId, turns } = task
  const { model, prompt, promptBytes, call } = about
  if (!effect.shared) return call()
  const most = estimate(model, { prompt, promptBytes, tools: agent.tools })
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
