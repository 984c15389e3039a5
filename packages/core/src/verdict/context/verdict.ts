/**
 * Room: evidence in (what the next request weighs, what could be left out of it), verdict out (what is cleared, and where).
 *
 * S1 A prune is rare and large: it happens at a mark, and clears at least so much. Between two of them the request only grows, so that a
 *    provider's cache of its beginning stays.
 * S2 A request that overflowed is made lighter once per turn, and asked again, before another model is asked.
 * S3 What is cleared is before a place between turns, so no call loses its result.
 * S4 The first request of a run is measured before it is paid, and made lighter at the same marks as those behind it.
 * S5 Images give way before words do. One that the provider refuses gives way at once: it would spoil every later request of its thread.
 */
import type { AgentDefinition, ModelConfig } from '../../definition.ts'
import type { FactPayload } from '../../event/fact.ts'
import { limits } from '../../limits.ts'
import { type ContextConfig, defaultContext, imagesKept, type Marks, marksOf } from './config.ts'
import type { Moment, RoomCut, RoomMeasure } from '../../room-measure.ts'
import { reliefs } from './relieved.ts'
import { type CutPlace, imagesBeyond, keptCut, nextTokens, type RoomState } from './room.ts'

/** The tool by which a model reads again what was cleared. */
const readingTool = 'read_result'

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
  /** So many of the newest images stay. Absent: all. */
  readonly images?: number | undefined
}

/** A prune: what is left out of the requests from now on. */
export interface Pruning {
  readonly through: Moment
  readonly results: number
  readonly inputs: number
  readonly images: number
  readonly tokens: { readonly before: number; readonly after: number }
  readonly rule: ClearRule
}

/** A token is seldom shorter than three characters. */
const charsPerToken = 3
/** A message of this run that takes more of the room than this is shortened. */
const ownShare = 0.5

/** The rule of an agent. After an overflow, less may stay. */
export function clearRule(
  agent: AgentDefinition,
  { room }: Marks,
  hasOverflowed: boolean,
): ClearRule {
  const { prune } = agent.context ?? defaultContext
  return {
    minChars: prune.minChars,
    exclude: prune.exclude,
    wordsChars: limits.oldWordsCharsMax,
    ownChars: Math.max(
      limits.oldWordsCharsMax,
      Math.floor(room * (hasOverflowed ? ownShare / 2 : ownShare) * charsPerToken),
    ),
    readable: agent.tools.some(({ name }) => name === readingTool),
  }
}

/** Where a run stands with its room. */
interface Weighed {
  readonly room: RoomState | null
  /** The model that is asked: 0 the agent's own, n its n-th fallback. */
  readonly model: number
}

/** The prune before the next turn; null: nothing is cleared. */
export function pruneOf(
  agent: AgentDefinition,
  model: ModelConfig,
  weighed: Weighed,
): Pruning | null {
  const { context } = agent
  const { room } = weighed
  const place = room?.prune ?? room?.images
  if (!context || !room || !place) return null
  const marks = marksOf(context, model, room.window)
  const before = nextTokens(room, weighed.model)
  if (marks.prune === null || before < marks.prune) return null
  const { images } = room
  // Results stay where images alone bring it under the mark.
  const isEnough = images !== null && before - images.tokens < marks.prune
  const words = room.prune && !(isEnough && images.tokens >= marks.minTokens) ? room.prune : noWords
  const lost = words.cleared + (images?.tokens ?? 0)
  if (lost < marks.minTokens) return null
  const { results, inputs } = words
  const rule = imagesRule(clearRule(agent, marks, false), images && imagesKept(context))
  return {
    through: { runId: place.runId, seq: place.seq },
    results,
    inputs,
    images: images?.count ?? 0,
    tokens: { before, after: Math.max(0, before - lost) },
    rule,
  }
}

const noWords = { results: 0, inputs: 0, cleared: 0 }

/** The rule for images as well; null: it says nothing of them. */
const imagesRule = (rule: ClearRule, keep: number | null): ClearRule =>
  keep === null ? rule : { ...rule, images: keep }

/** The room after a prune: what was cleared weighs no more, and there is nothing left to clear. */
export const pruned = (room: RoomState, { tokens }: Pruning): RoomState => ({
  ...room,
  last: Math.max(1, room.last - (tokens.before - tokens.after)),
  prune: null,
  images: null,
})

/** Where a conversation is cut, and what the summary of what is before it may cost; tokens. */
export interface Compaction {
  readonly through: CutPlace
  readonly maxTokens: number
}

/** A run, and what it has used of its limits: part of its context, where each field is explained. */
interface Spending extends Weighed {
  readonly turn: number
  readonly tokens: number
}

