/**
 * The rules of a memory: what a model may put into it, and what becomes of each call of a turn. Pure: evidence in, verdicts and changes out.
 *
 * R1 The calls of a turn are judged together, in their order, on the memory as it was before the turn. They are performed side by side, on any
 *    worker: each takes its own verdict out of the same answer, so that none waits for another.
 * R2 Only what a user said is kept: each item names words at hand, tells what they tell, and no number that they do not.
 * R3 Nothing is there twice. What the user says again confirms the item that is there; what contradicts an item of a model takes its place.
 * R4 Items of persons are changed by none of it.
 */
import type { z } from 'zod'
import { bytesAsUtf8 } from '../text/utf8.ts'
import { endOfDay } from '../text/day.ts'
import { limits } from '../limits.ts'
import type { Moment } from '../room-measure.ts'
import {
  memoryArguments,
  type MemoryRefusal,
  memoryToolNames,
  type MemoryToolName,
} from './candidate.ts'
import { crowdedOut, type Weighed } from './capacity.ts'
import { whyNoFact } from './fact-shaped.ts'
import { emptyMemory, isSameMoment, itemsOf, type Memory, type MemoryItem } from './fold.ts'
import type { MemoryChange, MemoryKind } from './item.ts'
import { likenessOf, shareIn, unsaidNumbers } from './likeness.ts'

/** A message of the user, by the number under which the model knows it. */
export interface NumberedWords {
  readonly n: number
  readonly at: Moment
  /** Milliseconds since the epoch. */
  readonly said: number
  /** As far as they are the user's own. */
  readonly text: string
}

/** The evidence. */
export interface MemoryBench {
  readonly memory: Memory
  /** The texts of its items by their ids; of what was erased, none. */
  readonly texts: ReadonlyMap<string, string>
  readonly words: readonly NumberedWords[]
  /** Items that the run has remembered before this turn. */
  readonly remembered: number
  /** Kinds that are kept; null: all. */
  readonly kinds: readonly MemoryKind[] | null
  /** Calls whose texts hold a secret, by their ids. */
  readonly secret: ReadonlySet<string>
}

/** One call of the turn. */
export interface MemoryCandidate {
  readonly callId: string
  readonly tool: string
  readonly args: unknown
}

type WithText<C> = C extends { readonly op: 'add' | 'revise' }
  ? Omit<C, 'key'> & { readonly text: string }
  : C

/** A change whose text is not stored yet. */
export type MemoryDraft = WithText<MemoryChange>

/** What becomes of one call. A refusal may change something all the same: what is there already is confirmed. */
export interface MemoryVerdict {
  readonly callId: string
  /** `ok`: as it was asked for. `replaced`: it took the place of an item that it contradicts. */
  readonly code: 'ok' | 'replaced' | MemoryRefusal
  /** For the model to read. */
  readonly message: string
  readonly changes: readonly MemoryDraft[]
}

/** The id of an item that a call makes: the same, however often it is performed. */
export const itemIdOf = (callId: string): string => `m${callId}`

/** The share of what an item tells that its sources must tell, too. */
const saidFrom = 1 / 2

/** The turn as it is judged so far. */
interface Turn {
  readonly bench: MemoryBench
  /** Items as they stand with the calls so far, and their texts. */
  readonly items: Map<string, MemoryItem>
  readonly texts: Map<string, string>
  /** Items that a call of the turn is about. */
  readonly touched: Set<string>
  remembered: number
}

/** Judges the calls of a turn, each of one of `memoryToolNames`. */
export function judgeMemory(
  bench: MemoryBench,
  candidates: readonly MemoryCandidate[],
): readonly MemoryVerdict[] {
  const turn: Turn = {
    bench,
    items: new Map(bench.memory.items),
    texts: new Map(bench.texts),
    touched: new Set(),
    remembered: bench.remembered,
  }
  return candidates.map((candidate) => ({ callId: candidate.callId, ...judge(turn, candidate) }))
}

type Judged = Omit<MemoryVerdict, 'callId'>

const refused = (
  code: MemoryRefusal,
  message: string,
  changes: readonly MemoryDraft[] = [],
): Judged => ({ code, message, changes })

const isMemoryTool = (tool: string): tool is MemoryToolName =>
  memoryToolNames.some((name) => name === tool)

function judge(turn: Turn, candidate: MemoryCandidate): Judged {
  const { tool, args } = candidate
  if (!isMemoryTool(tool)) return refused('invalid_arguments', `There is no tool ${tool}.`)
  switch (tool) {
    case 'remember': {
      const read = memoryArguments.remember.safeParse(args)
      return read.success ? remember(turn, candidate.callId, read.data) : malformed(read.error)
    }
    case 'revise': {
      const read = memoryArguments.revise.safeParse(args)
      return read.success ? revise(turn, candidate.callId, read.data) : malformed(read.error)
    }
    case 'forget': {
      const read = memoryArguments.forget.safeParse(args)
      return read.success ? forget(turn, read.data.id) : malformed(read.error)
    }
  }
}

