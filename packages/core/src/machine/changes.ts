/** Assigns and emissions of the run machine. Each is a function of the context and the fact at hand. */
import type { Outcome } from '../outcome.ts'
import { callsOf } from '../verdict/authorization/judge.ts'
import { exhausted, warned } from '../verdict/budget/event.ts'
import { callBudget, nearlyUsed, retryBudget, turnBudget } from '../verdict/budget/verdict.ts'
import { loopStopped } from '../verdict/loop/event.ts'
import { closeSet } from '../verdict/loop/results.ts'
import { againVerdict } from '../verdict/retry/event.ts'
import { type Again, againOf, isMissing } from '../verdict/retry/verdict.ts'
import { safetyVerdict } from '../verdict/safety/event.ts'
import { safetyOutcome } from '../verdict/safety/verdict.ts'
import { guardrailStopped, redacted } from '../verdict/stream/event.ts'
import { wantedBy } from '../webhook.ts'
import { loopOf, openCalls, takeAnswer } from './calls.ts'
import { type Args, type Change, change } from './change.ts'
import { activeAt, timeoutIn } from './clock.ts'
import { effectId, messageId, type RunContext } from './context.ts'
import { type Emission, modelCall } from './plan.ts'
import { answersPolicy, takePolicies } from './policy.ts'
import { askedTimers, openCall, settled, withOpen } from './settle.ts'

export const begin = change(({ context, event }) => ({
  ...context,
  run: event.run,
  depth: event.type === 'run.created' ? (event.fact.payload.parent?.depth ?? 0) : 0,
  rerun: event.type === 'run.created' && event.fact.payload.rerun !== undefined,
  // What an edit ends as is known before it begins: nothing of it can go wrong.
  ending: event.type === 'run.created' && event.fact.payload.edit ? 'completed' : null,
  webhooks: event.type === 'run.created' ? wantedBy(event.fact.payload.webhooks ?? []) : [],
}))

export const nextTurn: Change = ({ context, event }) => {
  const told = nearlyUsed(event.agent, context, activeAt(context, event.fact.at))
  return {
    ...context,
    turn: context.turn + 1,
    retry: 0,
    tries: 0,
    waitedMs: 0,
    corrections: 0,
    effects: context.effects + 1,
    source: context.effects + 1,
    modelOpen: true,
    injected: 0,
    told: [...context.told, ...told.map(({ budget }) => budget)],
  }
}

export const beginTurn = change(nextTurn)

/** What the model is told of its budgets before the turn; runs before the turn is begun. */
export const warnEmission = ({ context, event }: Args): Emission => ({
  verdicts: warned(nearlyUsed(event.agent, context, activeAt(context, event.fact.at))),
})

const againAt = ({ context, event }: Args): Again | null =>
  event.type === 'model.completed' ? againOf(event.agent, context, event.fact.payload) : null

/** Counts the attempt that follows, by what it is. */
export const askAgain = change((args) => {
  const { context } = args
  const again = againAt(args)
  const next = {
    ...context,
    retry: context.retry + 1,
    waitedMs: 0,
    effects: context.effects + 1,
    source: context.effects + 1,
    modelOpen: true,
  }
  switch (again?.kind) {
    case 'retry':
      return { ...next, tries: context.tries + 1, waitedMs: again.delayMs }
    case 'fallback':
      return { ...next, tries: 0, model: again.model }
    case 'correct':
      return { ...next, tries: 0, corrections: context.corrections + 1 }
    case 'empty':
      return { ...next, empties: context.empties + 1 }
    default:
      return next
  }
})

export const goOn = change(({ context }) => ({ ...context, continued: context.continued + 1 }))

export const modelCallEmission = ({ context }: Args): Emission => ({
  effects: [modelCall(context, 0)],
})

/** What is recorded of an answer that is not kept; runs before the attempt that follows is counted. */
export const againEmission = (args: Args): Emission => {
  const again = againAt(args)
  if (!again || args.event.type !== 'model.completed') return {}
  const { agent } = args.event
  const { turn } = args.event.fact.payload
  const isCut = turn.suppressed.length > 0 || again.kind === 'continue'
  const cut = isCut ? safetyVerdict(agent, turn, args.context.turn) : []
  return { verdicts: [...cut, againVerdict(agent, args.context, { again, turn })] }
}

/** The repeated call; runs after the attempt is counted, which says how long it waits. */
export const delayedModelCallEmission = ({ context }: Args): Emission => ({
  effects: [modelCall(context, context.waitedMs)],
})

export const takeAnswerOf = change(({ context, event }) =>
  event.type === 'model.completed' ? takeAnswer(event.agent, context, event.fact.payload) : context,
)

export const safetyEmission = ({ context, event }: Args): Emission => {
  if (event.type !== 'model.completed') return {}
  const { turn } = event.fact.payload
  const cut = safetyVerdict(event.agent, turn, context.turn)
  return { verdicts: [...cut, ...guardrailStopped(context, turn)] }
}

