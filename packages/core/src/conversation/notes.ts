/**
 * Notes about the user in a conversation: a block before the words of the run whose first model call pinned it. A conversation holds references;
 * their texts stand in the memory alone.
 *
 * E1 What was shown stays where it was (C14): a later run shows what is new by a block of its own. A summary takes the blocks over that it stands
 *    for, as one, without what does not hold any more.
 * E2 A run pins once. Said again it is the same, and of an attempt that was lost nothing stays.
 */
import { limits } from '../limits.ts'
import { memoryPart, notesIn, type PinnedMemory, type ShownNotes } from '../memory/shown.ts'
import type { Conversation } from './conversation.ts'
import type { SaidAt } from './place.ts'
import type { Entry, Said } from './write.ts'

/** The block of a run, or the one that a summary has taken over. */
const isBlock = (entry: Entry | undefined): entry is Said =>
  entry?.type === 'said' && entry.isMemory === true

/** The block of the run at hand begins its words. */
export function pinNotes(conversation: Conversation, pinned: PinnedMemory): void {
  const { entries, begun } = conversation
  conversation.pinned = pinned
  const before = entries.all[conversation.from - 1]
  const isThere = isBlock(before) && before.at === begun && !before.isSummary
  const block = blockOf(pinned, begun)
  if (isThere && JSON.stringify(block?.parts) === JSON.stringify(before.parts)) return
  if (isThere) {
    entries.remove(conversation.from - 1)
    conversation.from -= 1
  }
  if (!block) return
  entries.insert(conversation.from, block)
  // Behind it: a refusal forgets the words of the run, and not the notes.
  conversation.from += 1
}

/** Null: it would say nothing. */
function blockOf(
  { threadId, at, notes, gone, last, first, bytes }: ShownNotes,
  place: SaidAt,
): Said | null {
  if (notes.length === 0 && gone.length === 0) return null
  const shown = { threadId, at, notes, gone, last, bytes, ...(first ? { first } : {}) }
  return { type: 'said', at: place, parts: [memoryPart(shown)], isMemory: true }
}

/** The block that a summary has taken over. */
export function keptBlock(notes: ShownNotes | undefined, place: SaidAt): readonly Said[] {
  const block = notes && blockOf(notes, place)
  return block ? [{ ...block, isSummary: true }] : []
}

/** The notes that these entries show and that hold, as one; null where they show none. */
export function notesShown(entries: readonly Entry[]): ShownNotes | null {
  const blocks = entries.filter(isBlock).flatMap(({ parts }) =>
    parts.flatMap((part) => {
      const notes = notesIn(part)
      return notes ? [notes] : []
    }),
  )
  const newest = blocks.at(-1)
  if (!newest) return null
  const gone = new Set(blocks.flatMap((block) => block.gone))
  const notes = blocks.flatMap((block) => block.notes).filter(({ n }) => !gone.has(n))
  return {
    threadId: newest.threadId,
    at: newest.at,
    notes: notes.slice(-2 * limits.memoryItemsMax),
    gone: [],
    last: Math.max(...blocks.map(({ last }) => last)),
    first: true,
    bytes: blocks.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}
