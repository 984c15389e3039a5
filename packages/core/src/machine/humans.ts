/** What the answers of humans change, and their silence: a call that waits for approval is opened or closed. */
import type { AgentDefinition } from '../definition.ts'
import { approvalExpired, approvalTimer, timedCall } from '../verdict/approval/event.ts'
import { expiredText, judgeApproval } from '../verdict/approval/verdict.ts'
import { denied, warned } from '../verdict/authorization/event.ts'
import { denial, grantKey } from '../verdict/authorization/judge.ts'
import { benchOf } from './calls.ts'
import { type Args, change } from './change.ts'
import { callEffect, type Emission } from './plan.ts'
import { openCall, settled, withOpen } from './settle.ts'

/** How many decisions of humans a run remembers: an older one is asked again. Longer digests leave room for fewer. */
const rememberedMax = { 64: 6, 128: 5 } as const

const remember = (
  { approvals }: AgentDefinition,
  known: readonly string[],
  key: string,
): readonly string[] =>
  [...known.filter((each) => each !== key), key].slice(-rememberedMax[approvals.rememberedBits])

const approval = ({ event }: Args) =>
  event.type === 'approval.answered'
    ? judgeApproval(benchOf(event, event.fact.payload.caller), event.fact.payload)
    : null

/** Opens the call if the answer lets it run, closes it if not; both are remembered as far as the answer reaches. */
export const takeApproval = change((args) => {
  const { context, event } = args
  const found = openCall(args.context, args.event.fact)
  const judged = approval(args)
  if (!found || !judged || event.type !== 'approval.answered') return context
  const { argsHash, scope, decision } = event.fact.payload
  const key = grantKey(event.agent, found.call.tool, argsHash)
  if (judged.effect === 'deny') {
    const refused =
      decision === 'reject' ? remember(event.agent, context.refused, key) : context.refused
    return { ...settled(context, event), refused }
  }
  const reaches = decision === 'approve' && (scope === 'run' || scope === 'always')
  const grants = reaches ? remember(event.agent, context.grants, key) : context.grants
  const effect = context.effects + 1
  const starts = event.agent.tools[found.call.tool]?.runs === undefined ? 0 : 1
  const open = withOpen(context, found.index, { ...found.call, effect, status: 'running' })
  return { ...open, effects: effect, children: context.children + starts, grants }
})

/** Runs before `takeApproval`, so the effect's number is one more than the context's. */
export const approvalEmission = (args: Args): Emission => {
  const { context, event } = args
  const found = openCall(args.context, args.event.fact)
  const judged = approval(args)
  if (!found || !judged || event.type !== 'approval.answered') return {}
  const { callId } = event.fact.payload
  const clearTimers = [approvalTimer(callId)]
  const spec = event.agent.tools[found.call.tool]
  if (judged.effect === 'deny' || !spec) {
    const answer = judged.effect === 'deny' ? judged.answer : denial('unknown_tool', '')
    return { clearTimers, verdicts: [denied(callId, event.fact.payload.tool, answer)] }
  }
  const { argsHash, warnings } = judged
  const verdicts = warned({ id: callId, name: spec.name, argsHash }, warnings)
  const seq = { approval: event.fact.seq, ...(judged.edited ? { edited: true as const } : {}) }
  const cleared = { call: { id: callId, argsHash }, spec, approval: seq }
  const others = Object.values(context.open).filter(({ status }) => status === 'asked').length - 1
  const place = { agent: event.agent, context, at: event.fact.at, asked: others }
  return { clearTimers, effects: [callEffect(place, context.effects + 1, cleared)], verdicts }
}

/** Nobody answered; runs before the call is settled. */
export const expiredEmission = (args: Args): Emission => {
  const { event } = args
  const found = openCall(args.context, args.event.fact)
  const callId = event.type === 'timer.fired' ? timedCall(event.fact.payload.timerId) : null
  if (!found || callId === null) return {}
  const tool = event.agent.tools[found.call.tool]?.name ?? 'unknown_tool'
  const answer = denial('approval_expired', expiredText)
  return { verdicts: [approvalExpired(callId, tool), denied(callId, tool, answer)] }
}
