/**
 * Compaction: the run waits in `context` for a summary of what was said before a place, and goes on with its turn, whatever came of it.
 *
 * L1 The effect stands where a model call stands in the context: one is open at a time, and a cancel waits for it.
 * L2 A summary that failed changes nothing: the turn is asked with what there is. Only a turn that has overflowed ends the run.
 * L3 `relieved` says what the run waits for (`reliefs`).
 */
import type { Effect } from '../../effect.ts'
import { costOf } from '../../verdict/budget/verdict.ts'
import { limits } from '../../limits.ts'
import { contextExhausted } from '../../verdict/context/event.ts'
import { emptyRoom, nextTokens, noPlaces, type RoomState } from '../../verdict/context/room.ts'
import { unseenBy } from '../../verdict/retry/event.ts'
import { asksAgain, reliefs } from '../../verdict/context/relieved.ts'
import { type Compaction, compactionOf } from '../../verdict/context/verdict.ts'
import { windowOf } from '../../verdict/context/config.ts'
import { modelOf, summaryModelOf } from '../../asked-model.ts'
import { type MachineEvent, messageId, type RunContext } from '../context.ts'
import { compactCall, modelCall } from '../plan.ts'
import { endedAs, endWithoutRetry, endWithoutTurn } from './end.ts'
import { type Args, quiet, type Step, type Taken } from './step.ts'
import { againOfFact, isEarly, lightened, notKept, safetyOf } from './turn.ts'

/** The conversation before a place is summed up before the next turn begins. */
export const compact: Step = ({ context, event }) => {
  const { agent } = event
  const compaction = compactionOf(agent, modelOf(agent, context.model), context)
  return compaction ? asking(context, { compaction, turn: context.turn + 1 }) : quiet(context)
}

/** The request was not answered, for its length: what is before a place is summed up, and the same turn is asked again. */
export const compactAgain: Step = (args) => {
  const { context } = args
  const again = againOfFact(args)
  if (again?.kind !== 'compact') return quiet(context)
  const { compaction, window } = again
  const tokens = tokensAsked(args)
  const isFirst = isEarly(args)
  const light = {
    ...context,
    relieved: isFirst ? reliefs.early : reliefs.recovering,
    tries: 0,
    ...lightened(args, { tokens, window }),
  }
  const overflow = isFirst ? {} : ({ overflow: true } as const)
  const asked = asking(light, { compaction, turn: context.turn, ...overflow })
  const { verdicts = [] } = notKept(args, again)
  return { context: asked.context, emission: { ...asked.emission, verdicts } }
}

/** The tokens of the request that overflowed. */
const tokensAsked = ({ event }: Args): number =>
  event.type === 'model.completed' ? (event.fact.payload.room?.tokens ?? 0) : 0

function asking(
  context: RunContext,
  about: {
    readonly compaction: Partial<Compaction> & Pick<Compaction, 'maxTokens'>
    readonly turn: number
    readonly overflow?: true
  },
): Taken {
  const effects = context.effects + 1
  const asked = { ...context, effects, source: effects, modelOpen: true }
  const { compaction, ...more } = about
  const call: Effect = compactCall(asked, { ...compaction, ...more })
  return { context: asked, emission: { effects: [call] } }
}

/** Somebody asked for the summary by hand: the run has nothing else to do. */
export const compactByHand: Step = ({ context, event }) =>
  asking(context, { compaction: { maxTokens: event.agent.limits.maxTokens }, turn: context.turn })

/** The summary stands, which is all that was asked for. */
export const endCompacted: Step = ({ context }) => quiet(endedAs(context, 'completed'))

/** There is none; the event says why. */
export const endUncompacted: Step = ({ context }) => quiet(endedAs(context, 'failed'))

type Ended = Extract<MachineEvent, { type: 'context.compacted' | 'context.unchanged' }>

const isEnded = (event: MachineEvent): event is Ended =>
  event.type === 'context.compacted' || event.type === 'context.unchanged'

/** The summary is there, or is not: its usage counts, and what it has left of the request. */
export const takeCompaction: Step = ({ context, event }) => {
  if (!isEnded(event)) return quiet(context)
  const { usage } = event.fact.payload
  const { inputTokens = 0, outputTokens = 0 } = usage
  const tokens = inputTokens + outputTokens
  return quiet({
    ...context,
    modelOpen: false,
    tokens: context.tokens + tokens,
    cost: context.cost + costOf(summaryModelOf(event.agent, context.model), usage),
    ...(event.agent.context ? { room: roomBehind(context, event, tokens) } : {}),
  })
}

