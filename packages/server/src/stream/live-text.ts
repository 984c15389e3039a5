/**
 * Text in flight, on its way to one client.
 *
 * T1 Text of a message never follows the event that completed it. What came by then goes right before it: a guardrail may hold the
 *    end of an answer back until the stream of the provider has closed.
 * T2 What waits for a slow client is one growing piece per attempt, and bounded.
 */
import type { LiveText, StoredEvent } from '@signalbox/engine'
import { z } from 'zod'
import { askedModelCalls, firstAttempt } from './step-resets.ts'

const Completed = z.object({ turn: z.object({ message: z.object({ id: z.string() }) }) })

export class TextInFlight {
  readonly #charsMax: number
  #pending: LiveText[] = []
  #chars = 0
  /** The attempt that was shown last, by message. */
  readonly #shown = new Map<string, number>()
  /** Attempts up to this one are over, by message. */
  readonly #over = new Map<string, number>()

  /** The message that the event at hand completes, and its attempts that were over before. */
  #completed: { readonly messageId: string; readonly over: number } | null = null

  constructor(charsMax: number) {
    this.#charsMax = charsMax
  }

  /** Takes a piece from the bus. Answers false when too much waits: the client is too slow. */
  push(piece: LiveText): boolean {
    if (this.isOver(piece)) return true
    const last = this.#pending.at(-1)
    if (last && last.messageId === piece.messageId && last.attempt === piece.attempt) {
      const follows = last.offset + last.text.length === piece.offset
      if (follows || piece.offset === 0) {
        const whole = follows ? { ...last, text: last.text + piece.text } : piece
        this.#pending.splice(-1, 1, whole)
        this.#chars += whole.text.length - last.text.length
        return this.#chars <= this.#charsMax
      }
    }
    this.#pending.push(piece)
    this.#chars += piece.text.length
    return this.#chars <= this.#charsMax
  }

  /** Does text of a message or attempt wait that has not been shown? Then events before it must be read first. */
  get begins(): boolean {
    return this.#pending.some((piece) => this.#shown.get(piece.messageId) !== piece.attempt)
  }

  /** What may be shown, unless it is over by then; it is gone from here. */
  take(): readonly LiveText[] {
    const pieces = this.#pending.filter((piece) => !this.isOver(piece))
    this.#pending = []
    this.#chars = 0
    for (const piece of pieces) this.#shown.set(piece.messageId, piece.attempt)
    return pieces
  }

  /** Learns from an event that is being shown which text is over. */
  see(event: StoredEvent): void {
    this.#completed = null
    if (event.type === 'model.completed') {
      const parsed = Completed.safeParse(event.payload)
      if (parsed.success) this.#complete(parsed.data.turn.message.id)
    }
    // The same message is written once more.
    for (const call of askedModelCalls(event))
      this.#over.set(call.messageId, firstAttempt(call) - 1)
  }

  /** The last text of the message that the event at hand completes, of what was taken and of what waits. */
  lastWords(taken: readonly LiveText[]): readonly LiveText[] {
    const completed = this.#completed
    if (!completed) return []
    this.#completed = null
    const { messageId, over } = completed
    const isLast = (piece: LiveText): boolean =>
      piece.messageId === messageId && piece.attempt > over
    return [...taken, ...this.#pending].filter(isLast)
  }

  #complete(messageId: string): void {
    this.#completed = { messageId, over: this.#over.get(messageId) ?? -1 }
    this.#over.set(messageId, Number.POSITIVE_INFINITY)
  }

  /** Was the event that completed this text shown already? */
  isOver(piece: LiveText): boolean {
    return piece.attempt <= (this.#over.get(piece.messageId) ?? -1)
  }
}
