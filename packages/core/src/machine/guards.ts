/** Guards of the run machine: questions about the context and the fact at hand. */
import { callBudget, turnBudget } from '../verdict/budget.ts'
import { approvable, callsOf } from '../verdict/guardrail.ts'
import { isArmed } from '../verdict/loop.ts'
import { retryOf } from '../verdict/retry.ts'
import { safetyOutcome } from '../verdict/safety.ts'
import { judgeTurn, openCall } from './calls.ts'
import { effectId, type MachineEvent, type RunContext } from './context.ts'
import { activeAt, timeoutTimer } from './plan.ts'

interface Args {
  readonly context: RunContext
  readonly event: MachineEvent
}

export const isNew = ({ context }: { readonly context: RunContext }): boolean => context.run === ''

export const isCreated = ({ context }: { readonly context: RunContext }): boolean =>
  context.run !== ''

export const answersModel = ({ context, event }: Args): boolean =>
  (event.type === 'model.completed' || event.type === 'model.aborted') &&
  context.modelOpen &&
  event.fact.payload.effectId === effectId(context.run, context.source)

export const retries = (args: Args): boolean =>
  args.event.type === 'model.completed' &&
  answersModel(args) &&
  retryOf(args.event.agent, args.event.fact.payload.turn, args.context.retry) !== null

export const notPositive = ({ event }: Args): boolean =>
  event.type !== 'model.completed' || safetyOutcome(event.fact.payload.turn) !== null

/** The stream broke for good, or the provider failed: the run has no answer to show. */
export const endsFailed = ({ event }: Args): boolean => {
  if (event.type !== 'model.completed') return true
  const outcome = safetyOutcome(event.fact.payload.turn)
  return outcome === 'failed' || outcome === 'interrupted'
}

export const noCalls = ({ event }: Args): boolean =>
  event.type === 'model.completed' && callsOf(event.fact.payload.turn).length === 0

export const looped = ({ context, event }: Args): boolean =>
  event.type === 'model.completed' && isArmed(event.agent, context, event.fact.payload.callSet)

export const callsExhausted = ({ context, event }: Args): boolean =>
  event.type === 'model.completed' &&
  callBudget(event.agent, context, callsOf(event.fact.payload.turn).length) !== null

export const turnsExhausted = ({ context, event }: Args): boolean =>
  turnBudget(event.agent, context) !== null

/** Does a call of the turn need a human's approval? */
export const asksHuman = ({ context, event }: Args): boolean =>
  event.type === 'model.completed' &&
  judgeTurn(event.agent, context, event.fact.payload.turn).some(({ effect }) => effect === 'ask')

export const noneAsked = ({ context }: { readonly context: RunContext }): boolean =>
  Object.values(context.open).every((call) => call.status !== 'asked')

const someOpen = ({ context }: { readonly context: RunContext }): boolean =>
  Object.keys(context.open).length > 0

export const nothingOpen = ({ context }: { readonly context: RunContext }): boolean =>
  !context.modelOpen && !someOpen({ context })

const statusOf = ({ context, event }: Args): string | null =>
  openCall(context, event.fact)?.call.status ?? null

export const answersOpenCall = (args: Args): boolean => statusOf(args) === 'running'

export const unknownToAsk = (args: Args): boolean =>
  answersOpenCall(args) && args.event.agent.onUnknown === 'ask'

export const unknownToTell = (args: Args): boolean =>
  answersOpenCall(args) && args.event.agent.onUnknown === 'tell'

export const resolved = (args: Args): boolean => statusOf(args) === 'unknown'

export const resolvedAsRetry = (args: Args): boolean =>
  resolved(args) &&
  args.event.type === 'tool.resolved' &&
  args.event.fact.payload.resolution === 'retry'

/** An approval of a tool that needs none is of another call than was asked about. */
export const approved = (args: Args): boolean =>
  statusOf(args) === 'asked' &&
  args.event.type === 'approval.answered' &&
  args.event.fact.payload.decision === 'approve' &&
  approvable(args.event.agent, args.event.fact.payload.tool)

export const rejected = (args: Args): boolean =>
  statusOf(args) === 'asked' &&
  args.event.type === 'approval.answered' &&
  args.event.fact.payload.decision === 'reject'

/** A timeout that fires while the run waits for a human was set before it waited, and does not count. */
export const timeoutFired = ({ context, event }: Args): boolean =>
  event.type === 'timer.fired' &&
  event.fact.payload.timerId === timeoutTimer &&
  context.since !== null

/** One that fires early was set before the run waited, or by another clock: it must be set again. */
export const isTimeout = (args: Args): boolean =>
  timeoutFired(args) &&
  activeAt(args.context, args.event.fact.at) >= args.event.agent.limits.timeoutMs
