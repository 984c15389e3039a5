/** How the calls of a turn begin, as changes of the context: judged, then denied, asked about, or run. */
import type { AgentDefinition } from '../definition.ts'
import type { Effect, Timer } from '../effect.ts'
import type { Verdict } from '../event/decision.ts'
import type { FactPayload } from '../event/fact.ts'
import { approvalRequested, expiry } from '../verdict/approval/event.ts'
import { judgementVerdicts } from '../verdict/authorization/event.ts'
import {
  type Bench,
  callsOf,
  denial,
  judgeCalls,
  type Judgement,
} from '../verdict/authorization/judge.ts'
import { needsIo } from '../verdict/authorization/spec.ts'
import { costOf } from '../verdict/budget/verdict.ts'
import { loopEvent } from '../verdict/loop/event.ts'
import { judgeSet } from '../verdict/loop/verdict.ts'
import { modelOf } from '../verdict/retry/event.ts'
import {
  callIndex,
  type MachineEvent,
  type OpenCall,
  type OpenStatus,
  type RunContext,
} from './context.ts'
import { callEffect, type Emission, policyCall, startsRun } from './plan.ts'

type Answer = FactPayload<'model.completed'>
type ModelAnswered = Extract<MachineEvent, { type: 'model.completed' }>

/** Takes in an answer: the model call is settled, its usage counts. */
export function takeAnswer(
  agent: AgentDefinition,
  context: RunContext,
  { turn }: Answer,
): RunContext {
  const { inputTokens = 0, outputTokens = 0 } = turn.usage
  return {
    ...context,
    modelOpen: false,
    tokens: context.tokens + inputTokens + outputTokens,
    cost: context.cost + costOf(modelOf(agent, context.model), turn.usage),
  }
}

/** What judging takes, from the event that brings the calls. */
export const benchOf = (
  { agent, run, evaluatorOf, fact }: MachineEvent,
  caller: Answer['caller'],
): Bench => ({ agent, run, evaluatorOf, caller, at: fact.at })

/**
 * Guards and actions of one transition ask the same of the same context and event: they share the answer. Keyed by identity,
 * so that nothing else can ever be told it.
 */
function askedOnce<R>(
  ask: (context: RunContext, event: ModelAnswered) => R,
): (context: RunContext, event: ModelAnswered) => R {
  const answers = new WeakMap<ModelAnswered, { readonly context: RunContext; readonly answer: R }>()
  return (context, event) => {
    const known = answers.get(event)
    if (known?.context === context) return known.answer
    const answer = ask(context, event)
    answers.set(event, { context, answer })
    return answer
  }
}

/** Judges the calls of a turn. One whose id is not of this turn, or is there twice, could never settle: it is denied. */
export const judgeTurn = askedOnce((context, event): JudgedTurn => {
  const { turn, caller, granted = [] } = event.fact.payload
  const seen = new Set<string>()
  const judged = judgeCalls(benchOf(event, caller), { context, granted }, turn)
  const judgements = judged.judgements.map((judgement): Judgement => {
    const { call } = judgement
    const index = callIndex(context, call.id)
    const usable = index !== null && !seen.has(index)
    if (index !== null) seen.add(index)
    if (judgement.effect === 'deny') return judgement
    if (usable) return context.rerun ? unasked(judgement) : judgement
    const answer = denial('invalid_call_id', 'The id of this call is not one of its turn.')
    return { effect: 'deny', call, answer, faults: [] }
  })
  return { judgements, rates: judged.rates }
})

/** Nothing executes in a rerun, so nobody is asked: what was recorded answers. */
function unasked(judgement: Judgement): Judgement {
  if (judgement.effect !== 'ask') return judgement
  const { answer, ...about } = judgement
  return { ...about, effect: 'allow', grant: null, skipped: answer }
}

interface JudgedTurn {
  readonly judgements: readonly Judgement[]
  readonly rates: RunContext['rates']
}