/** The room once a compaction is over. */
function roomBehind(context: RunContext, event: Ended, tokens: number): RoomState {
  const room = context.room ?? emptyRoom
  const spent = Math.min(limits.roomCountMax, room.spent + tokens)
  if (event.type === 'context.unchanged') {
    const { failuresMax } = event.agent.context?.compact ?? { failuresMax: 1 }
    const { reason } = event.fact.payload
    // A summary that a provider refused, or that costs too much, is not tried again in this run.
    const failures =
      reason === 'safety' || reason === 'cap'
        ? failuresMax
        : Math.min(failuresMax, room.failures + 1)
    return { ...room, spent, failures, cut: null }
  }
  const { after } = event.fact.payload.tokens
  const isAgain = asksAgain(context.relieved)
  return {
    ...room,
    spent,
    last: Math.max(1, Math.min(limits.roomCountMax, after)),
    out: 0,
    bytes: 0,
    compactions: room.compactions + 1,
    failures: 0,
    compacted: context.turn + (isAgain ? 0 : 1),
    ...noPlaces,
  }
}

/** The budget of the tree did not allow the summary. */
export const refuseCompaction: Step = ({ context, event }) => {
  const { room } = context
  const most = event.agent.context?.compact.failuresMax ?? 1
  return quiet({
    ...context,
    modelOpen: false,
    room: room && { ...room, failures: most, cut: null },
  })
}

/** The turn that got no answer is asked again. */
export const resumeTurn: Step = ({ context }) => askSame(context)

function askSame(context: RunContext): Taken {
  const effects = context.effects + 1
  const next: RunContext = {
    ...context,
    retry: context.retry + 1,
    waitedMs: 0,
    effects,
    source: effects,
    modelOpen: true,
  }
  return { context: next, emission: { effects: [modelCall(next, 0)] } }
}

/** A budget does not allow the turn behind the compaction. */
export const endWithoutResuming: Step = (args) =>
  asksAgain(args.context.relieved) ? endWithoutRetry(args) : endWithoutTurn(args)

/** No summary came: the turn that overflowed is asked of the next model, as it would have been at once. */
export const askOther: Step = ({ context, event }) => {
  const { agent } = event
  const next = { ...context, model: context.model + 1, tries: 0 }
  const taken = askSame({ ...next, room: context.room && { ...context.room, window: 0 } })
  const payload = {
    turn: context.turn,
    from: modelOf(agent, context.model).model,
    to: modelOf(agent, next.model).model,
    class: 'context_overflow',
    message: 'the request does not fit, and could not be made lighter',
    ...unseenBy(agent, { model: next.model, images: imagesAsked(event) }),
  }
  const verdict = {
    type: 'model.replaced',
    payload,
    tool: null,
    verdict: 'context_overflow',
  } as const
  return { context: taken.context, emission: { ...taken.emission, verdicts: [verdict] } }
}

/** The images of the request that waits for another model. */
const imagesAsked = (event: MachineEvent): number =>
  event.type === 'context.unchanged' ? (event.fact.payload.images ?? 0) : 0

/** Nothing makes the request lighter, and nobody else is left to ask. */
export const endFull: Step = (args) => {
  const { context, event } = args
  const model = modelOf(event.agent, context.model)
  const room = event.type === 'model.completed' ? event.fact.payload.room : undefined
  const known = context.room && nextTokens(context.room, context.model)
  const tokens = room?.tokens ?? (known || null)
  const verdict = contextExhausted({
    turn: context.turn,
    messageId: messageId(context.run, context.turn),
    tokens,
    window: room?.window ?? windowOf(model, context.room?.window ?? 0),
    tried: triedOf(context),
  })
  const verdicts = [...safetyOf(args), verdict]
  return { context: endedAs(context, 'failed'), emission: { verdicts } }
}

function triedOf({ relieved, room }: RunContext): readonly ('prune' | 'compact')[] {
  if (relieved === reliefs.none) return []
  if (relieved === reliefs.early) return room && room.compactions > 0 ? ['compact'] : ['prune']
  return relieved === reliefs.recovering ? ['compact'] : ['prune']
}
