/**
 * Follows a run over server-sent events.
 *
 * F1 Every event once, in order: after a break the stream is resumed behind the last event that was read whole.
 * F2 Text once: what a resumed stream shows again is left out.
 * F3 A reset comes with the event it belongs to, so that a break between the two cannot show it twice.
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { unexpected } from './error.ts'
import { frameOf, type RunFrame } from './frame.ts'
import { inRange, clientLimits } from './options.ts'
import { startWatch, textsOf, tooLarge } from './read-body.ts'
import { reconnecting } from './reconnecting.ts'
import { filled } from './request.ts'
import { SeenText } from './seen-text.ts'
import type { SignalboxError } from './error.ts'
import type { Transport } from './transport.ts'

/** How a run is followed. */
export interface Following {
  /** Sequence number of the last event that is known. Default 0: from the beginning. */
  readonly after?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Told when the connection was lost and is about to be sought again. */
  readonly onBreak?: ((error: SignalboxError) => void) | undefined
}

/** Follows a run to its end, also while it waits for a human. @throws SignalboxError */
export async function* streamRun(
  transport: Transport,
  runId: string,
  following: Following = {},
): AsyncGenerator<RunFrame, void, undefined> {
  const { signal, onBreak } = following
  let { after = 0 } = following
  inRange('after', after, [0, 2_147_483_647])
  const seen = new SeenText()
  const { url, rule } = transport
  const connect = () => connection(transport, { runId, after, signal })
  let reset: RunFrame | null = null
  for await (const frame of reconnecting({ url, rule, signal, connect, onBreak })) {
    if (frame.kind === 'reset') {
      reset = frame
      continue
    }
    if (frame.kind === 'event') {
      if (frame.event.seq <= after) continue
      after = frame.event.seq
      if (reset) yield reset
      reset = null
    }
    const shown = frame.kind === 'text' ? seen.take(frame) : frame
    if (shown) yield shown
  }
}

/** One connection. Answers whether the run's end was seen. */
async function* connection(
  transport: Transport,
  from: {
    readonly runId: string
    readonly after: number
    readonly signal: AbortSignal | undefined
  },
): AsyncGenerator<RunFrame, boolean> {
  const { runId, after, signal } = from
  const { silenceMs, streamMode } = { silenceMs: clientLimits.silenceMs, streamMode: 'signalbox' }
  const watch = startWatch(transport.url, { silenceMs, signal })
  try {
    const call = {
      method: 'GET',
      path: filled('/runs/{run_id}/stream', { run_id: runId }),
      query: { stream_mode: streamMode },
      headers: { accept: 'text/event-stream', 'last-event-id': String(after) },
      repeatable: true,
    }
    const response = await transport.open(call, watch)
    if (!/^text\/event-stream\b/.test(response.headers.get('content-type') ?? ''))
      throw unexpected(transport.url, response.status)
    for await (const message of messagesOf(textsOf(response, watch), transport.answerBytesMax)) {
      const frame = frameOf(message)
      if (frame) yield frame
      if (frame?.kind === 'end') return true
    }
    return false
  } finally {
    watch.stop()
  }
}

async function* messagesOf(
  texts: AsyncIterable<string>,
  bytesMax: number,
): AsyncGenerator<EventSourceMessage, void> {
  const messages: EventSourceMessage[] = []
  let isTooLarge = false
  const parser = createParser({
    maxBufferSize: bytesMax,
    onEvent: (message) => messages.push(message),
    onError: ({ type }) => (isTooLarge ||= type === 'max-buffer-size-exceeded'),
  })
  for await (const text of texts) {
    parser.feed(text)
    yield* messages.splice(0)
    if (isTooLarge) throw tooLarge(bytesMax)
  }
}
