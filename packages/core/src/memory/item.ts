/**
 * The items of a memory, and the changes of them as events keep them. Texts stand in blobs of the memory thread, named by their keys, so that one
 * can be erased without the others.
 */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { Moment } from '../room-measure.ts'

/** The sorts of facts about somebody that are worth to be kept. The state of a task, and what files hold, are none. */
export const MemoryKind = z.enum([
  'preference',
  'profile',
  'goal',
  'constraint',
  'correction',
  'event',
])

/** Made by a model of the words of a user, or written by a person, whose items no model touches. */
export const MemoryAuthor = z.enum(['model', 'person'])

/** Names an item for good: none is given twice, also not to another text after the first is gone. */
const id = z.string().min(1).max(limits.idCharsMax)

const text = {
  /** Names the blob of the text. */
  key: z.string().min(1).max(limits.idCharsMax),
  /** Of the text, as UTF-8. */
  bytes: z.number().int().min(0),
  kind: MemoryKind,
  /** The words of the user that it was made of: the events that hold them. Empty with a person. */
  sources: z.array(Moment).max(limits.memorySourcesMax),
  confidence: z.number().min(0).max(1),
  /** When those words were said. Milliseconds since the epoch. */
  since: z.number().int().min(0),
  /** Not shown after this. Milliseconds since the epoch. Absent: it holds until somebody says otherwise. */
  until: z.number().int().min(0).optional(),
  by: MemoryAuthor,
}

/**
 * Why an item is gone. `forgotten`: the user said so, or contradicted it. `capacity`: others count for more. `erased`: what it was made of was.
 * `person`: a person removed it.
 */
export const DropReason = z.enum(['forgotten', 'capacity', 'erased', 'person'])

/** One change of a memory. */
export const MemoryChange = z.discriminatedUnion('op', [
  z.object({ op: z.literal('add'), id, ...text }),
  /** The item says something else from here on. */
  z.object({ op: z.literal('revise'), id, ...text }),
  /** The user said it again: by which words, and when. */
  z.object({
    op: z.literal('confirm'),
    id,
    sources: z.array(Moment).min(1).max(limits.memorySourcesMax),
    at: z.number().int().min(0),
  }),
  z.object({ op: z.literal('drop'), id, reason: DropReason }),
  /** All items go, and nothing that was said up to this moment is learned any more. Milliseconds since the epoch. */
  z.object({ op: z.literal('reset'), at: z.number().int().min(0) }),
])

/** The changes that one event says. */
export const MemoryChanges = z.array(MemoryChange).min(1).max(limits.memoryChangesMax)

export type MemoryKind = z.infer<typeof MemoryKind>
export type MemoryAuthor = z.infer<typeof MemoryAuthor>
export type DropReason = z.infer<typeof DropReason>
export type MemoryChange = z.infer<typeof MemoryChange>
export type MemoryChanges = z.infer<typeof MemoryChanges>
