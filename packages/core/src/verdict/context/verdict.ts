/**
 * Room: evidence in (what the next request weighs, what could be left out of it), verdict out (what is cleared, and where).
 *
 * S1 A prune is rare and large: it happens at a mark, and clears at least so much. Between two of them the request only grows, so that a
 *    provider's cache of its beginning stays.
 * S2 A request that overflowed is made lighter once per turn, and asked again, before another model is asked.
 * S3 What is cleared is before a place between turns, so no call loses its result.
 */
import type { AgentDefinition, ModelConfig } from '../../definition.ts'
import type { FactPayload } from '../../event/fact.ts'
import { limits } from '../../limits.ts'
import { type ContextConfig, defaultContext, type Marks, marksOf } from './config.ts'
import type { Moment, RoomCut, RoomMeasure } from './measure.ts'
import { nextTokens, type RoomState } from './room.ts'

/** The tool by which a model reads again what was cleared. */
export const readingTool = 'read_result'

/** Which words of what is before a place are cleared; pinned by the event, so that the conversation stays a function of the log. */
export interface ClearRule {
  /** Results that are shorter stay. */
  readonly minChars: number
  /** Tools whose results stay. */
  readonly exclude: readonly string[]
  /** Of messages of earlier runs, those that are longer are shortened; of this run, those that are longer than `ownChars`. */
  readonly wordsChars: number
  readonly ownChars: number
  /** Can the model read them again? */
  readonly readable: boolean
}

/** What is left out of the requests from now on. */
export interface Pruning {
  readonly through: Moment
  readonly results: number
  readonly inputs: number
  readonly tokens: { readonly before: number; readonly after: number }
  readonly rule: ClearRule
}

/** A token is seldom shorter than three characters. */
const charsPerToken = 3
/** A message of this run that takes more of the room than this is shortened. */
const ownShare = 0.5

/** The rule of an agent. After an overflow, less may stay. */
export function clearRule(agent: AgentDefinition, { room }: Marks, isOverflow: boolean): ClearRule {
  const { prune } = agent.context ?? defaultContext
  return {
    minChars: prune.minChars,
    exclude: prune.exclude,
    wordsChars: limits.oldWordsCharsMax,
    ownChars: Math.max(
      limits.oldWordsCharsMax,
      Math.floor(room * (isOverflow ? ownShare / 2 : ownShare) * charsPerToken),
    ),
    readable: agent.tools.some(({ name }) => name === readingTool),
  }
}

/** Where a run stands with its room. */
export interface Weighed {
  readonly room: RoomState | null
  /** The model that is asked: 0 the agent's own, n its n-th fallback. */
  readonly model: number
}

/** What is cleared before the next turn; null: nothing. */
export function pruneOf(
  agent: AgentDefinition,
  model: ModelConfig,
  weighed: Weighed,
): Pruning | null {
  const { context } = agent
  const { room } = weighed
  if (!context || !room?.prune) return null
  const marks = marksOf(context, model, room.window)
  const before = nextTokens(room, weighed.model)
  const { runId, seq, results, inputs, cleared } = room.prune
  if (marks.prune === null || before < marks.prune || cleared < marks.minTokens) return null
  return {
    through: { runId, seq },
    results,
    inputs,
    tokens: { before, after: Math.max(0, before - cleared) },
    rule: clearRule(agent, marks, false),
  }
}

/** The room after a prune: what was cleared weighs no more, and there is nothing left to clear. */
export const pruned = (room: RoomState, { tokens }: Pruning): RoomState => ({
  ...room,
  last: Math.max(1, room.last - (tokens.before - tokens.after)),
  prune: null,
})

/** What follows an overflow, instead of another model. */
export interface Relief {
  readonly pruning: Pruning
  /** The window it taught, in tokens; what was taught before, where the model was not asked. */
  readonly window: number
}

/** A request that overflowed. */
export interface Overflow {
  readonly turn: FactPayload<'model.completed'>['turn']
  readonly room?: RoomMeasure | undefined
}

/** Whether this turn was made lighter already, and which one it is. */
export interface Relieved extends Weighed {
  readonly relieved: number
  readonly turn: number
}

/** Is the answer that the request does not fit? */
export const isOverflow = ({ turn }: Pick<Overflow, 'turn'>): boolean =>
  turn.verdict === 'error' && turn.error?.class === 'context_overflow'

/** What an overflow of a request of so many tokens says about the window. */
export const learnedWindow = ({ error }: Overflow['turn'], tokens: number): number =>
  error?.window ?? Math.max(1, Math.floor(tokens * overflowShare))

const overflowShare = 0.9

/** The window that counts once a request has overflowed: what that taught, or what it was measured against. 0: nobody knows. */
const windowAfter = (turn: Overflow['turn'], room: OverflowRoom): number =>
  room.unsent ? (room.window ?? 0) : learnedWindow(turn, room.tokens)

type OverflowRoom = Pick<RoomMeasure, 'tokens' | 'unsent' | 'window'>

/** The marks that hold once a request has overflowed, and the window they are of, in tokens; 0: it is not known. */
export function marksAfter(
  agent: AgentDefinition,
  model: ModelConfig,
  { turn, room }: { readonly turn: Overflow['turn']; readonly room: OverflowRoom },
): { readonly marks: Marks; readonly window: number } {
  const window = windowAfter(turn, room)
  return { marks: marksOf(agent.context ?? defaultContext, model, window), window }
}

/** How the request is made lighter that overflowed; null: it cannot be, or was already. */
export function reliefOf(
  agent: AgentDefinition,
  model: ModelConfig,
  { run, overflow }: { readonly run: Relieved; readonly overflow: Overflow },
): Relief | null {
  const { turn, room } = overflow
  if (!isOverflow(overflow) || !room || run.relieved > 0) return null
  const { marks, window } = marksAfter(agent, model, { turn, room })
  const learned = room.unsent ? (run.room?.window ?? 0) : window
  const cut = cutFor(agent.context ?? defaultContext, room, {
    fits: marks.room,
    isFirst: run.turn === 1,
  })
  if (!cut) return null
  const { at, results, inputs } = cut
  const pruning: Pruning = {
    through: at,
    results,
    inputs,
    tokens: { before: room.tokens, after: lighter(room, cut) },
    rule: clearRule(agent, marks, true),
  }
  return { pruning, window: learned }
}

const lighter = ({ tokens }: RoomMeasure, { cleared, shortened }: RoomCut): number =>
  Math.max(0, tokens - cleared - shortened)

/** The place behind which most turns stay whole, of those at which the request becomes light enough. */
function cutFor(
  { prune }: ContextConfig,
  room: RoomMeasure,
  { fits, isFirst }: { readonly fits: number; readonly isFirst: boolean },
): RoomCut | null {
  const most = Math.max(1, Math.floor(prune.keepTurns / 2))
  // While a run has asked for nothing yet, no result waits to be read.
  const least = isFirst ? 0 : 1
  const fitting = room.cuts.filter(
    (cut) =>
      cut.turns >= least &&
      cut.turns <= most &&
      cut.cleared + cut.shortened > 0 &&
      lighter(room, cut) <= fits,
  )
  return fitting.toSorted((a, b) => b.turns - a.turns)[0] ?? null
}