/** What was taken out of the answer or the result at hand. */
export const redactedEmission = ({ context, event }: Args): Emission => {
  if (event.type === 'model.completed')
    return { verdicts: redacted(context, event.fact.payload.turn.redactions) }
  if (event.type === 'tool.completed')
    return { verdicts: redacted(context, event.fact.payload.redactions) }
  return {}
}

/** The run has no answer to show, and says so in the place of one. */
export const missingEmission = ({ context, event }: Args): Emission => {
  if (event.type !== 'model.completed' || !isMissing(context, event.fact.payload.turn)) return {}
  const text = '[The model gave no answer.]'
  const payload = { turn: context.turn, messageId: event.fact.payload.turn.message.id, text }
  return { verdicts: [{ type: 'answer.missing', payload, tool: null, verdict: 'missing' }] }
}

const currentMessage = ({ context }: Args): string => messageId(context.run, context.turn)

export const loopEmission = (args: Args): Emission => {
  if (args.event.type !== 'model.completed') return {}
  const { verdict } = loopOf(args.context, args.event)
  return verdict ? { verdicts: [loopStopped(verdict, currentMessage(args))] } : {}
}

export const callBudgetEmission = (args: Args): Emission => {
  const { context, event } = args
  if (event.type !== 'model.completed') return {}
  const used = callBudget(event.agent, context, callsOf(event.fact.payload.turn).length)
  return used ? { verdicts: [exhausted(used, currentMessage(args))] } : {}
}

/** The words stand in the place of the turn that is not begun. */
export const turnBudgetEmission = ({ context, event }: Args): Emission => {
  const used = turnBudget(event.agent, context)
  return used ? { verdicts: [exhausted(used, messageId(context.run, context.turn + 1))] } : {}
}

/** The attempt that is not made would have been another of this turn. */
export const retryBudgetEmission = (args: Args): Emission => {
  const used = retryBudget(args.event.agent, args.context)
  return used ? { verdicts: [exhausted(used, currentMessage(args))] } : {}
}

export const callsEmission = ({ context, event }: Args): Emission =>
  event.type === 'model.completed' ? openCalls(context, event).emission : {}

export const openCallsOf = change(({ context, event }) =>
  event.type === 'model.completed' ? openCalls(context, event).context : context,
)

export const policiesEmission = ({ context, event }: Args): Emission =>
  event.type === 'policy.answered' && answersPolicy(context, event)
    ? takePolicies(context, event).emission
    : {}

export const takePoliciesOf = change(({ context, event }) =>
  event.type === 'policy.answered' && answersPolicy(context, event)
    ? takePolicies(context, event).context
    : context,
)

const about = ({ context, event }: Args) => openCall(context, event.fact)

export const settle = change(({ context, event }) => settled(context, event))

export const becomeUnknown = change((args) => {
  const found = about(args)
  if (!found) return args.context
  return withOpen(args.context, found.index, { ...found.call, status: 'unknown' })
})

export const runAgain = change((args) => {
  const found = about(args)
  if (!found) return args.context
  return withOpen(args.context, found.index, { ...found.call, status: 'running' })
})

/** The same effect runs once more, under the same id: the tool sees the same idempotency key (I9). */
export const retryEmission = (args: Args): Emission => {
  const found = about(args)
  return found ? { retries: [effectId(args.context.run, found.call.effect)] } : {}
}

/** All results of the set are in: what they say about going in circles. */
export const closeLoop = change(({ context, event }) => ({
  ...context,
  loop: closeSet(event.agent.loop, context.loop),
}))

export const settleModel = change((args) =>
  args.event.type === 'model.completed'
    ? takeAnswer(args.event.agent, args.context, args.event.fact.payload)
    : { ...args.context, modelOpen: false },
)

/** What is left of a timeout that fired early. */
export const earlyEmission = ({ context, event }: Args): Emission => ({
  timers: [timeoutIn(event.agent, context, event.fact.at)],
})

function endingOf({ event }: Args): Outcome {
  switch (event.type) {
    case 'cancel.requested':
      return event.fact.payload.action === 'rollback' ? 'rolled_back' : 'cancelled'
    case 'timer.fired':
      return 'timed_out'
    case 'model.completed':
      return safetyOutcome(event.fact.payload.turn) ?? 'completed'
    default:
      return 'failed'
  }
}

/** Nobody answers any more; runs before the requests are forgotten. */
export const forgetAskedEmission = ({ context }: Pick<Args, 'context'>): Emission => ({
  clearTimers: askedTimers(context),
})

/** Only what runs is waited for, here or as a run of its own: nothing else has an effect in the world. */
const runningOnly = (context: RunContext): RunContext['open'] =>
  Object.fromEntries(
    Object.entries(context.open).filter(
      ([, { status }]) => status === 'running' || status === 'child',
    ),
  )

export const endAs = change<{ readonly outcome: Outcome } | undefined>((args, params) => ({
  ...args.context,
  open: runningOnly(args.context),
  policy: 0,
  ending: params?.outcome ?? endingOf(args),
}))
