/**
 * The room of a request, as its performer finds it: whether it can fit at all, and where its conversation could be made lighter. The
 * decider reads no conversation; it decides by what is told here in the fact of the call.
 *
 * O1 A request is measured by the newest one of its conversation that the same model has counted; where there is none, a token has three
 *    bytes.
 * O2 What is certain not to fit is not sent: more tokens than the whole window by the longest tokens, whatever an older request has had in a
 *    token, for new text may be of another density. Where that is not certain, the provider says it.
 * O3 Places are told where relief may be near, and where the request overflowed: otherwise the fact is as short as it was.
 * O4 The first request of a run is not sent either where it is over a mark, and can be made lighter: nobody has measured it before. Where nothing came
 *    of that in a run before, it goes as it is until it has grown.
 */
import {
  type AgentDefinition,
  bptOf,
  bytesPerToken,
  clearRule,
  defaultContext,
  earlyReliefOf,
  type CutSize,
  type FactPayload,
  factSchemas,
  imageTokens,
  isNearRelief,
  isOverflow,
  isRefusedForImages,
  marksAfter,
  marksOf,
  type ModelCallEffect,
  type ModelConfig,
  type ModelTurn,
  payloadOf,
  type RoomCut,
  type RoomMeasure,
  tokensOf,
  windowOf,
} from '@signalbox/core'
import type { StoredEvent } from '../ports.ts'
import type { PromptDraft } from './prompt-steps.ts'

/** A request that is to be sent, or was. */
interface Weighing {
  readonly agent: AgentDefinition
  readonly model: ModelConfig
  readonly runId: string
  /** Of the request as JSON. */
  readonly bytes: number
  readonly draft: Pick<PromptDraft, 'events' | 'cuts' | 'images' | 'overflows'>
}

/** The room of a request, as its fact tells it. */
export type Room = Pick<FactPayload<'model.completed'>, 'promptBytes' | 'room'>

/** A count, as far as it is one: so many bytes are no more tokens than that, and no fewer, whoever counts. */
export const believedTokens = (count: number, bytes: number): number =>
  Math.min(
    tokensOf(bytes, bytesPerToken.least),
    Math.max(tokensOf(bytes, bytesPerToken.most), count),
  )

/** A request that cannot fit, and the window that it was measured against. */
interface Misfit {
  readonly tokens: number
  readonly window: number
}

/** Says whether the request is certain not to fit; null: it may. */
export function misfitOf(weighing: Weighing): Misfit | null {
  const { agent, model, bytes, draft, runId } = weighing
  if (!agent.context) return null
  const window = windowOf(model, learnedIn(draft.overflows, { runId, model }))
  if (window === null) return null
  if (tokensOf(bytes, bytesPerToken.most) <= window) return null
  return { tokens: tokensOf(bytes, bptIn(draft.events, model) ?? bytesPerToken.most), window }
}

/** The room that the fact of an answer tells. */
export function roomOf(weighing: Weighing, turn: ModelTurn, misfit: Misfit | null): Room {
  const { agent, bytes } = weighing
  const room = measureOf(weighing, turn, misfit)
  return { ...(agent.context ? { promptBytes: bytes } : {}), ...(room ? { room } : {}) }
}

function measureOf(weighing: Weighing, turn: ModelTurn, misfit: Misfit | null): RoomMeasure | null {
  if (isOverflow({ turn })) return overflowed(weighing, turn, misfit)
  return isRefusedForImages({ turn }) ? refused(weighing) : nearRelief(weighing, turn)
}

/** The measure of a request whose images were refused: they are what can be left out. */
function refused({ agent, model, bytes, draft }: Weighing): RoomMeasure {
  const marks = marksOf(agent.context ?? defaultContext, model, 0)
  const bpt = bptIn(draft.events, model) ?? bytesPerToken.unknown
  const [end] = draft.cuts(clearRule(agent, marks, false), 1)
  return {
    tokens: tokensOf(bytes, bpt),
    ...imagesOf(draft),
    cuts: end ? [inTokens(end, bpt)] : [],
  }
}

/** The measure of the first request of a run, before it is paid; null: it is sent as it is. */
export function earlyOf(
  { agent, model, bytes, draft }: Weighing,
  { turn, retry }: Pick<ModelCallEffect, 'turn' | 'retry'>,
): RoomMeasure | null {
  const { context } = agent
  if (!context || turn !== 1 || retry > 0) return null
  const bpt = bptIn(draft.events, model)
  const marks = marksOf(context, model, 0)
  const tokens = bpt === null ? 0 : tokensOf(bytes, bpt)
  if (bpt === null || tokens < (marks.prune ?? marks.compact)) return null
  if (tokens < triedAt(draft) + marks.keep) return null
  const window = windowOf(model, 0)
  const cuts = draft.cuts(clearRule(agent, marks, false), context.prune.keepTurns)
  const room: RoomMeasure = {
    tokens,
    ...(window === null ? {} : { window }),
    unsent: true,
    early: true,
    ...imagesOf(draft),
    cuts: cuts.map((cut) => inTokens(cut, bpt)),
  }
  return earlyReliefOf(agent, model, room) && room
}

