/**
 * The text of a run as it streams.
 *
 * L1 Every character once: a reconnect repeats the text in flight from its beginning, and what was shown is left out.
 * L2 A retry writes the same message anew; it is shown again, on a line of its own.
 * L3 What was missed live follows from the event that completed the message: its rest, or all of it on a line of its own where
 *    it became another text than the pieces said (an answer written anew, of which a guardrail held every piece back).
 */
import type { Delta, Event } from '../client/documents.ts'
import { at, printable, textAt } from '@signalbox/core/text'
import type { Terminal } from './terminal.ts'

export interface TerminalText {
  delta(piece: Delta): void
  /** Takes `model.completed`: shows what is missing of its message, and ends the line. */
  completed(event: Event): void
  /** Ends the line, so that something else can be said. */
  pause(): void
}

export function createLiveText(terminal: Terminal): TerminalText {
  let [message, attempt, shown] = ['', -1, '']
  let lineOpen = false
  const print = (text: string) => {
    if (text === '') return
    shown += text
    terminal.text(printable(text))
    lineOpen = !text.endsWith('\n')
  }
  const pause = () => {
    if (lineOpen) terminal.text('\n')
    lineOpen = false
  }
  const begin = (id: string, nth: number) => {
    pause()
    ;[message, attempt, shown] = [id, nth, '']
  }
  return {
    delta: ({ message_id, attempt: nth, offset, text }) => {
      if (message_id !== message || nth > attempt) begin(message_id, nth)
      if (nth === attempt) print(text.slice(Math.max(0, shown.length - offset)))
    },
    completed: (event) => {
      const id = textAt(event.payload, 'turn', 'message', 'id')
      const whole = textOf(event)
      if (id !== message || !whole.startsWith(shown)) begin(id, attempt)
      print(whole.slice(shown.length))
      pause()
    },
    pause,
  }
}

function textOf(event: Event): string {
  const parts = at(event.payload, 'turn', 'message', 'parts')
  if (!Array.isArray(parts)) return ''
  return parts.map((part) => (at(part, 'type') === 'text' ? textAt(part, 'text') : '')).join('')
}
