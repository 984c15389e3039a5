/** The answers of humans, and their silence, as changes of the context: a call that waits for approval is opened or closed. */
import type { AgentDefinition, ToolSpec } from '../../definition.ts'
import { approvalExpired, approvalTimer, timedCall } from '../../verdict/approval/event.ts'
import { type ApprovalOutcome, expiredText, judgeApproval } from '../../verdict/approval/verdict.ts'
import { denied, flagged, warned } from '../../verdict/authorization/event.ts'
import { engineDenial, grantKey, ofSkills } from '../../verdict/authorization/judge.ts'
import { agentProblem, countsAsStart } from '../../verdict/children/verdict.ts'
import { pinnedSkills } from '../../skill/pinned.ts'
import { benchOf, type MachineEvent, type RunContext } from '../context.ts'
import { callEffect } from '../plan.ts'
import { openCall, settled, withOpen } from '../settle.ts'
import { goesOnHere } from './here.ts'
import { quiet, type Step, type Taken } from './step.ts'

type Answered = Extract<MachineEvent, { type: 'approval.answered' }>
type Judged<E extends ApprovalOutcome['effect']> = Extract<ApprovalOutcome, { readonly effect: E }>
type About = NonNullable<ReturnType<typeof openCall>>
interface Refused {
  readonly about: About
  readonly judged: Judged<'deny'>
}
interface Allowed {
  readonly about: About
  readonly judged: Judged<'run'>
  readonly spec: ToolSpec
}

/** Opens the call if the answer lets it run, closes it if not; both are remembered as far as the answer reaches. */
export const takeApproval: Step = ({ context, event }) => {
  const about = openCall(context, event.fact)
  const spec = about && event.agent.tools[about.call.tool]
  if (!spec || event.type !== 'approval.answered') return quiet(context)
  const judged = judgedWithSkills(context, event, spec)
  return judged.effect === 'deny'
    ? refuse(context, event, { about, judged })
    : allow(context, event, { about, judged, spec })
}

/** A skill may have been loaded while the call waited. */
function judgedWithSkills(context: RunContext, event: Answered, spec: ToolSpec): ApprovalOutcome {
  const { payload } = event.fact
  const judged = judgeApproval(benchOf(event, payload.caller), payload)
  const answer = judged.effect === 'run' ? ofSkills(event.agent, context, spec.name) : null
  return answer ? { effect: 'deny', answer } : judged
}

function refuse(context: RunContext, event: Answered, { about, judged }: Refused): Taken {
  const { callId, tool, argsHash, decision } = event.fact.payload
  const key = grantKey(event.agent, about.call.tool, argsHash)
  const refused =
    decision === 'reject' ? remember(event.agent, context.refused, key) : context.refused
  return {
    context: { ...settled(context, event), refused },
    emission: {
      clearTimers: [approvalTimer(callId)],
      verdicts: [denied(callId, tool, judged.answer)],
    },
  }
}

function allow(context: RunContext, event: Answered, { about, judged, spec }: Allowed): Taken {
  const { agent, fact } = event
  const { callId, argsHash, scope, decision } = fact.payload
  const key = grantKey(agent, about.call.tool, argsHash)
  const reaches = decision === 'approve' && (scope === 'run' || scope === 'always')
  const grants = reaches ? remember(agent, context.grants, key) : context.grants
  const told = [
    ...warned({ id: callId, argsHash: judged.argsHash, name: spec.name }, judged.warnings),
    ...flagged({ id: callId, name: spec.name }, judged.flags),
  ]
  const args = judged.edited ? fact.payload.edited?.args : fact.payload.args
  const nobody = agentProblem(spec, args)
  if (nobody) {
    const answer = engineDenial(nobody.code, nobody.message)
    return refuse(context, event, { about, judged: { effect: 'deny', answer } })
  }
  const closed = { ...settled(context, event), grants }
  const goesOn = goesOnHere(closed, event, {
    callId,
    argsHash: judged.argsHash,
    spec,
    args,
  })
  if (goesOn) {
    const { becomes, emission } = goesOn
    const { index, call } = about
    return {
      context: becomes
        ? withOpen(goesOn.context, index, { ...call, effect: 0, status: becomes })
        : goesOn.context,
      emission: {
        ...emission,
        clearTimers: [approvalTimer(callId)],
        verdicts: [...told, ...(emission.verdicts ?? [])],
      },
    }
  }
  const effect = context.effects + 1
  const children = context.children + (countsAsStart(agent, context, spec) ? 1 : 0)
  const open = withOpen(context, about.index, { ...about.call, effect, status: 'running' })
  const call = { id: callId, argsHash: judged.argsHash, ...(args ? { args } : {}) }
  const approval = { approval: fact.seq, ...(judged.edited ? { edited: true as const } : {}) }
  const asked = Object.values(context.open).filter(({ status }) => status === 'asked').length - 1
  const place = { agent, context, fact, asked }
  return {
    context: { ...open, effects: effect, children, grants },
    emission: {
      clearTimers: [approvalTimer(callId)],
      effects: [callEffect(place, effect, { call, spec, approval })],
      verdicts: told,
    },
  }
}

/** How many decisions of humans a run remembers: an older one is asked again. Longer digests, a meter, a plan, questions and skills leave room for fewer. */
const rememberedMax = { 64: 6, 128: 5 } as const

const remember = (
  agent: AgentDefinition,
  known: readonly string[],
  key: string,
): readonly string[] => {
  const { approvals, context, todo, clarification } = agent
  const others = [context, todo, clarification].filter((each) => each !== undefined).length
  const skilled = pinnedSkills(agent).length > 0 ? 1 : 0
  const most = rememberedMax[approvals.rememberedBits] - others - skilled
  return [...known.filter((each) => each !== key), key].slice(-most)
}

/** Nobody answered: the call is denied. */
export const expireApproval: Step = ({ context, event }) => {
  const found = openCall(context, event.fact)
  const callId = event.type === 'timer.fired' ? timedCall(event.fact.payload.timerId) : null
  if (!found || callId === null) return quiet(context)
  const tool = event.agent.tools[found.call.tool]?.name ?? 'unknown_tool'
  const answer = engineDenial('approval_expired', expiredText)
  const verdicts = [approvalExpired(callId, tool), denied(callId, tool, answer)]
  return { context: settled(context, event), emission: { verdicts } }
}
