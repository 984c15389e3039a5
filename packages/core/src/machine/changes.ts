/** Assigns and emissions of the run machine. Each is a function of the context and the fact at hand. */
import { assign } from 'xstate'
import type { Outcome } from '../outcome.ts'
import { budgetVerdict, callBudget, turnBudget } from '../verdict/budget.ts'
import { callsOf, denied } from '../verdict/guardrail.ts'
import { loopVerdicts } from '../verdict/loop.ts'
import { retryOf, retryVerdict } from '../verdict/retry.ts'
import { safetyOutcome, safetyVerdict } from '../verdict/safety.ts'
import { openCall, openCalls, takeAnswer, withOpen } from './calls.ts'
import { effectId, type MachineEvent, type RunContext } from './context.ts'
import { type Emission, modelCall, timeoutIn, toolCall } from './plan.ts'

interface Args {
  readonly context: RunContext
  readonly event: MachineEvent
}

type Change = (args: Args) => RunContext
const change = <T = undefined>(f: (args: Args, params: T) => RunContext) =>
  assign<RunContext, MachineEvent, T, MachineEvent, never>((args, params) => f(args, params))

export const begin = change(({ context, event }) => ({ ...context, run: event.run }))

const nextTurn: Change = ({ context }) => ({
  ...context,
  turn: context.turn + 1,
  retry: 0,
  effects: context.effects + 1,
  source: context.effects + 1,
  modelOpen: true,
})

export const beginTurn = change(nextTurn)

export const retryTurn = change(({ context }) => ({
  ...context,
  retry: context.retry + 1,
  effects: context.effects + 1,
  source: context.effects + 1,
  modelOpen: true,
}))

export const modelCallEmission = ({ context }: Args): Emission => ({
  effects: [modelCall(context, 0)],
})

const retry = ({ event }: Args, retries: number) =>
  event.type === 'model.completed' ? retryOf(event.agent, event.fact.payload.turn, retries) : null

/** What is recorded of an answer that is not kept; runs before the retry is counted. */
export const retriedEmission = (args: Args): Emission => {
  const again = retry(args, args.context.retry)
  if (!again || args.event.type !== 'model.completed') return {}
  const { turn } = args.event.fact.payload
  const cut = turn.suppressed.length > 0 ? safetyVerdict(turn, args.context.turn) : []
  return { verdicts: [...cut, retryVerdict(again, args.context.turn, args.context.retry + 1)] }
}

/** The repeated call; runs after the retry is counted. */
export const delayedModelCallEmission = (args: Args): Emission => ({
  effects: [modelCall(args.context, retry(args, args.context.retry - 1)?.delayMs ?? 0)],
})

export const takeAnswerOf = change(({ context, event }) =>
  event.type === 'model.completed' ? takeAnswer(context, event.fact.payload) : context,
)

export const safetyEmission = ({ context, event }: Args): Emission =>
  event.type === 'model.completed'
    ? { verdicts: safetyVerdict(event.fact.payload.turn, context.turn) }
    : {}

export const loopEmission = ({ context, event }: Args): Emission => {
  if (event.type !== 'model.completed') return {}
  const { turn, callSet } = event.fact.payload
  const tools = callsOf(turn).map((call) => call.name)
  return { verdicts: loopVerdicts(event.agent, context, { set: callSet, tools }) }
}

export const callBudgetEmission = ({ context, event }: Args): Emission => {
  if (event.type !== 'model.completed') return {}
  const used = callBudget(event.agent, context, callsOf(event.fact.payload.turn).length)
  return used ? { verdicts: [budgetVerdict(used)] } : {}
}

export const turnBudgetEmission = ({ context, event }: Args): Emission => {
  const used = turnBudget(event.agent, context)
  return used ? { verdicts: [budgetVerdict(used)] } : {}
}

export const callsEmission = ({ context, event }: Args): Emission =>
  event.type === 'model.completed'
    ? openCalls(event.agent, context, event.fact.payload).emission
    : {}

export const openCallsOf = change(({ context, event }) =>
  event.type === 'model.completed'
    ? openCalls(event.agent, context, event.fact.payload).context
    : context,
)

const about = ({ context, event }: Args) => openCall(context, event.fact)

export const settle = change((args) => {
  const found = about(args)
  return found ? withOpen(args.context, found.index, null) : args.context
})

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

export const approve = change((args) => {
  const found = about(args)
  if (!found) return args.context
  const effect = args.context.effects + 1
  const context = { ...args.context, effects: effect }
  return withOpen(context, found.index, { effect, status: 'running' })
})

/** Runs before `approve`, so the effect's number is one more than the context's. */
export const approvedEmission = ({ context, event }: Args): Emission => {
  if (event.type !== 'approval.answered') return {}
  const { callId, tool, argsHash } = event.fact.payload
  const spec = event.agent.tools.find((each) => each.name === tool)
  if (!spec) return {}
  return {
    effects: [toolCall(context, context.effects + 1, { call: { id: callId, argsHash }, spec })],
  }
}

export const rejectedEmission = ({ event }: Args): Emission => {
  if (event.type !== 'approval.answered') return {}
  const { callId, tool, note } = event.fact.payload
  const message = note ? `A human rejected this call: ${note}` : 'A human rejected this call.'
  return { verdicts: [denied(callId, tool, { code: 'rejected', message })] }
}

export const settleModel = change((args) =>
  args.event.type === 'model.completed'
    ? takeAnswer(args.context, args.event.fact.payload)
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

/** Asked calls have no effect to wait for: they close here. */
const dropAsked = (context: RunContext): RunContext['open'] =>
  Object.fromEntries(Object.entries(context.open).filter(([, call]) => call.status === 'running'))

export const endAs = change<{ readonly outcome: Outcome } | undefined>((args, params) => ({
  ...args.context,
  open: dropAsked(args.context),
  ending: params?.outcome ?? endingOf(args),
}))
