/** Answers of a world that is driven by numbers: the same numbers give the same answer. */
import {
  type AssistantPart,
  callIdPrefix,
  type Effect,
  type JsonObject,
  type ModelCallEffect,
  type ModelError,
  type ModelTurn,
  type Outcome,
  type PolicyEffect,
  questionToolName,
  type RunStartEffect,
  type StreamVerdict,
  type ToolCallEffect,
  type ToolCallPart,
  todoToolName,
  type ToolOutput,
} from '../../src/index.ts'
import { callSetOf, digest, type FactBody } from './facts.ts'
import { policyAnswer } from './permissions.ts'

const names = ['search', 'write', 'pay', 'rm', 'fly', 'no name!', '']

/** A question in words, one with options, and one that is none. */
const questions: readonly JsonObject[] = [
  { question: 'Which?' },
  { question: 'Which?', options: ['this', 'that'] },
  { arg: '0' },
]

/** A plan with open items, one that is done, an empty one, and one that is none. */
const plans: readonly JsonObject[] = [
  {
    todos: [
      { text: 'a', status: 'in_progress' },
      { text: 'b', status: 'pending' },
    ],
  },
  { todos: [{ text: 'a', status: 'completed' }] },
  { todos: [] },
  { arg: '0' },
]

/** What a model may ask for. */
export interface Wanted {
  readonly run: string
  /** May it ask questions? */
  readonly isCurious: boolean
  /** May it write plans? */
  readonly isPlanning: boolean
}

type Asked = Pick<ToolCallPart, 'name' | 'args'>

function askedBy({ isCurious, isPlanning }: Wanted, n: number): Asked {
  const nth = (those: readonly JsonObject[]): JsonObject => those[(n >> 2) % those.length] ?? {}
  if (isCurious && n % 4 === 3) return { name: questionToolName, args: nth(questions) }
  if (isPlanning && n % 8 === 2) return { name: todoToolName, args: nth(plans) }
  return { name: names[n % names.length] ?? '', args: { arg: String(n % 2) } }
}

function callPart(id: string, n: number, wanted: Wanted): ToolCallPart {
  const asked = askedBy(wanted, n)
  const argsHash = digest(JSON.stringify(asked.args))
  const part = { type: 'tool_call' as const, id, ...asked, argsHash }
  return n % 11 === 10 ? { ...part, invalid: { code: 'arguments_invalid', message: 'x' } } : part
}

/** Ids as a good adapter makes them, and now and then as a provider does: repeated, foreign, empty. */
function idOf(prefix: string, at: number, odd: number): string {
  if (odd % 13 === 1) return `${prefix}_0`
  if (odd % 13 === 2) return at === 0 ? 'call_0' : ''
  return `${prefix}_${at}`
}

function callParts(effect: ModelCallEffect, wanted: Wanted, n: number): readonly ToolCallPart[] {
  const prefix = callIdPrefix(wanted.run, effect.turn)
  const many = n % 41 === 40 ? 65 : 1 + (n % 3)
  return Array.from({ length: many }, (_, at) =>
    callPart(idOf(prefix, at, n >> 2), n + at * 3, wanted),
  )
}

const fillers: readonly (readonly AssistantPart[])[] = [
  [],
  [{ type: 'text', text: ' ' }],
  [{ type: 'text', text: 'words' }],
  [{ type: 'reasoning', text: 'hm' }],
  [{ type: 'reasoning', text: '' }],
  [{ type: 'provider_tool', id: 'p1', name: 'web_search', call: {} }],
]

const cuts: readonly StreamVerdict[] = [
  'length',
  'safety',
  'refusal',
  'interrupted',
  'error',
  'unknown_terminal',
  'guardrail',
]

const errors: readonly ModelError['class'][] = [
  'overloaded',
  'quota',
  'network',
  'safety',
  'circuit_open',
  'invalid_request',
]

/** What a verdict brings along. */
function causeOf(verdict: StreamVerdict, n: number): Partial<ModelTurn> {
  if (verdict === 'error') {
    const at = (n >> 3) % errors.length
    const error = { class: errors[at] ?? 'unknown', retryable: at % 2 === 0, message: 'busy' }
    return { error: n % 5 ? error : { ...error, retryAfterMs: n } }
  }
  if (verdict !== 'guardrail') return {}
  const guardrail = { id: 'g', name: 'Names' }
  const outcome = (n >> 3) % 4 ? 'fail' : 'stop'
  const feedback = n % 3 ? 'I must not say that.' : ''
  return { trip: { guardrail, outcome, feedback, partType: 'text', offset: n } }
}

export function modelAnswer(effect: ModelCallEffect, wanted: Wanted, n: number): FactBody {
  const about = { effectId: effect.id, attempt: 1 }
  const kind = n % 16
  if (kind === 15) return { type: 'model.aborted', payload: about }
  const calls = kind > 0 ? callParts(effect, wanted, n) : []
  const verdict = kind >= 12 ? (cuts[n % cuts.length] ?? 'error') : 'complete'
  // A cut turn should have no calls left in it. Now and then an adapter forgets.
  const left = verdict === 'complete' || n % 7 === 0 ? calls : []
  const filler = verdict !== 'complete' && n % 2 ? 2 : (n >> 3) % fillers.length
  const parts = [...(fillers[filler] ?? []), ...left]
  const turn: ModelTurn = {
    verdict,
    message: { id: effect.messageId, role: 'assistant', parts },
    suppressed:
      verdict === 'complete'
        ? []
        : calls.map(({ name }) => ({ name, argsBytes: 1, argsHmac: 'a' })),
    evidence: verdict === 'safety' ? [{ detector: 'd', field: 'f', value: 'v' }] : [],
    finish: null,
    usage: n % 5 === 0 ? {} : { inputTokens: n % 40, outputTokens: 3 },
    ...causeOf(verdict, n),
    provider: 'scripted',
    model: 'm',
  }
  const callSet = callSetOf(left.map((call) => `${call.name}:${call.argsHash}`))
  const extra = {
    ...(n % 2 ? { chance: (n % 11) / 10 } : {}),
    ...(n % 4 === 3 ? { granted: left.slice(0, 1).map((call) => call.id) } : {}),
    ...(n % 4 === 1 ? { caller: { user: { id: 'u', role: null }, isSubagent: true } } : {}),
  }
  return { type: 'model.completed', payload: { ...about, turn, callSet, durationMs: 1, ...extra } }
}

