/**
 * The meter: what the next request of a run will weigh, in tokens, by the provider's own count of the last one and the bytes that were
 * added since. No tokenizer: instructions and tools are in the count, whoever the vendor is.
 *
 *     next = last + out + bytes / bpt
 *
 * Q1 Before the first count nothing is known, and nothing is done.
 * Q2 A count that is not the provider's own has three bytes in a token, as everywhere.
 * Q3 Another model counts otherwise: until its first count, 15 % more.
 * Q4 What was thought weighs nothing where no part of the message holds it: it is not sent again.
 */
import type { AgentDefinition, ModelConfig } from '../../definition.ts'
import type { FactPayload } from '../../event/fact.ts'
import { imageBytesIn } from '../../image/weight.ts'
import { partWords } from '../../image/words.ts'
import { limits } from '../../limits.ts'
import type { ContentPart } from '../../message.ts'
import { bytesAsJson } from '../../text/utf8.ts'
import { callsOf } from '../authorization/judge.ts'
import { modelOf } from '../../asked-model.ts'
import { imagesKept, marksOf } from './config.ts'
import type { RoomCut, RoomMeasure } from '../../room-measure.ts'
import { bytesPerToken, tokensOf } from '../../token-size.ts'

/** Where a prune would reach to, and what it would bring. */
export interface PrunePlace {
  readonly runId: string
  readonly seq: number
  readonly results: number
  /** Tokens, of results and of long messages. */
  readonly cleared: number
  readonly inputs: number
}

/** The images that give way before results do: all but the newest of the request that was measured right before this event. */
export interface ImagesPlace {
  readonly runId: string
  readonly seq: number
  readonly count: number
  readonly tokens: number
}

/** Where a compaction would cut: what is up to this event gives way. */
export interface CutPlace {
  readonly runId: string
  readonly seq: number
}

/** The weight of a conversation, as its run remembers it. Part of its context where its agent has a `context`. */
export interface RoomState {
  /** Tokens of the newest request that was counted, less what was cleared of it since, and of its answer. */
  readonly last: number
  readonly out: number
  /** Bytes that were added since, as JSON. */
  readonly bytes: number
  /** Hundredths of a byte in a token of that request. */
  readonly bpt: number
  /** The model that counted it: 0 the agent's own, n its n-th fallback. */
  readonly model: number
  /** The window that an overflow taught, in tokens; 0: none did. */
  readonly window: number
  /** Compactions of the run, failures of them since the last, the turn before which the last was, and the tokens of all. */
  readonly compactions: number
  readonly failures: number
  readonly compacted: number
  readonly spent: number
  /** Null: there is nothing to prune. */
  readonly prune: PrunePlace | null
  /** Null: there is nothing to cut. */
  readonly cut: CutPlace | null
  /** Null: there are no more than stay. */
  readonly images: ImagesPlace | null
}

/** Before the first count. */
export const emptyRoom: RoomState = {
  last: 0,
  out: 0,
  bytes: 0,
  bpt: bytesPerToken.unknown,
  model: 0,
  window: 0,
  compactions: 0,
  failures: 0,
  compacted: 0,
  spent: 0,
  prune: null,
  cut: null,
  images: null,
}

const otherModelShare = 1.15

const bounded = (n: number): number => Math.min(limits.roomCountMax, Math.max(0, Math.ceil(n)))

/** Hundredths of a byte in a token, of a request that was counted. */
export const bptOf = (bytes: number, { inputTokens = 0, estimated }: CountedUsage): number =>
  estimated || inputTokens === 0
    ? bytesPerToken.unknown
    : Math.round(
        Math.min(bytesPerToken.most, Math.max(bytesPerToken.least, (bytes * 100) / inputTokens)),
      )

type CountedUsage = Pick<
  FactPayload<'model.completed'>['turn']['usage'],
  'inputTokens' | 'estimated'
>

/** The tokens of the next request of `model`; 0 where nothing was counted yet. */
export function nextTokens(room: RoomState, model: number): number {
  if (room.last === 0) return 0
  const tokens = room.last + room.out + tokensOf(room.bytes, room.bpt)
  return model === room.model ? tokens : Math.ceil(tokens * otherModelShare)
}

/** The room after bytes were added to the conversation. */
export const grown = (room: RoomState, bytes: number): RoomState => ({
  ...room,
  bytes: bounded(room.bytes + bytes),
})

/** The bytes that a result adds, with its frame; of a text that stands elsewhere, head and tail. */
export const resultBytes = (content: readonly ContentPart[]): number =>
  content.reduce((bytes, part) => bytes + bytesAsJson(partWords(part)), frameBytes) +
  imageBytesIn(content)

const frameBytes = 120

/** The counter of a request: which model, of which agent, in which run. */
interface CountedBy {
  readonly agent: AgentDefinition
  readonly model: number
  readonly run: string
  readonly seq: number
}

