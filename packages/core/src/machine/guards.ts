/** Guards of the run machine, by their names in the chart: questions about the context and the fact at hand. */
import { callsOf } from '../verdict/authorization/judge.ts'
import { retryBudget, turnBudget } from '../verdict/budget/verdict.ts'
import { asksAgain, reliefs } from '../verdict/context/relieved.ts'
import { compactionOf, isOverflow } from '../verdict/context/verdict.ts'
import { modelOf } from '../asked-model.ts'
import { againOf, isMissing } from '../verdict/retry/verdict.ts'
import { safetyOutcome } from '../verdict/safety/verdict.ts'
import { isReminded } from '../verdict/todo/verdict.ts'
import { effectId, type RunContext } from './context.ts'
import { activeAt, timeoutTimer } from './clock.ts'
import { openCall } from './settle.ts'
import type { Args } from './step/step.ts'

export const isNew = ({ context }: { readonly context: RunContext }): boolean => context.run === ''

export const isCreated = ({ context }: { readonly context: RunContext }): boolean =>
  context.run !== ''

/** A run that has its end before it begins has nothing to do: it is an edit. */
export const isEdit = ({ context }: { readonly context: RunContext }): boolean =>
  context.run !== '' && context.ending !== null

export const answersModel = ({ context, event }: Args): boolean =>
  (event.type === 'model.completed' || event.type === 'model.aborted') &&
  context.modelOpen &&
  event.fact.payload.effectId === effectId(context.run, context.source)

/** Is the same turn asked for again? */
export const repeats = ({ context, event }: Args): boolean => {
  if (event.type !== 'model.completed') return false
  const again = againOf(event.agent, context, event.fact.payload)
  return again !== null && again.kind !== 'continue' && again.kind !== 'compact'
}

/** Is a summary needed before the same turn is asked for again? */
export const compactsAgain = ({ context, event }: Args): boolean =>
  event.type === 'model.completed' &&
  againOf(event.agent, context, event.fact.payload)?.kind === 'compact'

/** The same, but a budget is used up. Runs after the answer's usage is counted. */
export const cannotRepeat = (args: Args): boolean =>
  (repeats(args) || compactsAgain(args)) && retryBudget(args.event.agent, args.context) !== null

/** Is a summary needed before the next turn begins? */
export const isFull = ({ context, event }: Args): boolean =>
  compactionOf(event.agent, modelOf(event.agent, context.model), context) !== null

/** Does the run end because its request does not fit? Agents that say nothing of their context end as on any error. */
export const endsFull = ({ context, event }: Args): boolean =>
  event.type === 'model.completed' &&
  event.agent.context !== undefined &&
  isOverflow(event.fact.payload) &&
  againOf(event.agent, context, event.fact.payload) === null

/** Is this the end of the compaction that is open? */
export const answersCompaction = ({ context, event }: Args): boolean =>
  (event.type === 'context.compacted' || event.type === 'context.unchanged') &&
  context.modelOpen &&
  event.fact.payload.effectId === effectId(context.run, context.source)

/** Does the run do nothing but have its thread summed up? */
export const isByHand = ({ context }: { readonly context: RunContext }): boolean =>
  context.run !== '' && context.relieved === reliefs.byHand

/** It is done. */
export const endsByHand = ({ context, event }: Args): boolean =>
  isByHand({ context }) && isCompacted({ context }) && event.type === 'context.compacted'

/** It is over, and nothing came of it. */
export const failsByHand = ({ context, event }: Args): boolean =>
  isByHand({ context }) && isCompacted({ context }) && event.type === 'context.unchanged'

/** Is the compaction over? */
export const isCompacted = ({ context }: { readonly context: RunContext }): boolean =>
  !context.modelOpen

/** It is over, and the turn that got no answer is to be asked again. */
export const recovers = ({ context }: Args): boolean =>
  isCompacted({ context }) && asksAgain(context.relieved)

/** It is over, and a budget does not allow the turn behind it. */
export const cannotResume = ({ context, event }: Args): boolean =>
  isCompacted({ context }) &&
  (asksAgain(context.relieved)
    ? retryBudget(event.agent, context)
    : turnBudget(event.agent, context)) !== null

const isLost = ({ context, event }: Args): boolean =>
  isCompacted({ context }) &&
  context.relieved === reliefs.recovering &&
  event.type !== 'context.compacted'

/** No summary came for a turn that overflowed, and there is another model to ask. */
export const asksOther = (args: Args): boolean =>
  isLost(args) && args.context.model < args.event.agent.fallbackModels.length

/** The same, and there is none. */
export const isExhausted = (args: Args): boolean => isLost(args) && !asksOther(args)

/** The budget of the tree did not allow the summary, without which the turn cannot be asked. */
export const neededRefused = (args: Args): boolean =>
  modelRefused(args) &&
  (args.context.relieved === reliefs.recovering || args.context.relieved === reliefs.byHand)

/** Does another turn go on where this one was cut? */
export const continues = ({ context, event }: Args): boolean =>
  event.type === 'model.completed' &&
  againOf(event.agent, context, event.fact.payload)?.kind === 'continue'

/** An answer after tool results that says nothing. */
export const missing = ({ context, event }: Args): boolean =>
  event.type === 'model.completed' && isMissing(context, event.fact.payload.turn)

export const notPositive = ({ event }: Args): boolean =>
  event.type !== 'model.completed' || safetyOutcome(event.fact.payload.turn) !== null

/** The stream broke for good, or the provider failed: the run has no answer to show. */
export const endsFailed = ({ event }: Args): boolean => {
  if (event.type !== 'model.completed') return true
  const outcome = safetyOutcome(event.fact.payload.turn)
  return outcome === 'failed' || outcome === 'interrupted'
}