const outputs: readonly ToolOutput[] = [
  { content: [{ type: 'text', text: 'fine' }], isError: false },
  { content: [], isError: false },
  { content: [{ type: 'text', text: '\n ' }], isError: false },
  {
    content: [
      { type: 'text', text: '' },
      { type: 'text', text: 'half' },
    ],
    isError: true,
  },
]

export function toolAnswer(effect: ToolCallEffect | RunStartEffect, n: number): FactBody {
  const about = { effectId: effect.id, attempt: 1, callId: effect.callId }
  switch (n % 8) {
    case 0:
      return {
        type: 'tool.failed',
        payload: { ...about, error: { code: 'e', message: 'x'.repeat(n % 600) }, durationMs: 1 },
      }
    case 1:
      return { type: 'tool.aborted', payload: { ...about, reason: 'never_started' } }
    case 2:
      return { type: 'tool.unknown', payload: { ...about, reason: 'worker_lost' } }
    case 3:
      return {
        type: 'tool.denied',
        payload: {
          ...about,
          tool: effect.tool,
          answer: policyAnswer('deny'),
          configuration: n % 2 ? 'current' : 'pinned',
        },
      }
    default: {
      const output = outputs[n % outputs.length] ?? { content: [], isError: false }
      const resultHash = n % 3 ? { resultHash: digest(String(n % 2)) } : {}
      return { type: 'tool.completed', payload: { ...about, output, durationMs: 1, ...resultHash } }
    }
  }
}

/** What a person says to a question: words, or that they give no answer. */
export function inputAnswer(callId: string, n: number): FactBody {
  const words = n % 3 ? 'The user answered: this' : 'The user did not want to answer.'
  const answer = n % 3 ? { text: 'this' } : { declined: true as const }
  const output: ToolOutput = { content: [{ type: 'text', text: words }], isError: false }
  return {
    type: 'input.answered',
    payload: { callId, output, answer, by: { id: 'ann', role: null } },
  }
}

/** A budget that a run shares was used up by others. */
export function refusal(effect: Effect, n: number): FactBody | null {
  if (!('shared' in effect) || !effect.shared || n % 6 !== 5) return null
  const callId = 'callId' in effect ? { callId: effect.callId } : {}
  const budget = (['turns', 'tokens', 'calls', 'money'] as const)[n % 4] ?? 'calls'
  const payload = { effectId: effect.id, attempt: 1, ...callId, budget, used: n, limit: n }
  return { type: 'budget.refused', payload }
}

const ends: readonly Outcome[] = ['completed', 'completed', 'failed', 'cancelled', 'timed_out']

/** What becomes of a run that is to be started, or, once it exists, of that run. */
export function childAnswer(effect: RunStartEffect, exists: boolean, n: number): FactBody {
  const about = { effectId: effect.id, attempt: 1, callId: effect.callId }
  const childRunId = `child of ${effect.id}`
  if (!exists && n % 8 > 3) return { type: 'child.started', payload: { ...about, childRunId } }
  // One of them ends before its beginning is recorded.
  if (!exists && n % 8 > 0) return toolAnswer(effect, [0, 1, 3][n % 3] ?? 0)
  const { effectId, callId } = about
  const outcome = ends[n % ends.length] ?? 'failed'
  const output = outputs[n % outputs.length] ?? { content: [], isError: false }
  const resultHash = digest(String(n % 2))
  const spent = { turns: n % 3, calls: n % 4, tokens: n % 50, cost: n % 90, activeMs: n * 2 }
  const payload = { effectId, callId, childRunId, outcome, output, resultHash, spent, verdicts: [] }
  return { type: 'child.ended', payload }
}

const said = ['allow', 'allow', 'require_approval', 'deny'] as const

/** The policies' answer about the calls of a turn; now and then about too few, or about another tool. */
/** The arguments of a call that settles in the decision: whatever lets it run says them. */
export const saidHere = ({ name, args }: ToolCallPart): { readonly args?: JsonObject } =>
  name === questionToolName || name === todoToolName ? { args } : {}

export function policiesAnswer(
  effect: PolicyEffect,
  calls: readonly ToolCallPart[],
  n: number,
): FactBody {
  const about = { effectId: effect.id, attempt: 1, durationMs: 1 }
  const decisions = effect.callIds.slice(n % 7 === 6 ? 1 : 0).map((callId, at) => {
    const call = calls.find(({ id }) => id === callId)
    return {
      callId,
      tool: n % 13 === 12 ? 'fly' : (call?.name ?? ''),
      argsHash: call?.argsHash ?? '',
      answer: policyAnswer(said[((n >> 1) + at) % said.length] ?? 'deny'),
      faults: n % 5 === 4 ? [{ policyId: 'opa', message: 'no answer' }] : [],
      ...(call ? saidHere(call) : {}),
    }
  })
  return { type: 'policy.answered', payload: { ...about, decisions } }
}
