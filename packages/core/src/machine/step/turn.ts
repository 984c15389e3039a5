/** How a turn of the model begins, is repeated, and is answered. */
import { limits } from '../../limits.ts'
import { budgetWarned } from '../../verdict/budget/event.ts'
import { costOf, nearlyUsed } from '../../verdict/budget/verdict.ts'
import { contextPruned } from '../../verdict/context/event.ts'
import { emptyRoom, noPlaces, roomAfter } from '../../verdict/context/room.ts'
import { reliefs } from '../../verdict/context/relieved.ts'
import { pruned, pruneOf } from '../../verdict/context/verdict.ts'
import { closeSet } from '../../verdict/loop/results.ts'
import { againVerdict } from '../../verdict/retry/event.ts'
import { modelOf } from '../../asked-model.ts'
import { type NextTry, againOf } from '../../verdict/retry/verdict.ts'
import { safetyVerdict } from '../../verdict/safety/event.ts'
import { guardrailStopped, redacted } from '../../verdict/stream/event.ts'
import { wantedBy } from '../../webhook.ts'
import { activeAt } from '../clock.ts'
import { learnMark } from '../learn.ts'
import { titleMark } from '../title.ts'
import type { MachineEvent, RunContext } from '../context.ts'
import { type Emission, modelCall } from '../plan.ts'
import { takenInput } from './input.ts'
import { activateSkills } from './skills.ts'
import { type Args, quiet, type Step } from './step.ts'

type Answered = Extract<MachineEvent, { type: 'model.completed' }>

/** `run.created`: the run has its id and what does not change, and loads the skills that its user named. */
export const begin: Step = ({ context, event }) => {
  const created = event.type === 'run.created' ? event.fact.payload : null
  const begun: RunContext = {
    ...context,
    run: event.run,
    depth: created?.parent?.depth ?? 0,
    rerun: created?.rerun !== undefined,
    // The outcome of an edit is known before it begins: nothing of it can go wrong.
    ending: created?.edit ? 'completed' : null,
    relieved: created?.compact ? reliefs.byHand : reliefs.none,
    title: titleMark(created?.title),
    unattended: created?.interactive === false && event.agent.clarification ? 1 : 0,
    learns: learnMark(created),
    webhooks: wantedBy(created?.webhooks ?? []),
  }
  return activateSkills(begun, event.agent, { skills: created?.skills ?? [], by: 'user' })
}

/** The model is asked. All results of the turn before are in: what they say about going in circles is counted. */
export const beginTurn: Step = ({ context, event }) => {
  const { agent, fact } = event
  const used = nearlyUsed(agent, context, activeAt(context, fact.at))
  const effects = context.effects + 1
  const pruning = pruneOf(agent, modelOf(agent, context.model), context)
  const begun: RunContext = {
    ...context,
    room: pruning && context.room ? pruned(context.room, pruning) : context.room,
    relieved: reliefs.none,
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
  const relief = pruning ? [contextPruned(begun.turn, pruning)] : []
  const verdicts = [...relief, ...budgetWarned(used), ...takenInput(context)]
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
    ...(again && countersOf(args, again)),
  }
  const calls = { effects: [modelCall(next, next.waitedMs)] }
  return { context: next, emission: { ...notKept(args, again), ...calls } }
}

function countersOf(args: Args, again: NextTry): Partial<RunContext> {
  const { context } = args
  switch (again.kind) {
    case 'retry':
      return { tries: context.tries + 1, waitedMs: again.delayMs }
    case 'fallback':
      // A window that an overflow taught is that of the model before.
      return {
        tries: 0,
        model: again.model,
        room: context.room && { ...context.room, window: 0 },
      }
    case 'correct':
      return { tries: 0, corrections: context.corrections + 1 }
    case 'empty':
      return { empties: context.empties + 1 }
    case 'continue':
      return {}
    case 'relieve': {
      const { pruning, window } = again
      const relieved = isEarly(args) ? reliefs.early : reliefs.pruned
      return { tries: 0, relieved, ...lightened(args, { tokens: pruning.tokens.after, window }) }
    }
    // Asked for by `compactAgain`.
    case 'compact':
      return {}
  }
}

/** Is it the first request of the run, which was not sent, and fits? */
export const isEarly = ({ event }: Pick<Args, 'event'>): boolean =>
  event.type === 'model.completed' && event.fact.payload.room?.early === true

/** The room of a request that weighs so much now. An agent that says nothing of its context remembers nothing of it. */
export const lightened = (
  { context, event }: Args,
  { tokens, window }: { readonly tokens: number; readonly window: number },
): Pick<RunContext, 'room'> => {
  if (!event.agent.context) return { room: context.room }
  const room = { ...(context.room ?? emptyRoom), out: 0, bytes: 0, ...noPlaces }
  const most = limits.roomCountMax
  return { room: { ...room, last: Math.min(most, tokens), window: Math.min(most, window) } }
}

/** Another turn goes on where this one was cut. */
export const goOn: Step = (args) => ({
  context: { ...args.context, continued: args.context.continued + 1 },
  emission: notKept(args, againOfFact(args)),
})

export const againOfFact = ({ context, event }: Args): NextTry | null =>
  event.type === 'model.completed' ? againOf(event.agent, context, event.fact.payload) : null

/** The record of an answer that is not kept. */
export function notKept({ context, event }: Args, again: NextTry | null): Emission {
  if (!again || event.type !== 'model.completed') return {}
  const { agent } = event
  const { turn } = event.fact.payload
  const isCut = turn.suppressed.length > 0 || again.kind === 'continue'
  const cut = isCut ? safetyVerdict(agent, turn, context.turn) : []
  const told = again.kind === 'compact' ? [] : [againVerdict(agent, context, { again, turn })]
  return { verdicts: [...cut, ...told] }
}

function counted(context: RunContext, { agent, fact }: Answered): RunContext {
  const { usage } = fact.payload.turn
  const by = { agent, model: context.model, run: context.run, seq: fact.seq }
  const { inputTokens = 0, outputTokens = 0 } = usage
  return {
    ...context,
    room: agent.context ? roomAfter(context.room ?? emptyRoom, by, fact.payload) : context.room,
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
