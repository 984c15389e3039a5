/** Server-sent events, and other streams, as bytes: a pulled source in, a stream out that a slow reader cannot make grow. */

import type { Log } from '@signalbox/engine'
import { BrokenOff, brokenBy } from './broken-off.ts'

/** One event of the stream. Without an id the client's position stays where it was. */
export interface SseEvent {
  readonly event: string
  readonly data: unknown
  readonly id?: number | string
}

/** JSON has no raw line breaks, so one `data:` line is enough. */
export const sseEvent = ({ event, data, id }: SseEvent): string =>
  `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`

/** A comment. No blank line after it: older LangGraph clients would take that for an event. */
export const sseComment = (text: string): string => `: ${text}\n`

/**
 * Bytes of a source of texts or bytes, pulled one piece at a time. `onGone` is called once, when the source is done, the client has
 * gone, or it has not taken a piece for `stallMs`: then its connection is broken.
 */
export function textStream<Piece extends string | Uint8Array>(
  source: AsyncIterator<Piece, void, undefined>,
  options: {
    readonly stallMs: number
    readonly onGone: () => void
    readonly log: Pick<Log, 'error'>
    /**
     * Text that is sent where the source has nothing for `afterMs`, again and again: it may wait for a register that hangs, and whoever
     * reads, and every proxy between, takes a silent connection for a dead one. Only where it may stand between two pieces.
     */
    readonly beat?: { readonly text: string; readonly afterMs: number }
    /** The client has gone, or reads no more, before the source was done. */
    readonly onLeft?: () => void
  },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let stalled: NodeJS.Timeout | undefined
  let isOver = false
  /** The piece that the source is asked for. */
  let asked: Promise<IteratorResult<Piece, void>> | null = null
  const over = () => {
    isOver = true
    clearTimeout(stalled)
    options.onGone()
    // Ends a source that is suspended, so that it gives back what it holds.
    source.return?.().catch(() => {})
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stalled)
        try {
          asked ??= source.next()
          const next = await (options.beat ? within(asked, options.beat.afterMs) : asked)
          // The client may have gone meanwhile.
          if (isOver) return
          if (next !== null) asked = null
          if (next?.done === true) {
            over()
            return controller.close()
          }
          const value = next === null ? (options.beat?.text ?? '') : next.value
          controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
          // The next pull comes when this piece has left.
          stalled = setTimeout(() => {
            options.onLeft?.()
            over()
            controller.error(new BrokenOff('the client does not read'))
          }, options.stallMs)
        } catch (error) {
          if (isOver) return
          over()
          controller.error(brokenBy(options.log, error))
        }
      },
      cancel: () => {
        options.onLeft?.()
        over()
      },
    },
    // Nothing is pulled before somebody waits for it: what breaks then breaks the connection, and is no text at its end.
    { highWaterMark: 0 },
  )
}

/** The value, if it comes within the time; null if it is late. */
async function within<T>(coming: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<null>((resolve) => (timer = setTimeout(() => resolve(null), ms)))
  try {
    return await Promise.race([coming, late])
  } finally {
    clearTimeout(timer)
  }
}
