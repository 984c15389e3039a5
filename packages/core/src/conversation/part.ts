/** The part of a conversation before a moment between turns, for whoever sums it up. */
import { bytesAsJson } from '../text/utf8.ts'
import type { ShownNotes } from '../memory/shown.ts'
import type { Moment } from '../room-measure.ts'
import type { Conversation } from './conversation.ts'
import { entriesThrough, newestWords, type Words } from './cut.ts'
import type { KeptInstructions } from './instructions.ts'
import { notesShown } from './notes.ts'
import { type Clips, mayBeKept, serialised, type Texts } from './serialise.ts'
import { elsewhere } from './weights.ts'
import { type Beginning, wholeBeginning, type Entry } from './write.ts'

/** A part of a conversation, up to a moment. */
export interface ConversationPart {
  /** Bytes as JSON, as requests show it, of what gives way to a summary: all but the words that stay. 0: there is nothing. */
  readonly bytes: number
  /** Those of them that are an earlier summary, with what the log says beside it. */
  readonly summaryBytes: number
  /**
   * So many messages of the request, system messages not counted, are before the first turn that may not be kept, whether that is before the
   * moment or behind it. Null: there is none, and whoever sums up may be shown the request as it is.
   */
  readonly clean: number | null
  /** The newest message of a user in it, unless there are newer ones behind it. */
  readonly words: Words | null
  /** The messages right before that one, oldest first: with it, they are what was said at once. */
  readonly earlierWords: readonly Words[]
  /** The notes about the user in it that hold. */
  readonly memory: ShownNotes | null
  /** Keys of long words in it that stand elsewhere; of what may not be kept, none. */
  readonly blobs: readonly string[]
  /** System messages that came as input, so far, as a fact may hold them. */
  readonly instructions: KeptInstructions
  /** Written out, turns that may not be kept left out. */
  text(clips: Clips): string
  /** The same of what the messages that are `clean` do not say; empty where they say all of it. */
  rest(clips: Clips): string
}

/** `texts`: by their keys, long words that stand elsewhere; head and tail of those that are not in it. */
export function partOf(
  conversation: Conversation,
  through: Moment,
  texts: Texts = new Map(),
): ConversationPart {
  const { entries, results } = conversation
  const count = entriesThrough(conversation, through)
  const before = entries.all.slice(0, count)
  const isNewer = newestWords(entries.all.slice(count)).length > 0
  const words = isNewer ? [] : newestWords(before)
  const clean = cleanOf(conversation)
  const [first] = before
  const bytes = before.reduce((sum, entry) => sum + bytesOf(entry, conversation), 0)
  return {
    bytes: bytes - words.reduce((sum, { parts }) => sum + bytesOfParts(parts), 0),
    summaryBytes: first?.type === 'said' && first.isSummary ? bytesOf(first, conversation) : 0,
    clean: clean && clean.messages,
    words: words.at(-1) ?? null,
    earlierWords: words.slice(0, -1),
    memory: conversation.hasNotes ? notesShown(before) : null,
    blobs: before
      .filter(mayBeKept)
      .filter(isNoBlock)
      .flatMap(({ parts }) => blobsIn(parts)),
    instructions: conversation.instructions.kept(),
    text: (clips) => serialised(before, { results, clips, texts }),
    rest: (clips) =>
      clean ? serialised(before.slice(clean.entries), { results, clips, texts }) : '',
  }
}

const isNoBlock = (entry: Entry): boolean => entry.type !== 'said' || !entry.isMemory

const blobsIn = (parts: Entry['parts']): readonly string[] =>
  parts.flatMap((part) => (part.type === 'blob' ? [part.key] : []))

/** The beginning before the first turn that may not be kept; null if there is none. */
function cleanOf(conversation: Conversation): Beginning | null {
  const first = conversation.entries.all.findIndex((entry) => !mayBeKept(entry))
  return first < 0 ? null : wholeBeginning(conversation, first)
}

function bytesOf(entry: Entry, { results }: Conversation): number {
  const own = bytesOfParts(entry.parts)
  if (entry.type === 'said') return own
  return entry.parts.reduce(
    (bytes, part) =>
      part.type === 'tool_call' ? bytes + bytesAsJson(results.get(part.id)?.content ?? []) : bytes,
    own,
  )
}

const bytesOfParts = (parts: Entry['parts']): number => bytesAsJson(parts) + elsewhere(parts)
