/** The part of a conversation before a moment between turns, for whoever sums it up. */
import { bytesAsJson } from '../text/utf8.ts'
import type { Moment } from '../room-measure.ts'
import type { Conversation } from './conversation.ts'
import { entriesThrough, newestWords, type Words } from './cut.ts'
import { type Clips, mayBeKept, serialised } from './serialise.ts'
import type { Entry } from './write.ts'

/** A part of a conversation, up to a moment. */
export interface ConversationPart {
  /** Its bytes as JSON, as requests show it. 0: there is nothing before the moment. */
  readonly bytes: number
  /**
   * Holds the conversation a turn that may not be kept, before the moment or behind it? Then the request of the turn, which shows both, is not
   * shown to whoever sums up.
   */
  readonly hasGap: boolean
  /** The newest words of a user in it, unless there are newer ones behind it. */
  readonly words: Words | null
  /** System messages that came as input, so far. */
  readonly instructions: readonly string[]
  /** Written out, turns that may not be kept left out. */
  text(clips: Clips): string
}

export function partOf(conversation: Conversation, through: Moment): ConversationPart {
  const { entries, results } = conversation
  const count = entriesThrough(conversation, through)
  const before = entries.all.slice(0, count)
  const behind = newestWords(entries.all.slice(count))
  return {
    bytes: before.reduce((bytes, entry) => bytes + bytesOf(entry, conversation), 0),
    hasGap: !entries.all.every(mayBeKept),
    words: behind ? null : newestWords(before),
    instructions: [...conversation.instructions],
    text: (clips) => serialised(before, { results, clips }),
  }
}

function bytesOf(entry: Entry, { results }: Conversation): number {
  const own = bytesAsJson(entry.parts)
  if (entry.type === 'said') return own
  return entry.parts.reduce(
    (bytes, part) =>
      part.type === 'tool_call' ? bytes + bytesAsJson(results.get(part.id)?.content ?? []) : bytes,
    own,
  )
}
