/**
 * A message as content blocks.
 *
 * M1 A message has the same events with the same ids on every connection: its text comes in cells of a fixed length, live and
 *    from the log alike. A cell that is not full waits for its end, so a client that changes connections joins them exactly.
 * M2 Live text is a beginning of these events, and what follows it is their rest.
 */
import type { AiMessage } from '../../langgraph/messages.ts'
import type { TapeEvent } from './tape-event.ts'

/** Characters of a cell: some four tokens. */
const cellChars = 16

/** Which message, and which attempt at it. */
export interface MessageKey {
  readonly runId: string
  readonly messageId: string
  readonly attempt: string
}

/** The events before the text ends: start, block, and each cell that is full. */
export function begunMessage(key: MessageKey, text: string): readonly TapeEvent[] {
  return [...opening(key), ...cells(key, text).events]
}

/** All events of a message that is done. */
export function wholeMessage(key: MessageKey, message: AiMessage): readonly TapeEvent[] {
  const { content: text, tool_calls, usage_metadata, response_metadata } = message
  const [start, block] = opening(key)
  const written = text === '' ? [] : [block, ...textEvents(key, text)]
  const calls = tool_calls.flatMap(({ id, name, args }, n) => {
    const index = n + (text === '' ? 0 : 1)
    const chunk = { type: 'tool_call_chunk', id, name, args: JSON.stringify(args) }
    return [
      event(key, `c${n}`, { event: 'content-block-start', index, content: chunk }),
      event(key, `f${n}`, {
        event: 'content-block-finish',
        index,
        content: { type: 'tool_call', id, name, args },
      }),
    ]
  })
  const finish = event(key, 'finish', {
    event: 'message-finish',
    reason: response_metadata['finish_reason'] ?? 'stop',
    ...(usage_metadata ? { usage: usage_metadata } : {}),
    metadata: response_metadata,
  })
  return [start, ...written, ...calls, finish]
}

/** What was shown of a message does not count: the model begins it anew, or says nothing. */
export const withdrawnMessage = (key: MessageKey): TapeEvent =>
  event(key, 'withdrawn', {
    event: 'error',
    code: 'withdrawn',
    message: 'This text was withdrawn.',
  })

function opening(key: MessageKey): readonly [TapeEvent, TapeEvent] {
  const { runId, messageId } = key
  const metadata = { run_id: runId }
  return [
    event(key, 'start', { event: 'message-start', role: 'ai', id: messageId, metadata }),
    event(key, 'block', {
      event: 'content-block-start',
      index: 0,
      content: { type: 'text', text: '' },
    }),
  ]
}

function textEvents(key: MessageKey, text: string): readonly TapeEvent[] {
  const { events, end } = cells(key, text)
  const rest = text.slice(end)
  const finished = { event: 'content-block-finish', index: 0, content: { type: 'text', text } }
  return [...events, ...(rest === '' ? [] : [delta(key, end, rest)]), event(key, 'text', finished)]
}

/** The full cells of a text, and where the last of them ends. No cell parts a character. */
function cells(key: MessageKey, text: string) {
  const events: TapeEvent[] = []
  let end = 0
  for (;;) {
    const last = text.charCodeAt(end + cellChars - 1)
    const next = end + cellChars + (last >= 0xd800 && last <= 0xdbff ? 1 : 0)
    if (next > text.length) return { events, end }
    events.push(delta(key, end, text.slice(end, next)))
    end = next
  }
}

const delta = (key: MessageKey, from: number, text: string): TapeEvent =>
  event(key, `d${from}`, {
    event: 'content-block-delta',
    index: 0,
    delta: { type: 'text-delta', text },
  })

function event(key: MessageKey, part: string, data: Readonly<Record<string, unknown>>): TapeEvent {
  const { messageId, attempt, runId } = key
  return {
    id: `${messageId}:${attempt}:${part}`,
    method: 'messages',
    channel: 'messages',
    namespace: [],
    node: 'model',
    data: () => ({ ...data, run_id: runId }),
  }
}
