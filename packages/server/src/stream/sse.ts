/** Server-sent events as bytes: a pulled source in, a stream out that a slow reader cannot make grow. */

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
 * Bytes of a text source, pulled one piece at a time. `onGone` is called once, when the source is done, the client has
 * gone, or it has not taken a piece for `stallMs`: then its connection is broken.
 */
export function textStream(
  source: AsyncIterator<string, void, undefined>,
  options: { readonly stallMs: number; readonly onGone: () => void },
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let stalled: NodeJS.Timeout | undefined
  const over = () => {
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
          const next = await source.next()
          if (next.done === true) {
            over()
            return controller.close()
          }
          controller.enqueue(encoder.encode(next.value))
          // The next pull comes when this piece has left.
          stalled = setTimeout(() => {
            over()
            controller.error(new Error('the client does not read'))
          }, options.stallMs)
        } catch (error) {
          over()
          controller.error(error)
        }
      },
      cancel: over,
    },
    { highWaterMark: 1 },
  )
}
