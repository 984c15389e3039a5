/** How the calls of a turn begin: judged, then denied, asked about, or run. A loop or a budget may end the run before. */
import type { AgentDefinition } from '../../definition.ts'
import type { Effect, Timer } from '../../effect.ts'
import type { Verdict } from '../../event/decision.ts'
import { approvalRequested, expiry } from '../../verdict/approval/event.ts'
import { judgementVerdicts } from '../../verdict/authorization/event.ts'
import {
  callsOf,
  engineDenial,
  judgeCalls,
  type CallJudgement,
} from '../../verdict/authorization/judge.ts'
import { needsIo } from '../../verdict/authorization/spec.ts'
import { exhausted } from '../../verdict/budget/event.ts'
import { callBudget } from '../../verdict/budget/verdict.ts'
import { countsAsStart } from '../../verdict/children/verdict.ts'
import { loopEvent, loopStopped } from '../../verdict/loop/event.ts'
import { judgeSet } from '../../verdict/loop/verdict.ts'
import {
  benchOf,
  callIndex,
  type MachineEvent,
  messageId,
  type OpenCall,
  type OpenStatus,
  type RunContext,
} from '../context.ts'
import { callEffect, policyCall } from '../plan.ts'
import { endedAs } from './end.ts'
import { goesOnHere } from './here.ts'
import { askable } from './questions.ts'
import { quiet, type Step, type Taken } from './step.ts'
import { oneAtATime } from './todos.ts'

type Answered = Extract<MachineEvent, { type: 'model.completed' }>

/** The calls of the turn are judged once: they are opened, or the run ends before any of them. */
export const judgeTurn: Step = ({ context, event }) => {
  if (event.type !== 'model.completed') return quiet(context)
  const { agent, fact } = event
  const asked = callsOf(fact.payload.turn)
  const loop = loopOf(context, event)
  const ends = endingOf(context, event, loop)
  if (ends) return ends
  const { judgements, rates } = judgementsOf(context, event)
  const counted = {
    ...context,
    loop: loop.state,
    rates,
    opened: context.turn,
    calls: context.calls + asked.length,
  }
  // Policies with I/O must be asked before any call of the turn may run.
  const opened = agent.guardrails.policies.some(needsIo)
    ? openForPolicies(counted, agent, judgements)
    : openNow(counted, event, judgements)
  const noted = [...loopEvent(loop.verdict), ...judgements.flatMap(judgementVerdicts)]
  const verdicts = [...noted, ...(opened.emission.verdicts ?? [])]
  return { context: opened.context, emission: { ...opened.emission, verdicts } }
}

/** The verdict of the loop check on the set that the turn asks for. */
function loopOf({ loop }: RunContext, { agent, fact }: Answered): ReturnType<typeof judgeSet> {
  const { turn, callSet } = fact.payload
  const toolNames = agent.tools.map(({ name }) => name)
  const asked = { set: callSet, tools: callsOf(turn).map(({ name }) => name) }
  return judgeSet({ config: agent.loop, toolNames }, loop, asked)
}

/** The run ends before any call of the turn, or goes on. */
function endingOf(
  context: RunContext,
  { agent, fact }: Answered,
  { verdict }: ReturnType<typeof judgeSet>,
): Taken | null {
  const message = messageId(context.run, context.turn)
  if (verdict?.action === 'stop')
    return {
      context: endedAs(context, 'loop_stopped'),
      emission: { verdicts: [loopStopped(verdict, message)] },
    }
  const used = callBudget(agent, context, callsOf(fact.payload.turn).length)
  return (
    used && {
      context: endedAs(context, 'budget_exhausted'),
      emission: { verdicts: [exhausted(used, message)] },
    }
  )
}

/** Judges the calls of a turn. One whose id is not of this turn, or is there twice, could never settle: it is denied. */
function judgementsOf(context: RunContext, event: Answered): ReturnType<typeof judgeCalls> {
  const { turn, caller, granted = [] } = event.fact.payload
  const seen = new Set<string>()
  const judged = judgeCalls(benchOf(event, caller), { context, granted }, turn)
  const judgements = judged.judgements.map((judgement): CallJudgement => {
    const { call } = judgement
    const index = callIndex(context, call.id)
    const usable = index !== null && !seen.has(index)
    if (index !== null) seen.add(index)
    if (judgement.effect === 'deny') return judgement
    if (usable) return context.rerun ? unasked(judgement) : judgement
    const answer = engineDenial('invalid_call_id', 'The id of this call is not one of its turn.')
    return { effect: 'deny', call, answer, faults: [] }
  })
  return { judgements: askable(context, oneAtATime(judgements)), rates: judged.rates }
}

/** Nothing executes in a rerun, so nobody is asked: what was recorded answers. */
function unasked(judgement: CallJudgement): CallJudgement {
  if (judgement.effect !== 'ask') return judgement
  const { answer, ...about } = judgement
  return { ...about, effect: 'allow', grant: null, skipped: answer }
}

const toolIndex = (agent: AgentDefinition, name: string): number =>
  agent.tools.findIndex((tool) => tool.name === name)

/** The calls that pass run at once, the others wait for a human. */
function openNow(
  context: RunContext,
  event: Answered,
  judgements: readonly CallJudgement[],
): Taken {
  const { agent, fact } = event
  const open: Record<string, OpenCall> = {}
  const effects: Effect[] = []
  const verdicts: Verdict[] = []
  const timers: Timer[] = []
  const waiting = judgements.filter(({ effect }) => effect === 'ask').length
  const place = { agent, context, fact, asked: waiting }
  let { effects: n, children } = context
  let here = context
  for (const judgement of judgements) {
    if (judgement.effect === 'deny') continue
    const { call, spec } = judgement
    const index = callIndex(context, call.id)
    if (index === null) continue
    const tool = toolIndex(agent, spec.name)
    if (judgement.effect === 'ask') {
      open[index] = { effect: 0, status: 'asked', tool }
      verdicts.push(approvalRequested(agent, call, { answer: judgement.answer, at: fact.at }))
      timers.push(expiry(agent, call.id))
      continue
    }
    const goesOn = goesOnHere(here, event, {
      callId: call.id,
      argsHash: call.argsHash,
      spec,
      args: call.args,
    })
    if (goesOn) {
      here = goesOn.context
      verdicts.push(...(goesOn.emission.verdicts ?? []))
      timers.push(...(goesOn.emission.timers ?? []))
      if (goesOn.becomes) open[index] = { effect: 0, status: goesOn.becomes, tool }
      continue
    }
    n += 1
    open[index] = { effect: n, status: 'running', tool }
    effects.push(callEffect(place, n, judgement))
    if (countsAsStart(agent, context, spec)) children += 1
  }
  return {
    context: { ...here, open, effects: n, children },
    emission: { effects, verdicts, timers },
  }
}

/** Nothing runs yet: the policies are asked about what no pure one has denied. */
function openForPolicies(
  context: RunContext,
  agent: AgentDefinition,
  judgements: readonly CallJudgement[],
): Taken {
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