const malformed = ({ issues }: z.ZodError): Judged => {
  const [issue] = issues
  return refused('invalid_arguments', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`)
}

/** What an item is to say, and by which words. */
interface Said {
  readonly text: string
  readonly sources: readonly NumberedWords[]
  readonly until: number | null
}

function remember(
  turn: Turn,
  callId: string,
  { text, kind, from, confidence, until }: MemoryArgs<'remember'>,
): Judged {
  const read = readSaid(turn, callId, { text, from, until })
  if ('code' in read) return read
  const { kinds } = turn.bench
  if (confidence < limits.memoryConfidenceMin)
    return refused('unsure', `Only what is at least ${limits.memoryConfidenceMin} sure is kept.`)
  if (kinds !== null && !kinds.includes(kind))
    return refused('forbidden_kind', `Kept are: ${kinds.join(', ')}.`)
  if (kind === 'event' && read.until === null)
    return refused('invalid_arguments', 'until: An event needs the last day on which it matters.')
  const twin = twinOf(turn, { text: read.text, kind, until: read.until })
  if (twin) return restated(turn, callId, { twin, said: read, kind, confidence })
  if (turn.remembered >= limits.memoryPerRunMax) return tooMany()
  return put(turn, callId, { id: itemIdOf(callId), op: 'add', said: read, kind, confidence })
}

function revise(
  turn: Turn,
  callId: string,
  { id, text, from, until }: MemoryArgs<'revise'>,
): Judged {
  const item = turn.items.get(id)
  const why = whyUntouchable(turn, id)
  if (why || !item) return why ?? unknown(id)
  const read = readSaid(turn, callId, { text, from, until })
  if ('code' in read) return read
  const held = read.until ?? (until === undefined ? (item.until ?? null) : null)
  const { kind, confidence } = item
  const own = turn.texts.get(id)
  const isSame = own !== undefined && likenessOf(own, read.text) === 'same'
  const twin = isSame
    ? ({ id, how: 'same' } as const)
    : twinOf(turn, { text: read.text, kind, until: held }, id)
  if (twin?.how === 'same') return restated(turn, callId, { twin, said: read, kind, confidence })
  if (turn.remembered >= limits.memoryPerRunMax) return tooMany()
  return put(turn, callId, { id, op: 'revise', said: { ...read, until: held }, kind, confidence })
}

function forget(turn: Turn, id: string): Judged {
  const why = whyUntouchable(turn, id)
  if (why) return why
  turn.items.delete(id)
  turn.touched.add(id)
  const changes = [{ op: 'drop', id, reason: 'forgotten' }] as const
  return { code: 'ok', message: `${id} is forgotten.`, changes }
}

type MemoryArgs<N extends MemoryToolName> = z.infer<(typeof memoryArguments)[N]>

const unknown = (id: string): Judged => refused('unknown_item', `There is no item ${id}.`)

const tooMany = (): Judged =>
  refused('too_many', `A run keeps at most ${limits.memoryPerRunMax} items.`)

/** Why no call may change the item; null if it may. */
function whyUntouchable({ items, touched }: Turn, id: string): Judged | null {
  if (touched.has(id))
    return refused('one_at_a_time', `Another call of this turn is about ${id} already.`)
  const item = items.get(id)
  if (!item) return unknown(id)
  return item.by === 'person' ? refused('persons', `A person wrote ${id}: it stays.`) : null
}

/** Reads a text with its sources by the rules that are about it alone. */
function readSaid(
  { bench }: Turn,
  callId: string,
  asked: {
    readonly text: string
    readonly from: readonly number[]
    readonly until: string | undefined
  },
): Said | Judged {
  const text = asked.text
    .normalize('NFC')
    .replaceAll(/[ \t]+/g, ' ')
    .trim()
  if (text === '') return refused('invalid_arguments', 'text: It says nothing.')
  if (Array.from(text).length > limits.memoryItemCharsMax)
    return refused('too_long', `An item has at most ${limits.memoryItemCharsMax} characters.`)
  if (bench.secret.has(callId)) return refused('secret', 'Secrets are not kept.')
  const why = whyNoFact(text)
  if (why !== null) return refused('not_a_fact', `This is no fact about the user: ${why}.`)
  const numbers = [...new Set(asked.from)]
  const sources = bench.words.filter(({ n }) => numbers.includes(n))
  if (sources.length === 0 || sources.length < numbers.length)
    return refused('not_said', 'from: It takes numbers of messages of the user that say it.')
  const told = sources.map((source) => source.text).join('\n')
  const [number] = unsaidNumbers(text, told)
  if (number !== undefined)
    return refused('not_said', `The user did not say ${number} in these messages.`)
  if (shareIn(text, told) < saidFrom)
    return refused('not_said', 'The user did not say so in these messages, in own words.')
  if (asked.until === undefined) return { text, sources, until: null }
  const until = endOfDay(asked.until)
  if (until === null) return refused('invalid_arguments', 'until: It takes a day as YYYY-MM-DD.')
  if (until < newest(sources))
    return refused('invalid_arguments', 'until: That day was over when the user said this.')
  return { text, sources, until }
}

const newest = (sources: readonly NumberedWords[]): number =>
  Math.max(...sources.map(({ said }) => said))

interface Twin {
  readonly id: string
  readonly how: 'same' | 'opposite'
}

/** Another item that says the same, or the opposite. Two events on other days are two events. */
function twinOf(
  { items, texts }: Turn,
  said: { readonly text: string; readonly kind: MemoryKind; readonly until: number | null },
  except: string | null = null,
): Twin | null {
  let opposite: Twin | null = null
  for (const { id, kind, until } of itemsOf({ ...emptyMemory, items })) {
    const text = id === except ? undefined : texts.get(id)
    const likeness = text === undefined ? 'different' : likenessOf(text, said.text)
    if (likeness === 'different') continue
    const areEvents = kind === 'event' && said.kind === 'event'
    if (areEvents && (until ?? null) !== said.until) continue
    if (likeness !== 'opposite') return { id, how: 'same' }
    opposite ??= { id, how: 'opposite' }
  }
  return opposite
}

/** It is there already, or its opposite is. */
function restated(
  turn: Turn,
  callId: string,
  {
    twin: { id, how },
    said,
    kind,
    confidence,
  }: {
    readonly twin: Twin
    readonly said: Said
    readonly kind: MemoryKind
    readonly confidence: number
  },
): Judged {
  const item = turn.items.get(id)
  if (!item) return unknown(id)
  if (how === 'opposite') {
    const why = whyUntouchable(turn, id)
    if (why) return why
    if (turn.remembered >= limits.memoryPerRunMax) return tooMany()
    return { ...put(turn, callId, { id, op: 'revise', said, kind, confidence }), code: 'replaced' }
  }
  const known = [...item.sources, ...item.confirmedBy]
  const news = momentsOf(said).filter((at) => !known.some((each) => isSameMoment(each, at)))
  const isTaken = turn.touched.has(id) || item.by === 'person' || news.length === 0
  turn.touched.add(id)
  const at = newest(said.sources)
  const confirm: MemoryDraft = { op: 'confirm', id, sources: [...news], at }
  return refused('duplicate', `${id} says so already.`, isTaken ? [] : [confirm])
}

const momentsOf = ({ sources }: Said): readonly Moment[] => sources.map(({ at }) => at)

/** Puts the text into the memory, and whatever gives way to it. */
function put(
  turn: Turn,
  callId: string,
  {
    id,
    op,
    said,
    kind,
    confidence,
  }: {
    readonly id: string
    readonly op: 'add' | 'revise'
    readonly said: Said
    readonly kind: MemoryKind
    readonly confidence: number
  },
): Judged {
  const since = newest(said.sources)
  const until = said.until === null ? {} : { until: said.until }
  const bytes = bytesAsUtf8(said.text)
  const about = { id, bytes, kind, sources: [...momentsOf(said)], confidence, since, ...until }
  const draft = { op, ...about, by: 'model', text: said.text } as const
  const others = [...turn.items.values()].filter((item) => item.id !== id)
  const weighed: readonly Weighed[] = [
    ...others,
    { id, bytes, kind, confidence, heard: since, by: 'model' },
  ]
  const crowded = crowdedOut(weighed, since)
  // What is new counts least itself.
  if (crowded === null || crowded.includes(id))
    return refused('full', 'There is no room, and nothing there counts for less.')
  const at = { runId: callId, seq: 0 }
  turn.items.set(id, { ...about, key: '', by: 'model', confirmedBy: [], heard: since, at })
  turn.texts.set(id, said.text)
  turn.touched.add(id)
  turn.remembered += 1
  const drops = crowded.map((other): MemoryDraft => {
    turn.items.delete(other)
    turn.touched.add(other)
    return { op: 'drop', id: other, reason: 'capacity' }
  })
  return { code: 'ok', message: `Kept as ${id}.`, changes: [draft, ...drops] }
}
