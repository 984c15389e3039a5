/** Assigns and emissions of the run machine. Each is a function of the context and the fact at hand. */
import { assign } from 'xstate'
import type { Outcome } from '../outcome.ts'
import { approvalExpired, approvalTimer, timedCall } from '../verdict/approval/event.ts'
import { expiredText, judgeApproval } from '../verdict/approval/verdict.ts'
import { denied } from '../verdict/authorization/event.ts'
import { callsOf, denial, grantKey } from '../verdict/authorization/judge.ts'
import { exhausted, warned } from '../verdict/budget/event.ts'
import { callBudget, nearlyUsed, retryBudget, turnBudget } from '../verdict/budget/verdict.ts'
import { loopStopped } from '../verdict/loop/event.ts'
import { closeSet } from '../verdict/loop/results.ts'
import { againVerdict } from '../verdict/retry/event.ts'
import { type Again, againOf, isMissing } from '../verdict/retry/verdict.ts'
import { safetyVerdict } from '../verdict/safety/event.ts'
import { safetyOutcome } from '../verdict/safety/verdict.ts'
import { guardrailStopped } from '../verdict/stream/event.ts'
import { benchOf, loopOf, openCalls, takeAnswer } from './calls.ts'
import { effectId, type MachineEvent, messageId, type RunContext } from './context.ts'
import { activeAt, type Emission, modelCall, timeoutIn, toolCall } from './plan.ts'
import { answersPolicy, takePolicies } from './policy.ts'
import { askedTimers, openCall, settled, withOpen } from './settle.ts'

interface Args {
  readonly context: RunContext
  readonly event: MachineEvent
}

type Change = (args: Args) => RunContext
const change = <T = undefined>(f: (args: Args, params: T) => RunContext) =>
  assign<RunContext, MachineEvent, T, MachineEvent, never>((args, params) => f(args, params))

export const begin = change(({ context, event }) => ({ ...context, run: event.run }))

const nextTurn: Change = ({ context, event }) => {
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

/** How many decisions of humans a run remembers: an older one is asked again. */
const rememberedMax = 6

const remember = (known: readonly string[], key: string): readonly string[] =>
  [...known.filter((each) => each !== key), key].slice(-rememberedMax)

const approval = ({ event }: Args) =>
  event.type === 'approval.answered'
    ? judgeApproval(benchOf(event, event.fact.payload.caller), event.fact.payload)
    : null

/** Opens the call if the answer lets it run, closes it if not; both are remembered as far as the answer reaches. */
export const takeApproval = change((args) => {
  const { context, event } = args
  const found = about(args)
  const judged = approval(args)
  if (!found || !judged || event.type !== 'approval.answered') return context
  const { argsHash, scope, decision } = event.fact.payload
  const key = grantKey(found.call.tool, argsHash)
  if (judged.effect === 'deny') {
    const refused = decision === 'reject' ? remember(context.refused, key) : context.refused
    return { ...settled(context, event), refused }
  }
  const reaches = decision === 'approve' && (scope === 'run' || scope === 'always')
  const grants = reaches ? remember(context.grants, key) : context.grants
  const effect = context.effects + 1
  const open = withOpen(context, found.index, { ...found.call, effect, status: 'running' })
  return { ...open, effects: effect, grants }
})

/** Runs before `takeApproval`, so the effect's number is one more than the context's. */
export const approvalEmission = (args: Args): Emission => {
  const { context, event } = args
  const found = about(args)
  const judged = approval(args)
  if (!found || !judged || event.type !== 'approval.answered') return {}
  const { callId } = event.fact.payload
  const clearTimers = [approvalTimer(callId)]
  const spec = event.agent.tools[found.call.tool]
  if (judged.effect === 'deny' || !spec) {
    const answer = judged.effect === 'deny' ? judged.answer : denial('unknown_tool', '')
    return { clearTimers, verdicts: [denied(callId, event.fact.payload.tool, answer)] }
  }
  const { argsHash } = judged
  const seq = { approval: event.fact.seq, ...(judged.edited ? { edited: true as const } : {}) }
  const cleared = { call: { id: callId, argsHash }, spec, approval: seq }
  return { clearTimers, effects: [toolCall(context, context.effects + 1, cleared)] }
}

/** Nobody answered; runs before the call is settled. */
export const expiredEmission = (args: Args): Emission => {
  const { event } = args
  const found = about(args)
  const callId = event.type === 'timer.fired' ? timedCall(event.fact.payload.timerId) : null
  if (!found || callId === null) return {}
  const tool = event.agent.tools[found.call.tool]?.name ?? 'unknown_tool'
  const answer = denial('approval_expired', expiredText)
  return { verdicts: [approvalExpired(callId, tool), denied(callId, tool, answer)] }
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

/** Only what runs is waited for: nothing else has an effect in the world. */
const runningOnly = (context: RunContext): RunContext['open'] =>
  Object.fromEntries(Object.entries(context.open).filter(([, call]) => call.status === 'running'))

export const endAs = change<{ readonly outcome: Outcome } | undefined>((args, params) => ({
  ...args.context,
  open: runningOnly(args.context),
  policy: 0,
  ending: params?.outcome ?? endingOf(args),
}))
