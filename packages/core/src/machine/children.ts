/**
 * Runs that a run has started, as changes of its own context: a call waits for one, and what it used counts as used by the
 * run. A budget that the whole tree has used up ends each run of it that asks for more.
 */
import type { Budget } from '../verdict/budget/budget.ts'
import { exhausted } from '../verdict/budget/event.ts'
import { type Args, change } from './change.ts'
import { addActivity, timeoutIn } from './clock.ts'
import { messageId } from './context.ts'
import type { Emission } from './plan.ts'
import { openCall, settled, withOpen } from './settle.ts'

export const becomeChild = change(({ context, event }) => {
  const found = openCall(context, event.fact)
  if (!found) return context
  return withOpen(context, found.index, { ...found.call, status: 'child' })
})

/** The call is settled; what the child has used, the run has used. */
export const takeChild = change(({ context, event }) => {
  if (event.type !== 'child.ended') return context
  const { turns, calls, tokens, cost, activeMs } = event.fact.payload.spent
  return {
    ...settled(context, event),
    ...addActivity(context, { activeMs, at: event.fact.at }),
    childTurns: context.childTurns + turns,
    calls: context.calls + calls,
    tokens: context.tokens + tokens,
    cost: context.cost + cost,
  }
})

/** Activity that is added while the clock runs brings the timeout nearer; runs before the child is taken. */
export const activityEmission = ({ context, event }: Args): Emission => {
  if (event.type !== 'child.ended' || context.since === null) return {}
  const { at, payload } = event.fact
  const added = addActivity(context, { activeMs: payload.spent.activeMs, at })
  if (added.activeMs === context.activeMs) return {}
  return { timers: [timeoutIn(event.agent, { ...context, ...added }, at)] }
}

/** What was refused is settled: the model call, or one of the calls. */
export const takeRefusal = change(({ context, event }) => {
  if (event.type !== 'budget.refused') return context
  return event.fact.payload.callId === undefined
    ? { ...context, modelOpen: false }
    : settled(context, event)
})

/** The words stand in the place of the answer that is not given. */
export const refusalEmission = ({ context, event }: Args): Emission => {
  if (event.type !== 'budget.refused') return {}
  const { callId, budget, used, limit } = event.fact.payload
  const turn = context.turn + (callId === undefined ? 0 : 1)
  const spent: { budget: Budget; used: number; limit: number } = { budget, used, limit }
  return { verdicts: [exhausted(spent, messageId(context.run, turn))] }
}
