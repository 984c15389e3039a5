/** Text that was shown already. A resumed stream shows the message in flight from its beginning; this leaves the rest. */
import type { TextFrame } from './frame.ts'

/** Follows the text of one stream. One message is in flight at a time. */
export class SeenText {
  #last: { readonly messageId: string; readonly attempt: number; readonly length: number } | null =
    null

  /** What is new of a piece; null if nothing is. */
  take(piece: TextFrame): TextFrame | null {
    const { messageId, attempt, offset, text } = piece
    const last = this.#last?.messageId === messageId ? this.#last : null
    if (last && attempt < last.attempt) return null
    const known = last?.attempt === attempt ? last.length : 0
    if (offset + text.length <= known) return null
    this.#last = { messageId, attempt, length: offset + text.length }
    if (offset >= known) return piece
    return { ...piece, offset: known, text: text.slice(known - offset) }
  }
}
