/** What a connection has shown of the message that is being written. */
import type { LiveText } from '@signalbox/engine'
import type { AiMessage } from '../../langgraph/messages.ts'
import { begunMessage, type MessageKey, wholeMessage, withdrawnMessage } from './message-events.ts'
import { slots } from './position.ts'
import type { Placed, TapeEvent } from './tape-event.ts'

interface Shown {
  readonly messageId: string
  /** Null where a resumed client does not say. */
  readonly attempt: number | null
  /** Its events that were shown. */
  readonly count: number
  /** As far as it is known. */
  readonly text: string
}

export class TapeMessage {
  readonly #runId: string
  #shown: Shown | null = null

  constructor(runId: string) {
    this.#runId = runId
  }

  /** The client has so many events of this message already. */
  resume(messageId: string, count: number): void {
    this.#shown = { messageId, attempt: null, count, text: '' }
  }

  /** The events that a piece of text adds. */
  *say({ messageId, attempt, offset, text }: LiveText): Generator<Placed, void, undefined> {
    if (text === '') return
    let shown = this.#shown?.messageId === messageId ? this.#shown : null
    if (shown?.attempt != null && attempt < shown.attempt) return
    if (!shown || (shown.attempt !== null && attempt > shown.attempt)) {
      const gone = this.withdraw()
      if (gone) yield { slot: slots.live, event: gone }
      shown = { messageId, attempt, count: 0, text: '' }
    }
    if (offset > shown.text.length) return
    const known = shown.text.slice(0, offset) + text
    const events = begunMessage(this.#key(messageId, String(attempt)), known)
    for (const [n, event] of events.entries())
      if (n >= shown.count) {
        this.#shown = { messageId, attempt, count: n + 1, text: known }
        yield { slot: slots.live + n, event }
      }
    this.#shown = { ...shown, attempt, count: Math.max(shown.count, events.length), text: known }
  }

  /** The events of a message that is done which were not shown, and null for those that were. */
  finish(
    message: AiMessage,
    written: { readonly attempt: number; readonly isCut: boolean } | undefined,
  ): readonly (TapeEvent | null)[] {
    const { id } = message
    const shown = this.#shown?.messageId === id ? this.#shown : null
    const attempt = String(written?.attempt ?? 0)
    if (!shown) return [null, ...wholeMessage(this.#key(id, attempt), message)]
    this.#shown = null
    const isOther = shown.attempt !== null && shown.attempt !== (written?.attempt ?? shown.attempt)
    const live = String(shown.attempt ?? attempt)
    if (written?.isCut === true || isOther || !message.content.startsWith(shown.text)) {
      const anew = isOther ? attempt : `${attempt}f`
      return [withdrawnMessage(this.#key(id, live)), ...wholeMessage(this.#key(id, anew), message)]
    }
    const events = wholeMessage(this.#key(id, live), message)
    return [null, ...events.map((event, n) => (n < shown.count ? null : event))]
  }

  /** What was shown does not count: says so, if anything was. */
  withdraw(messageId = this.#shown?.messageId): TapeEvent | null {
    if (!this.#shown || this.#shown.messageId !== messageId) return null
    const key = this.#key(messageId, String(this.#shown.attempt ?? 0))
    this.#shown = null
    return withdrawnMessage(key)
  }

  #key(messageId: string, attempt: string): MessageKey {
    return { runId: this.#runId, messageId, attempt }
  }
}
