/** A revoked key must not go on reading: an answer that takes long is broken off. */

/** Together with what a key is believed without asking, below five seconds. Milliseconds. */
const everyMs = 1_500

/** The HTTP server prints what ends a connection: a line is enough. */
class KeyGone extends Error {
  override readonly name = 'KeyGone'
  override readonly stack = ''
}

/**
 * The same answer, for as long as `stands` says true. Then it breaks, as a lost connection does: a client that comes back is
 * told why. While nobody can say whether it stands, it goes on: nothing new is written then either.
 */
export function whileItStands(response: Response, stands: () => Promise<boolean>): Response {
  const { body } = response
  if (body === null) return response
  const reader = body.getReader()
  const over = new AbortController()
  const timer = setInterval(() => {
    stands().then(
      (good) => good || over.abort(new KeyGone('the key stands no more')),
      () => {},
    )
  }, everyMs)
  const end = () => clearInterval(timer)
  const guarded = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        over.signal.addEventListener('abort', () => {
          end()
          controller.error(over.signal.reason)
          void reader.cancel(over.signal.reason).catch(() => {})
        })
      },
      pull: async (controller) => {
        const { done, value } = await reader.read().catch((error: unknown) => {
          end()
          throw error
        })
        if (over.signal.aborted) return
        if (!done) return controller.enqueue(value)
        end()
        controller.close()
      },
      cancel: (reason) => {
        end()
        return reader.cancel(reason)
      },
    },
    // Nothing is taken before the client takes it: a client that stalls is still seen.
    { highWaterMark: 0 },
  )
  return new Response(guarded, response)
}
