/**
 * The measure that a performer takes of a request: its weight, and the places between turns at which it could be made lighter. The performer
 * has read the conversation, which the decider never does; the measure is pinned in the fact of the call.
 */
import { z } from 'zod'
import { limits } from './limits.ts'

const count = z.number().int().min(0)

/** A place in a conversation: right after this event. */
export const Moment = z.object({
  /** The run of the event. */
  runId: z.string(),
  /** Its number in the log of that run. */
  seq: z.number().int().min(0),
})

/** A place between turns, in the request that was measured. */
export const RoomCut = z.object({
  /** The newest event before it. */
  at: Moment,
  /** Turns behind it. */
  turns: count,
  /** Tokens of what is behind it. */
  kept: count,
  /** Results before it that may be cleared. */
  results: count,
  /** Tokens that they would lose. */
  cleared: count,
  /** Long messages before it that may be shortened. */
  inputs: count,
  /** Tokens that they would lose. */
  shortened: count,
})

/** A measured request. */
export const RoomMeasure = z.object({
  /** Its tokens: as the provider counted, or by the length that is known. */
  tokens: count,
  /** The window that it was measured against; absent where nobody knows one. */
  window: count.optional(),
  /** The model was not asked: the request cannot fit, or is to be made lighter first. */
  unsent: z.literal(true).optional(),
  /** It fits, and is the first of its run: nobody had measured it before. It goes as it is where nothing comes of making it lighter. */
  early: z.literal(true).optional(),
  /** Tokens of each image that it shows, oldest first. Absent: it shows none. */
  images: z.array(count).min(1).max(limits.imagesMax).optional(),
  /** From the newest on. */
  cuts: z.array(RoomCut).max(limits.roomCutsMax),
})

export type Moment = z.infer<typeof Moment>
export type RoomCut = z.infer<typeof RoomCut>
export type RoomMeasure = z.infer<typeof RoomMeasure>
