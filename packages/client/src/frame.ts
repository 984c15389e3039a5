/** What a run shows of itself: the frames of its own stream, read from server-sent events. */
import type { EventSourceMessage } from 'eventsource-parser'
import type { Event, Run } from './generated.ts'

/** Text while it is written: `text` begins at `offset` of the message as this attempt writes it. */
export interface TextFrame {
  readonly kind: 'text'
  readonly messageId: string
  /** A higher one writes the message anew: drop what there was of it. */
  readonly attempt: number
  readonly offset: number
  readonly text: string
}

/** What a run shows. */
export type RunFrame =
  /** An event of the log. Each comes once, in order. */
  | { readonly kind: 'event'; readonly event: Event }
  | TextFrame
  /** Text of a message is withdrawn, by the event that follows. `attempt` is the first that counts from here on. */
  | {
      readonly kind: 'reset'
      readonly messageId: string
      readonly attempt: number | null
      readonly reason: 'guardrail' | 'retry' | 'fallback'
      readonly guardrail: string | null
    }
  /** What a running tool says of itself. Stored nowhere: one may be lost. */
  | {
      readonly kind: 'progress'
      readonly callId: string
      readonly attempt: number
      readonly note: string
    }
  /** The last one. */
  | { readonly kind: 'end'; readonly status: Run['status']; readonly outcome: Run['outcome'] }

/** Reads a frame; null for one that this version does not know. Throws for data that is not JSON. */
export function frameOf({ event: name, data, id }: EventSourceMessage): RunFrame | null {
  const said = JSON.parse(data)
  switch (name) {
    case 'message.delta': {
      const { message_id: messageId, attempt, offset, text } = said
      return { kind: 'text', messageId, attempt, offset, text }
    }
    case 'reset-step': {
      const { message_id: messageId, attempt = null, reason, guardrail = null } = said
      return { kind: 'reset', messageId, attempt, reason, guardrail }
    }
    case 'tool.progress': {
      const { call_id: callId, attempt, note } = said
      return { kind: 'progress', callId, attempt, note }
    }
    case 'end':
      return { kind: 'end', status: said.status, outcome: said.outcome }
    default:
      return id !== undefined && typeof said.seq === 'number'
        ? { kind: 'event', event: said }
        : null
  }
}