/** Tokens of an answer that the next request has, too: what was thought is among them where the provider takes it back. */
function keptTokens({ message, usage }: FactPayload<'model.completed'>['turn']): number {
  const { outputTokens = 0, reasoningTokens = 0 } = usage
  const goesBack = message.parts.some(({ type }) => type === 'reasoning')
  return goesBack ? outputTokens : Math.max(0, outputTokens - reasoningTokens)
}

/** The room after an answer of the model. One that was not counted leaves it as it was. */
export function roomAfter(
  room: RoomState,
  { agent, model, run, seq }: CountedBy,
  payload: FactPayload<'model.completed'>,
): RoomState {
  const { turn, promptBytes = 0 } = payload
  const { inputTokens = 0 } = turn.usage
  if (inputTokens === 0) return { ...room, ...noPlaces }
  const measured: RoomState = {
    ...room,
    last: bounded(inputTokens),
    out: bounded(keptTokens(turn)),
    bytes: 0,
    bpt: bptOf(promptBytes, turn.usage),
    model,
    ...noPlaces,
  }
  const isWide = callsOf(turn).length > limits.roomCallsMax
  if (isWide || !payload.room) return measured
  const here = { run, seq, model: modelOf(agent, model), learned: room.window }
  return {
    ...measured,
    prune: placeOf(agent, payload.room, here),
    images: imagesPlaceOf(agent, payload.room, here),
    cut: cutPlaceOf(agent, payload.room, { ...here, out: measured.out }),
  }
}

/** Until the next measure, nobody knows any. */
export const noPlaces = { prune: null, cut: null, images: null } as const

interface Here {
  readonly run: string
  readonly seq: number
}

/**
 * Where the next turn may prune to. The turn that was just answered is the newest, and the measure knows those before it: so one turn less
 * of these stays whole.
 */
function placeOf({ context }: AgentDefinition, room: RoomMeasure, here: Here): PrunePlace | null {
  if (!context) return null
  const turns = context.prune.keepTurns - 1
  const cut = room.cuts.find((each) => each.turns === turns)
  if (!cut) return null
  const { at, results, inputs } = cut
  const cleared = bounded(cut.cleared + cut.shortened)
  // Of no turn before it but this one: right before this answer.
  const place = turns === 0 ? { runId: here.run, seq: here.seq - 1 } : at
  return cleared === 0 ? null : { ...place, results, inputs, cleared }
}

/** Of the images that a request shows, those that give way where so many stay. */
export function imagesBeyond(
  { images = [] }: Pick<RoomMeasure, 'images'>,
  keep: number,
): { readonly count: number; readonly tokens: number } {
  const beyond = images.slice(0, Math.max(0, images.length - keep))
  return { count: beyond.length, tokens: beyond.reduce((sum, tokens) => sum + tokens, 0) }
}

function imagesPlaceOf(
  { context }: AgentDefinition,
  room: RoomMeasure,
  { run: runId, seq }: Here,
): ImagesPlace | null {
  if (!context) return null
  const { count, tokens } = imagesBeyond(room, imagesKept(context))
  // Right before this answer.
  return count === 0 ? null : { runId, seq: seq - 1, count, tokens: bounded(tokens) }
}

/** Where a compaction before the next turn would cut. The turn that was just answered stays in any case. */
function cutPlaceOf(
  { context }: AgentDefinition,
  { cuts }: RoomMeasure,
  here: Here & { readonly model: ModelConfig; readonly learned: number; readonly out: number },
): CutPlace | null {
  if (!context) return null
  const { keep } = marksOf(context, here.model, here.learned)
  const cut = keptCut(cuts, { least: 0, tokens: keep - here.out })
  if (!cut) return null
  // Of no turn before it but this one: right before this answer.
  return cut.turns === 0 ? { runId: here.run, seq: here.seq - 1 } : cut.at
}

/**
 * The cut that keeps most turns in so many tokens, and at least `least`, whatever these weigh; null where no turn would be left to
 * summarise.
 */
export function keptCut(
  cuts: readonly RoomCut[],
  { least, tokens }: { readonly least: number; readonly tokens: number },
): RoomCut | null {
  const most = Math.max(...cuts.map(({ turns }) => turns))
  const kept = cuts
    .filter(({ turns }) => turns >= least && turns < most)
    .toSorted((a, b) => b.turns - a.turns)
  return kept.find((cut) => cut.kept <= tokens) ?? kept.at(-1) ?? null
}

/** Is a request of so many tokens so near to relief that its places are to be told? */
export function isNearRelief(
  { context }: AgentDefinition,
  { model, learned }: { readonly model: ModelConfig; readonly learned: number },
  tokens: number,
): boolean {
  if (!context) return false
  const { room, prune, compact } = marksOf(context, model, learned)
  return tokens >= Math.min(room * nearShare, Math.min(prune ?? compact, compact) * markShare)
}

/** Of the room, and of the lower of the marks: whichever comes first. */
const nearShare = 0.4
const markShare = 2 / 3
