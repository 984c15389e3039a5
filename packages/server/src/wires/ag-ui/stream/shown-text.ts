/**
 * Text while it is written.
 *
 * T1 A client gets each character once, in order.
 * T2 Text that is withdrawn leaves the client: its message is closed, and the caller sends a snapshot without it. The same
 *    id then begins anew, since it is the id of the message everywhere else.
 */
import type { LiveText } from '@signalbox/engine'
import type { AgUiEvent } from '../event.ts'

export class ShownText {
  #of: { readonly messageId: string; readonly attempt: number } | null = null
  #text = ''
  #isOpen = false

  /** The message in flight, as far as a client was shown it; null if none is. */
  get shown(): {
    readonly messageId: string
    readonly attempt: number
    readonly text: string
  } | null {
    return this.#of && { ...this.#of, text: this.#text }
  }

  /** Does the piece belong to another text than the one that is shown? Then that one is withdrawn first. */
  isAnother({ messageId, attempt }: LiveText): boolean {
    const { messageId: id, attempt: last } = this.#of ?? {}
    return this.#of !== null && (id !== messageId || (last ?? 0) < attempt)
  }

  *show({ messageId, attempt, offset, text }: LiveText): Generator<AgUiEvent, void, undefined> {
    if (this.#of && attempt < this.#of.attempt) return
    this.#of ??= { messageId, attempt }
    if (offset > this.#text.length) return
    const delta = text.slice(this.#text.length - offset)
    if (delta === '') return
    if (!this.#isOpen) yield { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' }
    this.#isOpen = true
    this.#text += delta
    yield { type: 'TEXT_MESSAGE_CONTENT', messageId, delta }
  }

  /** Ends the message, with the text that was not shown yet. */
  *end(rest = ''): Generator<AgUiEvent, void, undefined> {
    const messageId = this.#of?.messageId ?? ''
    if (this.#isOpen && rest !== '') yield { type: 'TEXT_MESSAGE_CONTENT', messageId, delta: rest }
    if (this.#isOpen) yield { type: 'TEXT_MESSAGE_END', messageId }
    this.#of = null
    this.#text = ''
    this.#isOpen = false
  }
}
