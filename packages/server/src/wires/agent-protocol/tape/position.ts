/**
 * Where a client is on the tape of a thread, as one whole number: the `seq` of Agent Protocol v2.
 *
 * P1 Greater is later, on one thread: first by the place of the run, then by its event, then by the slot behind that event.
 * P2 Every number stays exact in a double: 19 bits for the run, 14 for its event, 20 for the slot.
 */
export interface TapePlace {
  /** The place of the run in its thread, from 1. */
  readonly run: number
  /** The last event of the run before this place. */
  readonly seq: number
  readonly slot: number
}

const slotsMax = 2 ** 20
const eventsMax = 2 ** 14

/** Behind an event: what it says itself, then the step that it is part of, then what is live until the next one. */
export const slots = { event: 1, step: 16, live: 400_000 } as const

/** The greatest number that is a place. */
export const positionMax = Number.MAX_SAFE_INTEGER

/** Beyond its width a part stands still: then a resume repeats what it cannot tell apart, and loses nothing. */
export const writeTapePlace = ({ run, seq, slot }: TapePlace): number =>
  (run * eventsMax + Math.min(seq, eventsMax - 1)) * slotsMax + Math.min(slot, slotsMax - 1)

export function readTapePlace(position: number): TapePlace {
  const slot = position % slotsMax
  const rest = Math.floor(position / slotsMax)
  return { run: Math.floor(rest / eventsMax), seq: rest % eventsMax, slot }
}
