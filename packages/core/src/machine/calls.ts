/** How the calls of a turn begin and settle, as changes of the context. */
import type { AgentDefinition } from '../definition.ts'
import { countSet, loopVerdicts } from '../verdict/loop.ts'
import { callsOf, guardrailVerdicts, judgeCalls, type Judgement } from '../verdict/guardrail.ts'
import type { Fact, FactPayload } from '../event/fact.ts'
import type { ModelTurn } from '../turn.ts'
import { callIndex, effectId, type OpenCall, type RunContext } from './context.ts'
import { type Emission, toolCall } from './plan.ts'

type Answer = FactPayload<'model.completed'>

/** Takes in an answer: the model call is settled, its usage counts. */
export function takeAnswer(context: RunContext, answer: Answer): RunContext {
  const { inputTokens = 0, outputTokens = 0 } = answer.turn.usage
  return { ...context, modelOpen: false, tokens: context.tokens + inputTokens + outputTokens }
}

/** Judges the calls of a turn. One whose id is not of this turn, or is there twice, could never settle: it is denied. */
export function judgeTurn(
  agent: AgentDefinition,
  context: RunContext,
  turn: ModelTurn,
): readonly Judgement[] {
  const seen = new Set<string>()
  return judgeCalls(agent, turn).map((judgement) => {
    const { call } = judgement
    const index = callIndex(context, call.id)
    const usable = index !== null && !seen.has(index)
    if (index !== null) seen.add(index)
    if (usable || judgement.effect === 'deny') return judgement
    const message = 'The id of this call is not one of its turn.'
    return { effect: 'deny', call, code: 'invalid_call_id', message }
  })
}

/** Counts the set and opens the calls that may run or wait for a human; denied ones never open. */
export function openCalls(
  agent: AgentDefinition,
  context: RunContext,
  answer: Answer,
): { readonly context: RunContext; readonly emission: Emission } {
  const judgements = judgeTurn(agent, context, answer.turn)
  const open: Record<string, OpenCall> = {}
  const effects = []
  let effect = context.effects
  for (const judgement of judgements) {
    if (judgement.effect === 'deny') continue
    const index = callIndex(context, judgement.call.id)
    if (index === null) continue
    if (judgement.effect === 'ask') {
      open[index] = { effect: 0, status: 'asked' }
      continue
    }
    effect += 1
    open[index] = { effect, status: 'running' }
    effects.push(toolCall(context, effect, judgement))
  }
  const tools = callsOf(answer.turn).map((call) => call.name)
  const verdicts = [
    ...loopVerdicts(agent, context, { set: answer.callSet, tools }),
    ...guardrailVerdicts(judgements),
  ]
  const counted = countSet(agent, context, answer.callSet)
  const calls = context.calls + tools.length
  return {
    context: { ...context, ...counted, calls, open, effects: effect },
    emission: { effects, verdicts },
  }
}

/** The call and the effect a fact names, if it names a call. */
function namesOf(fact: Fact): { readonly callId: string; readonly effectId: string | null } | null {
  switch (fact.type) {
    case 'tool.completed':
    case 'tool.failed':
    case 'tool.aborted':
    case 'tool.unknown':
    case 'tool.resolved':
      return fact.payload
    case 'approval.answered':
    case 'input.answered':
      return { callId: fact.payload.callId, effectId: null }
    default:
      return null
  }
}

/** The open call a fact is about; null if the fact is not about an open call of this turn. */
export function openCall(
  context: RunContext,
  fact: Fact,
): { readonly index: string; readonly call: OpenCall } | null {
  const names = namesOf(fact)
  const index = names && callIndex(context, names.callId)
  const call = index === null ? undefined : context.open[index]
  if (!names || index === null || !call) return null
  const id = effectId(context.run, call.effect)
  return names.effectId === null || names.effectId === id ? { index, call } : null
}

export function withOpen(context: RunContext, index: string, call: OpenCall | null): RunContext {
  const { [index]: _settled, ...rest } = context.open
  return { ...context, open: call ? { ...rest, [index]: call } : rest }
}