export const hasNoCalls = ({ event }: Args): boolean =>
  event.type === 'model.completed' && callsOf(event.fact.payload.turn).length === 0

/** Was something said that the model was not shown? */
export const hasMore = (args: Args): boolean => hasNoCalls(args) && args.context.injected > 0

/** Would the run complete with a plan that is not done, of which the model may be told? */
export const hasOpenTodos = (args: Args): boolean =>
  hasNoCalls(args) && isReminded(args.event.agent, args.context)

/** A run that exists and asks a model: an edit has its end already, and hears nothing. */
export const hears = ({ context }: { readonly context: RunContext }): boolean =>
  isCreated({ context }) && !isEdit({ context })

/** Did judging the calls end the run? */
export const isEnding = ({ context }: { readonly context: RunContext }): boolean =>
  context.ending !== null

/** Are the calls of this turn not judged yet? */
export const isFresh = ({ context, event }: Args): boolean =>
  event.type === 'model.completed' && context.opened !== context.turn

/** Does the run end, now that the calls of its turn have settled? */
export const endsWithCalls = ({ context, event }: Args): boolean =>
  event.agent.ends === 'with_calls' && context.opened === context.turn

export const turnsExhausted = ({ context, event }: Args): boolean =>
  turnBudget(event.agent, context) !== null

/** Is this the answer to the question to the policies that is open? */
export const answersPolicies = ({ context, event }: Args): boolean =>
  event.type === 'policy.answered' &&
  context.policy > 0 &&
  event.fact.payload.effectId === effectId(context.run, context.policy)

const someIn = (context: RunContext, ...status: readonly string[]): boolean =>
  Object.values(context.open).some((call) => status.includes(call.status))

export const noneJudged = ({ context }: { readonly context: RunContext }): boolean =>
  !someIn(context, 'judging', 'gated')

export const someAsked = ({ context }: { readonly context: RunContext }): boolean =>
  noneJudged({ context }) && someIn(context, 'asked')

export const noneAsked = ({ context }: { readonly context: RunContext }): boolean =>
  Object.values(context.open).every((call) => call.status !== 'asked')

const someQuestioned = ({ context }: { readonly context: RunContext }): boolean =>
  someIn(context, 'question')

export const noneQuestioned = (args: { readonly context: RunContext }): boolean =>
  !someQuestioned(args)

/** Does the turn wait for an answer to a question, and for no approval? */
export const onlyQuestioned = (args: { readonly context: RunContext }): boolean =>
  noneJudged(args) && noneAsked(args) && someQuestioned(args)

const someOpen = ({ context }: { readonly context: RunContext }): boolean =>
  Object.keys(context.open).length > 0

export const nothingOpen = ({ context }: { readonly context: RunContext }): boolean =>
  !context.modelOpen && !someOpen({ context })

const statusOf = ({ context, event }: Args): string | null =>
  openCall(context, event.fact)?.call.status ?? null

export const answersOpenCall = (args: Args): boolean => statusOf(args) === 'running'

export const childStarted = (args: Args): boolean =>
  args.event.type === 'child.started' && statusOf(args) === 'running'

/** One that ended before its beginning was recorded settles its call all the same. */
export const childEnded = (args: Args): boolean =>
  args.event.type === 'child.ended' && ['running', 'child'].includes(statusOf(args) ?? '')

/** The budget of the tree did not allow the model call. */
export const modelRefused = ({ context, event }: Args): boolean =>
  event.type === 'budget.refused' &&
  event.fact.payload.callId === undefined &&
  context.modelOpen &&
  event.fact.payload.effectId === effectId(context.run, context.source)

/** The budget of the tree did not allow an open call. */
export const callRefused = (args: Args): boolean =>
  args.event.type === 'budget.refused' && answersOpenCall(args)

export const unknownToAsk = (args: Args): boolean =>
  answersOpenCall(args) && args.event.agent.onUnknown === 'ask'

export const unknownToTell = (args: Args): boolean =>
  answersOpenCall(args) && args.event.agent.onUnknown === 'tell'

export const resolved = (args: Args): boolean => statusOf(args) === 'unknown'

export const resolvedAsRetry = (args: Args): boolean =>
  resolved(args) &&
  args.event.type === 'tool.resolved' &&
  args.event.fact.payload.resolution === 'retry'

/** A human's answer about a call that waits for one, and about that call's tool. */
export const approvalAnswered = (args: Args): boolean => {
  const { event } = args
  if (event.type !== 'approval.answered' || statusOf(args) !== 'asked') return false
  const tool = openCall(args.context, event.fact)?.call.tool ?? -1
  return event.agent.tools[tool]?.name === event.fact.payload.tool
}

/** The time of a call that waits for a human is over. */
export const expiresApproval = (args: Args): boolean =>
  args.event.type === 'timer.fired' && statusOf(args) === 'asked'

/** A human's answer to a question that is open. */
export const answersQuestion = (args: Args): boolean =>
  args.event.type === 'input.answered' && statusOf(args) === 'question'

/** The time of a question that is open is over. */
export const expiresQuestion = (args: Args): boolean =>
  args.event.type === 'timer.fired' && statusOf(args) === 'question'

/** A timeout that fires while the run waits for a human was set before it waited, and does not count. */
export const timeoutFired = ({ context, event }: Args): boolean =>
  event.type === 'timer.fired' &&
  event.fact.payload.timerId === timeoutTimer &&
  context.since !== null

/** One that fires early was set before the run waited, or by another clock: it must be set again. */
export const isTimeout = (args: Args): boolean =>
  timeoutFired(args) &&
  activeAt(args.context, args.event.fact.at) >= args.event.agent.limits.timeoutMs
