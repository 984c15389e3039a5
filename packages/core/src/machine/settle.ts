/** How the calls of a turn settle: which open call a fact is about, and what its result means to the loop check. */
import type { Fact } from '../event/fact.ts'
import { approvalTimer, timedCall } from '../verdict/approval/event.ts'
import { takeResult } from '../verdict/loop/results.ts'
import {
  callIdPrefix,
  callIndex,
  effectId,
  type MachineEvent,
  type OpenCall,
  type RunContext,
} from './context.ts'

/** The call and the effect a fact names, if it names a call. */
function namesOf(fact: Fact): { readonly callId: string; readonly effectId: string | null } | null {
  switch (fact.type) {
    case 'tool.completed':
    case 'tool.failed':
    case 'tool.denied':
    case 'tool.aborted':
    case 'tool.unknown':
    case 'tool.resolved':
    case 'recall.missed':
    case 'child.started':
    case 'child.ended':
      return fact.payload
    case 'budget.refused': {
      const { callId, effectId: id } = fact.payload
      return callId === undefined ? null : { callId, effectId: id }
    }
    case 'approval.answered':
    case 'input.answered':
      return { callId: fact.payload.callId, effectId: null }
    case 'timer.fired': {
      const callId = timedCall(fact.payload.timerId)
      return callId === null ? null : { callId, effectId: null }
    }
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

/** The context with the open call changed, or closed. */
export function withOpen(context: RunContext, index: string, call: OpenCall | null): RunContext {
  const { [index]: _settled, ...rest } = context.open
  return { ...context, open: call ? { ...rest, [index]: call } : rest }
}

/** The timers of the calls that wait for a human. */
export const askedTimers = (context: RunContext): readonly string[] =>
  Object.entries(context.open).flatMap(([index, call]) =>
    call.status === 'asked'
      ? [approvalTimer(`${callIdPrefix(context.run, context.turn)}_${index}`)]
      : [],
  )

/** Closes the call a fact is about, and shows its result to the loop check. */
export function settled(context: RunContext, { fact, agent }: MachineEvent): RunContext {
  const found = openCall(context, fact)
  if (!found) return context
  const answered = fact.type === 'tool.completed' || fact.type === 'child.ended'
  const digest = answered ? (fact.payload.resultHash ?? '') : ''
  const reads = agent.tools[found.call.tool]?.effect === 'read'
  const loop = takeResult(context.loop, { digest, reads })
  return { ...withOpen(context, found.index, null), loop }
}
