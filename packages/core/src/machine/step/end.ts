/** Every way in which a run ends, or begins to end: what it ends as, and what is said in the place of an answer. */
import type { Verdict } from '../../event/decision.ts'
import type { Outcome } from '../../outcome.ts'
import { exhausted } from '../../verdict/budget/event.ts'
import { retryBudget, turnBudget } from '../../verdict/budget/verdict.ts'
import { rerunStopped } from '../../verdict/recall/event.ts'
import { safetyOutcome } from '../../verdict/safety/verdict.ts'
import { messageId, type RunContext } from '../context.ts'
import { askedTimers, settled } from '../settle.ts'
import { quiet, type Step, type Taken } from './step.ts'
import { safetyOf } from './turn.ts'

/** Nothing but what runs is waited for, here or as a run of its own: nothing else has an effect in the world. */
export const endedAs = (context: RunContext, ending: Outcome): RunContext => ({
  ...context,
  open: Object.fromEntries(
    Object.entries(context.open).filter(
      ([, { status }]) => status === 'running' || status === 'child',
    ),
  ),
  policy: 0,
  ending,
})

const saying = (context: RunContext, ...verdicts: readonly Verdict[]): Taken => ({
  context,
  emission: { verdicts },
})

/** Nobody answers any more: what was asked of humans is forgotten. */
const leaving = (context: RunContext, ending: Outcome): Taken => ({
  context: endedAs(context, ending),
  emission: { clearTimers: askedTimers(context) },
})

/** Somebody wants the run to end. */
export const cancel: Step = ({ context, event }) => {
  const isRollback = event.type === 'cancel.requested' && event.fact.payload.action === 'rollback'
  return leaving(context, isRollback ? 'rolled_back' : 'cancelled')
}

/** The run was active for too long. */
export const timeOut: Step = ({ context }) => leaving(context, 'timed_out')

/** The budget of the tree refused the model call, or one of the calls. The words stand in the place of the answer that is not given. */
export const endRefused: Step = (args) => {
  const { context, event } = args
  if (event.type !== 'budget.refused') return quiet(context)
  const { callId, budget, used, limit } = event.fact.payload
  const turn = context.turn + (callId === undefined ? 0 : 1)
  const { context: refused } = takeRefusal(args)
  const left = leaving(refused, 'budget_exhausted')
  const verdicts = [exhausted({ budget, used, limit }, messageId(context.run, turn))]
  return { context: left.context, emission: { ...left.emission, verdicts } }
}

/** The refused model call, or call, is settled; the run ends already. */
export const takeRefusal: Step = ({ context, event }) => {
  if (event.type !== 'budget.refused') return quiet(context)
  return quiet(
    event.fact.payload.callId === undefined
      ? { ...context, modelOpen: false }
      : settled(context, event),
  )
}

/** The turn was the last: its answer is the run's, or the provider stopped it, or failed. */
export const endAnswered: Step = (args) => {
  const { context, event } = args
  if (event.type !== 'model.completed') return quiet(endedAs(context, 'failed'))
  const outcome = safetyOutcome(event.fact.payload.turn)
  return saying(endedAs(context, outcome ?? 'completed'), ...safetyOf(args))
}

/** The calls of the turn were all that the run is for. */
export const endSettled: Step = ({ context }) => quiet(endedAs(context, 'completed'))

/** The run has no answer to show, and says so in the place of one. */
export const endMissing: Step = ({ context, event }) => {
  if (event.type !== 'model.completed') return quiet(context)
  const text = '[The model gave no answer.]'
  const payload = { turn: context.turn, messageId: event.fact.payload.turn.message.id, text }
  const verdict = { type: 'answer.missing', payload, tool: null, verdict: 'missing' } as const
  return saying(endedAs(context, 'failed'), verdict)
}

/** The attempt that is not made would have been another of this turn. */
export const endWithoutRetry: Step = (args) => {
  const { context, event } = args
  const used = retryBudget(event.agent, context)
  const said = used ? [exhausted(used, messageId(context.run, context.turn))] : []
  return saying(endedAs(context, 'budget_exhausted'), ...safetyOf(args), ...said)
}

/** The words stand in the place of the turn that is not begun. */
export const endWithoutTurn: Step = ({ context, event }) => {
  const used = turnBudget(event.agent, context)
  const said = used ? [exhausted(used, messageId(context.run, context.turn + 1))] : []
  return saying(endedAs(context, 'budget_exhausted'), ...said)
}

/**
 * A rerun misses a recorded result. The calls beside the one that is missed are looked up as well, which does nothing in the
 * world: nobody waits for them. The words stand in the place of the answer that is not given.
 */
export const stopRerun: Step = ({ context, event }) => {
  if (event.type !== 'recall.missed') return quiet(context)
  const stopped = rerunStopped(event.fact.payload, messageId(context.run, context.turn + 1))
  return saying({ ...context, open: {}, ending: 'failed' }, stopped)
}
