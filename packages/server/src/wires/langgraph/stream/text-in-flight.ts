/**
 * Text while it is written, as the modes show it.
 *
 * X1 Each kind of frame shows each character once, in order, wherever the stream was cut and resumed.
 * X2 An attempt that begins anew withdraws what was shown of the one before.
 */
import { messageId } from '@signalbox/core'
import type { LiveText, RunHead } from '@signalbox/engine'
import { partial, removal, textChunk } from './chunks.ts'
import { type StreamFrame, messageMetadata } from './frame.ts'
import { chatEvent } from './lang-chain-events.ts'
import type { StreamMode } from './modes.ts'
import {
  sameLengths,
  type Lengths,
  type TextKind,
  textKinds,
  type TextPosition,
} from './position.ts'

/** What a client has of a message in flight. */
export interface Shown {
  readonly messageId: string
  readonly attempt: number
  readonly lengths: Lengths
}

/** A piece is shown in the order of LangGraph's server, which tells of an event of LangChain before the message that it adds to. */
const shownInOrder: readonly TextKind[] = ['tuple', 'events', 'metadata', 'partial', 'own']

const modeOf: Readonly<Record<TextKind, StreamMode>> = {
  tuple: 'messages-tuple',
  metadata: 'messages',
  partial: 'messages',
  events: 'events',
  own: 'signalbox',
}

export class FramesInFlight {
  readonly #head: RunHead
  readonly #modes: ReadonlySet<StreamMode>
  #shown: Shown | null = null
  /** The text of `#shown`, as far as it is known. */
  #text = ''

  constructor(head: RunHead, modes: readonly StreamMode[]) {
    this.#head = head
    this.#modes = new Set(modes)
  }

  get shown(): Shown | null {
    return this.#shown
  }

  /** For the id of a frame; null if no text is in flight. */
  get position(): TextPosition | null {
    if (!this.#shown) return null
    const { messageId: id, attempt, lengths } = this.#shown
    // The id of a message ends with its turn.
    return { turn: Number(id.slice(id.lastIndexOf('_') + 1)), attempt, lengths }
  }

  /** Where a resumed client was. */
  resume({ turn, attempt, lengths }: TextPosition): void {
    this.#shown = { messageId: messageId(this.#head.runId, turn), attempt, lengths }
    this.#text = ''
  }

  /** The message was completed, or withdrawn. */
  over(): void {
    this.#shown = null
    this.#text = ''
  }

  /** The frames that show a piece. Between two of them, `position` is where the client is. */
  *show(piece: LiveText, step: number): Generator<StreamFrame, void, undefined> {
    const { messageId: id, attempt, offset, text } = piece
    const before = this.#shown?.messageId === id ? this.#shown : null
    if (before && attempt < before.attempt) return
    if (!before || attempt > before.attempt) {
      yield* this.#withdraw(before, step)
      this.#shown = { messageId: id, attempt, lengths: sameLengths(0) }
      this.#text = ''
    }
    if (offset > this.#text.length) return
    this.#text = this.#text.slice(0, offset) + text
    const asked = (kind: TextKind) => this.#modes.has(modeOf[kind])
    // Nobody waits for these: the position need not tell them apart.
    for (const kind of textKinds.filter((each) => !asked(each)))
      this.#set(kind, Math.max(this.#shown?.lengths[kind] ?? 0, this.#text.length))
    for (const kind of shownInOrder.filter(asked)) yield* this.#advance(kind, step)
  }

  *#withdraw(before: Shown | null, step: number): Generator<StreamFrame, void, undefined> {
    for (const kind of ['tuple', 'partial'] as const) {
      if (!before || before.lengths[kind] === 0 || !this.#modes.has(modeOf[kind])) continue
      this.#set(kind, 0)
      const gone = removal(before.messageId)
      const [event, data] =
        kind === 'tuple' ? ['messages', [gone, this.#metadata(step)]] : ['messages/partial', [gone]]
      yield { mode: modeOf[kind], event, data: () => data }
    }
  }

  #set(kind: TextKind, length: number): void {
    if (this.#shown)
      this.#shown = { ...this.#shown, lengths: { ...this.#shown.lengths, [kind]: length } }
  }

  *#advance(kind: TextKind, step: number): Generator<StreamFrame, void, undefined> {
    const shown = this.#shown
    const whole = this.#text
    if (!shown || shown.lengths[kind] >= whole.length) return
    const from = shown.lengths[kind]
    this.#set(kind, whole.length)
    if (kind === 'metadata' && from > 0) return
    yield { mode: modeOf[kind], ...this.#frame(kind, { shown, from, whole, step }) }
  }

  #frame(
    kind: TextKind,
    at: {
      readonly shown: Shown
      readonly from: number
      readonly whole: string
      readonly step: number
    },
  ): Omit<StreamFrame, 'mode'> {
    const { shown, from, whole, step } = at
    const { messageId: id, attempt } = shown
    const text = whole.slice(from)
    switch (kind) {
      case 'tuple':
        return { event: 'messages', data: () => [textChunk(id, text), this.#metadata(step)] }
      case 'metadata':
        return {
          event: 'messages/metadata',
          data: () => ({ [id]: { metadata: this.#metadata(step) } }),
        }
      case 'partial':
        return { event: 'messages/partial', data: () => [partial(id, whole)] }
      case 'events': {
        const data = () => ({ chunk: textChunk(id, text) })
        return chatEvent(this.#head, { name: 'on_chat_model_stream', step, data })
      }
      case 'own': {
        const run_id = this.#head.runId
        const data = () => ({ run_id, message_id: id, attempt, offset: from, text })
        return { event: 'message.delta', data }
      }
    }
  }

  #metadata(step: number) {
    return messageMetadata(this.#head, { node: 'model', step })
  }
}