/** Must policies with I/O be asked before any call of the turn may run? */
export const asksPolicies = (agent: AgentDefinition): boolean =>
  agent.guardrails.policies.some(needsIo)

/** What the loop check makes of the set the turn asks for. */
export const loopOf = askedOnce((context, { agent, fact }: ModelAnswered) => {
  const { turn, callSet } = fact.payload
  const toolNames = agent.tools.map(({ name }) => name)
  const asked = { set: callSet, tools: callsOf(turn).map((call) => call.name) }
  return judgeSet({ config: agent.loop, toolNames }, context.loop, asked)
})

interface Opened {
  readonly context: RunContext
  readonly emission: Emission
}

/** Counts the set and opens the calls that may run, or wait for a human or a policy; denied ones never open. */
export const openCalls = askedOnce((context, event): Opened => {
  const { agent, fact } = event
  const { judgements, rates } = judgeTurn(context, event)
  const loop = loopOf(context, event)
  const counted = {
    ...context,
    loop: loop.state,
    rates,
    opened: context.turn,
    calls: context.calls + callsOf(fact.payload.turn).length,
  }
  const opened = asksPolicies(agent)
    ? openForPolicies(counted, agent, judgements)
    : openNow(counted, event, judgements)
  const noted = [...loopEvent(loop.verdict), ...judgements.flatMap(judgementVerdicts)]
  const verdicts = [...noted, ...(opened.emission.verdicts ?? [])]
  return { context: opened.context, emission: { ...opened.emission, verdicts } }
})

const toolIndex = (agent: AgentDefinition, name: string): number =>
  agent.tools.findIndex((tool) => tool.name === name)

/** The calls that pass run at once, the others wait for a human. */
function openNow(
  context: RunContext,
  { agent, fact }: ModelAnswered,
  judgements: readonly Judgement[],
): Opened {
  const open: Record<string, OpenCall> = {}
  const effects: Effect[] = []
  const verdicts: Verdict[] = []
  const timers: Timer[] = []
  const waiting = judgements.filter(({ effect }) => effect === 'ask').length
  const place = { agent, context, at: fact.at, asked: waiting }
  let { effects: n, children } = context
  for (const judgement of judgements) {
    if (judgement.effect === 'deny') continue
    const { call, spec } = judgement
    const index = callIndex(context, call.id)
    if (index === null) continue
    const tool = toolIndex(agent, spec.name)
    if (judgement.effect === 'ask') {
      open[index] = { effect: 0, status: 'asked', tool }
      const asked = { id: call.id, tool: call.name, argsHash: call.argsHash }
      verdicts.push(approvalRequested(agent, asked, { answer: judgement.answer, at: fact.at }))
      timers.push(expiry(agent, call.id))
      continue
    }
    n += 1
    open[index] = { effect: n, status: 'running', tool }
    effects.push(callEffect(place, n, judgement))
    if (startsRun(context, spec)) children += 1
  }
  return {
    context: { ...context, open, effects: n, children },
    emission: { effects, verdicts, timers },
  }
}

/** Nothing runs yet: the policies are asked about what no pure one has denied. */
function openForPolicies(
  context: RunContext,
  agent: AgentDefinition,
  judgements: readonly Judgement[],
): Opened {
  const open: Record<string, OpenCall> = {}
  const callIds: string[] = []
  for (const judgement of judgements) {
    if (judgement.effect === 'deny') continue
    const index = callIndex(context, judgement.call.id)
    if (index === null) continue
    const status: OpenStatus = judgement.effect === 'ask' ? 'gated' : 'judging'
    open[index] = { effect: 0, status, tool: toolIndex(agent, judgement.spec.name) }
    callIds.push(judgement.call.id)
  }
  if (callIds.length === 0) return { context: { ...context, open }, emission: {} }
  const effects = context.effects + 1
  const asking = { ...context, open, effects, policy: effects }
  return { context: asking, emission: { effects: [policyCall(asking, callIds)] } }
}
