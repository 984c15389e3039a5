/** The part of a conversation that a memory is made of at a time. */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { Moment } from '../room-measure.ts'

/** Asked for with a run that learns. */
export const LearnRange = z.object({
  /** The thread that is learned from. */
  threadId: z.string(),
  /** Behind this moment: the newest one that was learned from when the run was created. Null: from the beginning. */
  from: Moment.nullable(),
  /** Up to this moment, the end of the run that asked. */
  through: Moment,
})

/** What a run has in fact learned from: pinned in its first model call. */
export const PinnedRange = LearnRange.extend({
  /** Events that hold the words of users, by their numbers from 1 on. */
  words: z.array(Moment).max(limits.learnWordsMax),
})

export type LearnRange = z.infer<typeof LearnRange>
export type PinnedRange = z.infer<typeof PinnedRange>