/** The tokens of the request at which that was tried last, if nothing came of it; else less than any. */
function triedAt({ events, overflows }: Weighing['draft']): number {
  const last = overflows.findLast((event) => answerOf(event)?.room?.early)
  if (!last) return -Infinity
  const newest = events.findLast(
    (event) =>
      event === last || event.type === 'context.compacted' || event.type === 'context.pruned',
  )
  return newest === last ? (answerOf(last)?.room?.tokens ?? 0) : -Infinity
}

function overflowed(
  { agent, model, bytes, draft }: Weighing,
  turn: ModelTurn,
  misfit: Misfit | null,
): RoomMeasure {
  const bpt = bptIn(draft.events, model) ?? (misfit ? bytesPerToken.most : bytesPerToken.unknown)
  const room = misfit ? { ...misfit, unsent: true as const } : { tokens: tokensOf(bytes, bpt) }
  const { marks, window } = marksAfter(agent, model, { turn, room })
  const cuts = draft.cuts(clearRule(agent, marks, true), 1)
  return { ...room, window, ...imagesOf(draft), cuts: cuts.map((cut) => inTokens(cut, bpt)) }
}

function nearRelief(
  { agent, model, bytes, draft, runId }: Weighing,
  { usage }: ModelTurn,
): RoomMeasure | null {
  const { context } = agent
  const { inputTokens = 0 } = usage
  const learned = context ? learnedIn(draft.overflows, { runId, model }) : 0
  if (!context || !isNearRelief(agent, { model, learned }, inputTokens)) return null
  const marks = marksOf(context, model, learned)
  const window = windowOf(model, learned)
  const cuts = draft.cuts(clearRule(agent, marks, false), context.prune.keepTurns - 1)
  const bpt = bptOf(bytes, usage)
  return {
    tokens: inputTokens,
    ...(window === null ? {} : { window }),
    ...imagesOf(draft),
    cuts: cuts.map((cut) => inTokens(cut, bpt)),
  }
}

/** Tokens of the images that a request shows, oldest first. */
function imagesOf(draft: Weighing['draft']): Pick<RoomMeasure, 'images'> {
  const images = draft.images().map(imageTokens)
  return images.length > 0 ? { images } : {}
}

export const inTokens = (cut: CutSize, bpt: number): RoomCut => ({
  at: cut.at,
  turns: cut.turns,
  kept: tokensOf(cut.keptBytes, bpt),
  results: cut.results,
  cleared: tokensOf(cut.clearedBytes, bpt),
  inputs: cut.inputs,
  shortened: tokensOf(cut.shortenedBytes, bpt),
})

/** The fact about an answer, if it is one. */
const answerOf = (event: StoredEvent): FactPayload<'model.completed'> | null =>
  event.type === 'model.completed' ? payloadOf(factSchemas['model.completed'], event) : null

/** Hundredths of a byte in a token, by the newest request that the model counted; null: none is known. */
export function bptIn(events: readonly StoredEvent[], model: ModelConfig): number | null {
  for (let n = events.length - 1; n >= 0; n -= 1) {
    const event = events[n]
    // Read without the schema: most events are not answers, and most answers are of the model that is asked.
    if (!event || event.payload['promptBytes'] === undefined) continue
    const answer = answerOf(event)
    const { turn, promptBytes = 0 } = answer ?? {}
    if (turn?.model === model.model && (turn.usage.inputTokens ?? 0) > 0)
      return bptOf(promptBytes, turn.usage)
  }
  return null
}

/** May the event have taught a window? Read without the schema: late in a run, nearly every answer has a room. */
export const mayTeach = ({ type, verdict, payload }: StoredEvent): boolean =>
  type === 'model.completed' && verdict === 'error' && payload['room'] !== undefined

/** The window that an overflow of the model in this run taught, in tokens; 0: none did. */
export function learnedIn(
  overflows: PromptDraft['overflows'],
  { runId, model }: { readonly runId: string; readonly model: ModelConfig },
): number {
  for (let n = overflows.length - 1; n >= 0; n -= 1) {
    const event = overflows[n]
    // Those of runs before are before all of this one.
    if (!event || event.runId !== runId) break
    const window = taught(event, model)
    if (window !== null) return window
  }
  return 0
}

/** The window that an answer taught; null for one that taught none. */
function taught(event: StoredEvent, model: ModelConfig): number | null {
  const { turn, room } = answerOf(event) ?? {}
  const isOf = turn && room && !room.unsent && turn.model === model.model
  return isOf && isOverflow({ turn }) ? (room.window ?? null) : null
}
