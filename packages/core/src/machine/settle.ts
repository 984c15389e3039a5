/** How the calls of a turn settle: which open call a fact is about, and what its result means to the loop check. */
import type { Fact } from '../event/fact.ts'
import { approvalTimer, timedCall } from '../verdict/approval/event.ts'
import { askingCall, questionTimer } from '../verdict/question/event.ts'
import { grown, resultBytes } from '../verdict/context/room.ts'
import { resultOf } from '../conversation/result.ts'
import { takeResult } from '../verdict/loop/results.ts'
import {
  callIdPrefix,
  callIndex,
  effectId,
  type MachineEvent,
  type OpenCall,
  type RunContext,
} from './context.ts'

/** The call that a fact names; the timer of an approval or a question names one by its id. */
function calledBy({ type, payload }: Fact): string | null {
  if (type === 'timer.fired') return timedCall(payload.timerId) ?? askingCall(payload.timerId)
  return 'callId' in payload ? (payload.callId ?? null) : null
}

/** The open call a fact is about; null if the fact is not about an open call of this turn. */
export function openCall(
  context: RunContext,
  fact: Fact,
): { readonly index: string; readonly call: OpenCall } | null {
  const callId = calledBy(fact)
  const index = callId === null ? null : callIndex(context, callId)
  const call = index === null ? undefined : context.open[index]
  if (index === null || !call) return null
  const named = 'effectId' in fact.payload ? fact.payload.effectId : null
  const isOther = named !== null && named !== effectId(context.run, call.effect)
  return isOther ? null : { index, call }
}

/** The context with the open call changed, or closed. */
export function withOpen(context: RunContext, index: string, call: OpenCall | null): RunContext {
  const { [index]: _settled, ...rest } = context.open
  return { ...context, open: call ? { ...rest, [index]: call } : rest }
}

/** The timers of the calls that wait for a human. */
export const askedTimers = (context: RunContext): readonly string[] =>
  Object.entries(context.open).flatMap(([index, { status }]) => {
    const callId = `${callIdPrefix(context.run, context.turn)}_${index}`
    if (status === 'asked') return [approvalTimer(callId)]
    return status === 'question' ? [questionTimer(callId)] : []
  })

/** Closes the call a fact is about, and shows its result to the loop check. */
export function settled(context: RunContext, { fact, agent }: MachineEvent): RunContext {
  const found = openCall(context, fact)
  if (!found) return context
  const answered = fact.type === 'tool.completed' || fact.type === 'child.ended'
  const digest = answered ? (fact.payload.resultHash ?? '') : ''
  const reads = agent.tools[found.call.tool]?.effect === 'read'
  const loop = takeResult(context.loop, { digest, reads })
  const room = context.room && grown(context.room, addedBy(fact))
  return { ...withOpen(context, found.index, null), loop, room }
}

/** Bytes that the result adds to the next request. */
const addedBy = (fact: Fact): number => resultBytes(resultOf(fact)?.output.content ?? [])
