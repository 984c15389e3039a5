/**
 * Where a client is in a stream: the id of its last frame. Opaque to clients; a plain number is the number of an event, and
 * means that all frames of it were had.
 */

/** Kinds of frames that show text while it is written, in the order in which positions count them. */
export const textKinds = ['tuple', 'metadata', 'partial', 'events', 'own'] as const
export type TextKind = (typeof textKinds)[number]

/** How many characters of a message the client has, by kind of frame. */
export type Lengths = Readonly<Record<TextKind, number>>

/** Text of a message that is still being written. */
export interface TextPosition {
  readonly turn: number
  readonly attempt: number
  readonly lengths: Lengths
}

export interface Position {
  /** The last event of which the client has a frame; 0 before the first. */
  readonly seq: number
  /** The last frame of it that the client has, or passed over. */
  readonly slot: number
  readonly text: TextPosition | null
}

/** The frames of an event have smaller slots than what is live after it, and that than what ends a stream. */
export const slots = {
  reset: 1,
  event: 2,
  step: 3,
  live: 100_000,
  waiting: 200_000,
  end: 200_010,
} as const

/** Before the first frame. */
export const start: Position = { seq: 0, slot: 0, text: null }

/** Behind all frames of an event. */
export const behind = (seq: number): Position =>
  seq === 0 ? start : { seq, slot: slots.live, text: null }

/** The same length for all kinds. */
export const sameLengths = (length: number): Lengths => ({
  tuple: length,
  metadata: length,
  partial: length,
  events: length,
  own: length,
})

export function writePosition({ seq, slot, text }: Position): string {
  if (text === null) return `${seq}.${slot}`
  const lengths = textKinds.map((kind) => text.lengths[kind])
  const same = lengths.every((length) => length === lengths[0])
  return `${seq}.${slot}.${text.turn}.${text.attempt}.${same ? lengths[0] : lengths.join('-')}`
}

const pattern =
  /^(\d{1,10})(?:\.(\d{1,6})(?:\.(\d{1,9})\.(\d{1,9})\.(\d{1,9}(?:-\d{1,9}){0,4}))?)?$/

/** Null for what is no position. */
export function parseFramePosition(id: string): Position | null {
  const [, seq, slot, turn, attempt, text] = pattern.exec(id) ?? []
  if (seq === undefined) return null
  if (slot === undefined) return behind(Number(seq))
  const at = { seq: Number(seq), slot: Number(slot) }
  if (text === undefined) return { ...at, text: null }
  const lengths = readLengths(text.split('-').map(Number))
  return lengths && { ...at, text: { turn: Number(turn), attempt: Number(attempt), lengths } }
}

function readLengths(numbers: readonly number[]): Lengths | null {
  const [tuple = 0, metadata = tuple, partial = tuple, events = tuple, own = tuple] = numbers
  if (numbers.length !== 1 && numbers.length !== textKinds.length) return null
  return { tuple, metadata, partial, events, own }
}

/** Had the client this frame already? */
export const isPast = (position: Position, seq: number, slot: number): boolean =>
  seq < position.seq || (seq === position.seq && slot <= position.slot)
