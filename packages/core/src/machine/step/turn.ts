/** How a turn of the model begins, is repeated, and is answered. */
import { budgetWarned } from '../../verdict/budget/event.ts'
import { costOf, nearlyUsed } from '../../verdict/budget/verdict.ts'
import { closeSet } from '../../verdict/loop/results.ts'
import { againVerdict, modelOf } from '../../verdict/retry/event.ts'
import { type NextTry, againOf } from '../../verdict/retry/verdict.ts'
import { safetyVerdict } from '../../verdict/safety/event.ts'
import { guardrailStopped, redacted } from '../../verdict/stream/event.ts'
import { wantedBy } from '../../webhook.ts'
import { activeAt } from '../clock.ts'
import type { MachineEvent, RunContext } from '../context.ts'
import { type Emission, modelCall } from '../plan.ts'
import { takenInput } from './input.ts'
import { type Args, quiet, type Step } from './step.ts'

type Answered = Extract<MachineEvent, { type: 'model.completed' }>

/** `run.created`: the run has its id and what does not change. */
export const begin: Step = ({ context, event }) => {
  const created = event.type === 'run.created' ? event.fact.payload : null
  return quiet({
    ...context,
    run: event.run,
    depth: created?.parent?.depth ?? 0,
    rerun: created?.rerun !== undefined,
    // The outcome of an edit is known before it begins: nothing of it can go wrong.
    ending: created?.edit ? 'completed' : null,
    webhooks: wantedBy(created?.webhooks ?? []),
  })
}

/** The model is asked. All results of the turn before are in: what they say about going in circles is counted. */
export const beginTurn: Step = ({ context, event }) => {
  const { agent, fact } = event
  const used = nearlyUsed(agent, context, activeAt(context, fact.at))
  const effects = context.effects + 1
  const begun: RunContext = {
    ...context,
    loop: closeSet(agent.loop, context.loop),
    turn: context.turn + 1,
    retry: 0,
    tries: 0,
    waitedMs: 0,
    corrections: 0,
    effects,
    source: effects,
    modelOpen: true,
    injected: 0,
    told: [...context.told, ...used.map(({ budget }) => budget)],
  }
  const verdicts = [...budgetWarned(used), ...takenInput(context)]
  return { context: begun, emission: { verdicts, effects: [modelCall(begun, 0)] } }
}

/** The answer is taken in: the call is settled, its usage counts. */
export const takeAnswer: Step = ({ context, event }) =>
  event.type === 'model.completed'
    ? { context: counted(context, event), emission: { verdicts: redactedOf(context, event) } }
    : quiet(context)

/** The call is settled without an answer. */
export const loseAnswer: Step = ({ context }) => quiet({ ...context, modelOpen: false })

/** An answer that came when the run was to end: it counts, and nothing of it is executed. */
export const takeLateAnswer: Step = (args) => {
  const { context, emission } = takeAnswer(args)
  const verdicts = [...(emission.verdicts ?? []), ...safetyOf({ ...args, context })]
  return { context, emission: { verdicts } }
}

/** The same turn is asked for again; the attempt is counted by what it is. */
export const askAgain: Step = (args) => {
  const { context } = args
  const again = againOfFact(args)
  const effects = context.effects + 1
  const next = {
    ...context,
    retry: context.retry + 1,
    waitedMs: 0,
    effects,
    source: effects,
    modelOpen: true,
    ...(again && countersOf(context, again)),
  }
  const calls = { effects: [modelCall(next, next.waitedMs)] }
  return { context: next, emission: { ...notKept(args, again), ...calls } }
}

function countersOf(context: RunContext, again: NextTry): Partial<RunContext> {
  switch (again.kind) {
    case 'retry':
      return { tries: context.tries + 1, waitedMs: again.delayMs }
    case 'fallback':
      return { tries: 0, model: again.model }
    case 'correct':
      return { tries: 0, corrections: context.corrections + 1 }
    case 'empty':
      return { empties: context.empties + 1 }
    case 'continue':
      return {}
  }
}

/** Another turn goes on where this one was cut. */
export const goOn: Step = (args) => ({
  context: { ...args.context, continued: args.context.continued + 1 },
  emission: notKept(args, againOfFact(args)),
})

const againOfFact = ({ context, event }: Args): NextTry | null =>
  event.type === 'model.completed' ? againOf(event.agent, context, event.fact.payload) : null

/** The record of an answer that is not kept. */
function notKept({ context, event }: Args, again: NextTry | null): Emission {
  if (!again || event.type !== 'model.completed') return {}
  const { agent } = event
  const { turn } = event.fact.payload
  const isCut = turn.suppressed.length > 0 || again.kind === 'continue'
  const cut = isCut ? safetyVerdict(agent, turn, context.turn) : []
  return { verdicts: [...cut, againVerdict(agent, context, { again, turn })] }
}

function counted(context: RunContext, { agent, fact }: Answered): RunContext {
  const { usage } = fact.payload.turn
  const { inputTokens = 0, outputTokens = 0 } = usage
  return {
    ...context,
    modelOpen: false,
    tokens: context.tokens + inputTokens + outputTokens,
    cost: context.cost + costOf(modelOf(agent, context.model), usage),
  }
}

/** The record of everything that was taken out of the answer. */
const redactedOf = (context: RunContext, { fact }: Answered) =>
  redacted(context, fact.payload.turn.redactions)

/** The verdicts of the safety check on the answer at hand. */
export const safetyOf = ({ context, event }: Args) => {
  if (event.type !== 'model.completed') return []
  const { turn } = event.fact.payload
  return [...safetyVerdict(event.agent, turn, context.turn), ...guardrailStopped(context, turn)]
}