/** The compaction before the next turn; null: nothing is summed up. */
export function compactionOf(
  agent: AgentDefinition,
  model: ModelConfig,
  run: Spending,
): Compaction | null {
  const { context } = agent
  const { room } = run
  if (!context || !room?.cut || !mayCompact(context, room, run.turn)) return null
  const marks = marksOf(context, model, room.window)
  const pruning = pruneOf(agent, model, run)
  const tokens = pruning?.tokens.after ?? nextTokens(room, run.model)
  const maxTokens = leftFor(agent, context, room)
  return tokens < marks.compact || maxTokens === 0 ? null : { through: room.cut, maxTokens }
}

/** Two compactions within two turns bring nothing: the second would sum up what the first has left (thrash). */
const turnsBetween = 2

/** May one more be tried in this run, before the turn behind `turn`? */
const mayCompact = ({ compact }: ContextConfig, room: RoomState, turn: number): boolean =>
  room.compactions < compact.maxPerRun &&
  room.failures < compact.failuresMax &&
  (room.compacted === 0 || turn + 1 - room.compacted >= turnsBetween)

/** Tokens that summaries may still take of the run's own. */
const leftFor = (
  { limits: { maxTokens } }: AgentDefinition,
  { compact }: ContextConfig,
  room: RoomState,
): number => Math.max(0, Math.floor(maxTokens * compact.maxShare) - room.spent)

/** The relief that follows an overflow, instead of another model: one of the two. */
interface Relief {
  readonly pruning: Pruning | null
  readonly compaction: Compaction | null
  /** The window it taught, in tokens; what was taught before, where the model was not asked. */
  readonly window: number
}

/** A request that overflowed. */
interface Overflow {
  readonly turn: FactPayload<'model.completed'>['turn']
  readonly room?: RoomMeasure | undefined
}

/** Whether this turn was made lighter already, and which one it is. */
export interface Relieved extends Spending {
  /** One of `reliefs`. */
  readonly relieved: number
}

/** Is the answer that the request does not fit? */
export const isOverflow = ({ turn }: Pick<Overflow, 'turn'>): boolean =>
  turn.verdict === 'error' && turn.error?.class === 'context_overflow'

/** The window, by an overflow of a request of so many tokens. */
const learnedWindow = ({ error }: Overflow['turn'], tokens: number): number =>
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

/** How the first request of a run is made lighter that fits, and is over a mark; null: it goes as it is. */
export function earlyReliefOf(
  agent: AgentDefinition,
  model: ModelConfig,
  room: RoomMeasure,
): Omit<Relief, 'window'> | null {
  const { context, limits: most } = agent
  if (!context) return null
  const marks = marksOf(context, model, 0)
  const pruning = earlyPruning(agent, marks, room)
  const tokens = pruning?.tokens.after ?? room.tokens
  const cut = tokens < marks.compact ? null : keptCut(room.cuts, { least: 0, tokens: marks.keep })
  const { maxPerRun, maxShare } = context.compact
  const maxTokens = Math.floor(most.maxTokens * maxShare)
  if (cut && maxPerRun > 0 && maxTokens > 0)
    return { pruning: null, compaction: { through: cut.at, maxTokens } }
  return pruning && { pruning, compaction: null }
}

/** The same prune as between two turns: at its mark, large enough, and the newest turns and images stay whole. */
function earlyPruning(agent: AgentDefinition, marks: Marks, room: RoomMeasure): Pruning | null {
  const config = agent.context ?? defaultContext
  if (marks.prune === null || room.tokens < marks.prune) return null
  const cut = room.cuts.find(({ turns }) => turns === config.prune.keepTurns) ?? null
  const asked = { rule: clearRule(agent, marks, false), keep: imagesKept(config) }
  const images = pruningOf(room, null, asked)
  const isEnough = images && images.tokens.after < marks.prune && isLarge(images, marks)
  const pruning = isEnough ? images : pruningOf(room, cut, asked)
  return pruning && isLarge(pruning, marks) ? pruning : null
}

const isLarge = ({ tokens }: Pruning, { minTokens }: Marks): boolean =>
  tokens.before - tokens.after >= minTokens

/** The prune of a measured request at one of its places; null for the place: its images alone. Null: there is nothing to leave out. */
function pruningOf(
  room: RoomMeasure,
  cut: RoomCut | null,
  { rule, keep }: { readonly rule: ClearRule; readonly keep: number },
): Pruning | null {
  const beyond = imagesBeyond(room, keep)
  const through = cut?.at ?? room.cuts[0]?.at
  if (!through || (!cut && beyond.count === 0)) return null
  const { results = 0, inputs = 0 } = cut ?? {}
  const lost = beyond.tokens + (cut ? cut.cleared + cut.shortened : 0)
  const tokens = { before: room.tokens, after: Math.max(0, room.tokens - lost) }
  const withImages = imagesRule(rule, beyond.count === 0 ? null : keep)
  return { through, results, inputs, images: beyond.count, tokens, rule: withImages }
}

