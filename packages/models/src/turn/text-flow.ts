/**
 * Text on its way from the stream to whoever reads it. With a guard:
 *
 * G1 Nothing is kept or shown but what the guard released; after a trip nothing more.
 * G2 Each part of the message is one text to the guard, from its first push to its one end: a part that was ended is
 *    never continued. So what the guard judged is exactly what is kept, however parts of two kinds alternate.
 * G3 What the guard changed has lost its provider metadata: it may sign, or quote, the text as it was.
 * G4 What the guard still holds back when a stream does not close positively is dropped: it may be the beginning of what the
 *    guard looks for. That a part ended says nothing, for packages end open parts when a stream is cut.
 * G5 What comes at once is judged at once, when all that has come was read: a guard costs by the piece, not by the character.
 *    Nothing waits for the network.
 */
import type { JsonObject, Trip } from '@signalbox/core'
import type { Guarded, StreamGuard } from '@signalbox/engine'
import type { ModelSink } from '@signalbox/engine'
import { TextCleaner } from '../text.ts'

type Kind = 'text' | 'reasoning'

/** More characters than these wait for nothing. */
const waitingMax = 4096

/** A text, or a thought, as it grows. */
export interface TextSlot {
  readonly type: Kind
  readonly id: string
  readonly cleaner: TextCleaner
  /** Cleans what the guard made of it. */
  readonly released: TextCleaner
  /** What is kept of it. */
  text: string
  /** What the guard was given. Empty without a guard. */
  judged: string
  /** Ended by its own word: more of the same id is another part. */
  ended: boolean
  /** Ended for the guard. */
  closed: boolean
  meta: JsonObject | undefined
}

/** The texts of one turn. */
export class TextFlow {
  readonly #sink: ModelSink
  readonly #guard: StreamGuard | null
  /** The part of each kind that the guard has open. */
  readonly #open = new Map<Kind, TextSlot>()
  readonly #stopped = Promise.withResolvers<void>()
  #trip: Trip | null = null
  /** The text that has come and is not judged. */
  #waiting: { readonly slot: TextSlot; text: string } | null = null
  #isDue = false
  /** The error that judging it failed with. */
  #fault: { readonly error: unknown } | null = null

  constructor(sink: ModelSink, guard: StreamGuard | null) {
    this.#sink = sink
    this.#guard = guard
  }

  /** Resolves when nothing more need come: the guard has tripped, or what has come could not be shown. */
  get stopped(): Promise<void> {
    return this.#stopped.promise
  }

  /** The trip that ended the attempt, null if there was none. */
  get trip(): Trip | null {
    return this.#trip
  }

  /** More of a part's text. */
  write(slot: TextSlot, piece: string): void {
    const text = slot.cleaner.push(piece)
    if (this.#guard === null || text === '') return this.#emit(slot, text)
    if (this.#trip !== null) return
    if (this.#waiting?.slot !== slot) this.settle()
    this.#openFor(slot)
    this.#waiting ??= { slot, text: '' }
    this.#waiting.text += text
    if (this.#waiting.text.length >= waitingMax) this.settle()
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      try {
        this.settle()
      } catch (error) {
        this.#fault = { error }
        this.#stopped.resolve()
      }
    })
  }

  /** Judges what has come. Throws what that failed with. */
  settle(): void {
    if (this.#fault) throw this.#fault.error
    const waiting = this.#waiting
    this.#waiting = null
    if (waiting) this.#emit(waiting.slot, waiting.text)
  }

  /** Nobody wants any of it. */
  abandon(): void {
    this.#waiting = null
  }

  /** The part ends here, by its own word. With a guard it is over once more of its kind comes, or the turn closes positively. */
  end(slot: TextSlot): void {
    slot.ended = true
    if (this.#guard === null) this.close(slot)
  }

  /** The part is over, and whole; or `cut` off. */
  close(slot: TextSlot, how: 'end' | 'cut' = 'end'): void {
    if (slot.closed) return
    this.settle()
    this.#emit(slot, slot.cleaner.flush())
    if (this.#open.get(slot.type) === slot) this.#close(slot, how)
  }

  #emit(slot: TextSlot, piece: string): void {
    if (piece === '') return
    if (this.#guard === null) return this.#show(slot, piece)
    this.#openFor(slot)
    slot.judged += piece
    const guarded = this.#guard.push(slot.type, piece)
    this.#take(slot, guarded)
    // What goes out before a trip is answered first, the trip to the next call: the next delta may be long in coming.
    if (guarded.type === 'released' && guarded.text !== '')
      this.#take(slot, this.#guard.push(slot.type, ''))
  }

  /** The part before it is over as soon as more of its kind comes. */
  #openFor(slot: TextSlot): void {
    const open = this.#open.get(slot.type)
    if (open === slot) return
    if (open) this.close(open)
    this.#open.set(slot.type, slot)
  }

  #close(slot: TextSlot, how: 'end' | 'cut'): void {
    this.#open.delete(slot.type)
    slot.closed = true
    if (this.#guard === null) return
    this.#take(slot, this.#guard[how](slot.type))
    if (this.#trip === null) this.#show(slot, slot.released.flush())
  }

  #take(slot: TextSlot, guarded: Guarded): void {
    if (guarded.type === 'tripped') {
      this.#trip ??= guarded.trip
      this.#stopped.resolve()
    } else if (this.#trip === null) this.#show(slot, slot.released.push(guarded.text))
  }

  #show(slot: TextSlot, piece: string): void {
    if (piece === '') return
    slot.text += piece
    this.#sink.delta(slot.type, piece)
  }
}

/** A part without text. */
export function textSlot(type: Kind, id: string): TextSlot {
  return {
    type,
    id,
    cleaner: new TextCleaner(),
    released: new TextCleaner(),
    text: '',
    judged: '',
    ended: false,
    closed: false,
    meta: undefined,
  }
}

/** The provider's metadata of a part, unless the guard changed its text (G3). */
export function metaOf({ closed, judged, text, meta }: Readonly<TextSlot>): JsonObject | undefined {
  return meta !== undefined && closed && judged !== text ? undefined : meta
}