/** How the request is made lighter that overflowed; null: it cannot be, or was already. */
export function reliefOf(
  agent: AgentDefinition,
  model: ModelConfig,
  { run, overflow }: { readonly run: Relieved; readonly overflow: Overflow },
): Relief | null {
  const { turn, room } = overflow
  if (!room) return null
  if (isRefusedForImages(overflow)) return withoutImages(agent, model, { run, room })
  if (!isOverflow(overflow)) return null
  if (room.early) {
    const relief = run.relieved === reliefs.none ? earlyReliefOf(agent, model, room) : null
    return relief && { ...relief, window: run.room?.window ?? 0 }
  }
  if (run.relieved !== reliefs.none && run.relieved !== reliefs.early) return null
  const { marks, window } = marksAfter(agent, model, { turn, room })
  const learned = room.unsent ? (run.room?.window ?? 0) : window
  const config = agent.context ?? defaultContext
  const rule = clearRule(agent, marks, true)
  const keep = Math.floor(imagesKept(config) / 2)
  const relief = (pruning: Pruning | null): Relief | null =>
    pruning && { pruning, compaction: null, window: learned }
  const images = pruningOf(room, null, { rule, keep })
  if (images && images.tokens.after <= marks.room) return relief(images)
  const prune = (least: number): Relief | null => {
    const cut = cutFor(config, room, { fits: marks.room + imagesBeyond(room, keep).tokens, least })
    return relief(cut && pruningOf(room, cut, { rule, keep }))
  }
  // While a run has asked for nothing yet, no result waits to be read.
  const pruning = prune(run.turn === 1 ? 0 : 1)
  if (pruning) return pruning
  const compaction = compactionAfter(agent, { room, run, marks })
  if (compaction) return { pruning: null, compaction, window: learned }
  // Results that nobody has read yet go last, and only where they can be read one by one; and so do the last images.
  return (rule.readable ? prune(0) : null) ?? relief(pruningOf(room, null, { rule, keep: 0 }))
}

/** Did the provider object to an image of the request? */
export const isRefusedForImages = ({ turn }: Pick<Overflow, 'turn'>): boolean =>
  turn.verdict === 'error' && turn.error?.images === true

/** Nobody says which image it was, and with it no later request would be answered either: all of them give way, and each can be asked for again. */
function withoutImages(
  agent: AgentDefinition,
  model: ModelConfig,
  { run, room }: { readonly run: Relieved; readonly room: RoomMeasure },
): Relief | null {
  if (run.relieved !== reliefs.none && run.relieved !== reliefs.early) return null
  const window = run.room?.window ?? 0
  const marks = marksOf(agent.context ?? defaultContext, model, window)
  const pruning = pruningOf(room, null, { rule: clearRule(agent, marks, false), keep: 0 })
  return pruning && { pruning, compaction: null, window }
}

/** Where the conversation is cut whose request overflowed. A run that has asked for nothing yet needs no turn of the runs before. */
function compactionAfter(
  agent: AgentDefinition,
  {
    room,
    run,
    marks,
  }: { readonly room: RoomMeasure; readonly run: Relieved; readonly marks: Marks },
): Compaction | null {
  const config = agent.context ?? defaultContext
  const { room: known } = run
  if (known && !mayCompact(config, known, run.turn - 1)) return null
  const tokens = Math.floor(marks.keep / 2)
  const cut = keptCut(room.cuts, { least: run.turn === 1 ? 0 : 1, tokens })
  // Behind it, too, the request would not fit.
  if (cut && cut.kept > marks.room) return null
  const share = Math.floor(agent.limits.maxTokens * config.compact.maxShare)
  const maxTokens = Math.max(0, share - (known?.spent ?? 0))
  return cut && maxTokens > 0 ? { through: cut.at, maxTokens } : null
}

const lighter = ({ tokens }: RoomMeasure, { cleared, shortened }: RoomCut): number =>
  Math.max(0, tokens - cleared - shortened)

/** The place behind which most turns stay whole, of those at which the request becomes light enough. */
function cutFor(
  { prune }: ContextConfig,
  room: RoomMeasure,
  { fits, least }: { readonly fits: number; readonly least: number },
): RoomCut | null {
  const most = Math.max(1, Math.floor(prune.keepTurns / 2))
  const fitting = room.cuts.filter(
    (cut) =>
      cut.turns >= least &&
      cut.turns <= most &&
      cut.cleared + cut.shortened > 0 &&
      lighter(room, cut) <= fits,
  )
  return fitting.toSorted((a, b) => b.turns - a.turns)[0] ?? null
}
