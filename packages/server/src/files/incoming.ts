/**
 * A body that brings files, on its way in. It is read once, by whoever gets it, and its connection is for others to close.
 *
 * I1 Whoever stops reading does not break the connection: a client that is refused gets an answer.
 * I2 The rest of a body that was refused is read and thrown away before the answer, within bounds: most clients listen when they have sent all
 *    of it, and a connection that is closed before takes the answer with it.
 */
import { limits } from '@signalbox/core'

/** A request that has a body, or none. */
export interface Incoming {
  readonly headers: Headers
  /** Null: it has none. */
  readonly body: AsyncIterable<Uint8Array> | null
}

/** A body, piece by piece. */
export interface IncomingBody {
  readonly headers: Headers
  /** The pieces that nobody has read yet. Stopping leaves the rest where it is. */
  readonly pieces: AsyncIterable<Uint8Array>
  /** Reads what is left, and keeps nothing of it. Answers whether that was all. Never throws. */
  readonly passOver: () => Promise<boolean>
}

/** The most that is passed over. */
interface PassedOver {
  readonly bytesMax: number
  readonly msMax: number
}

const most: PassedOver = {
  bytesMax: limits.refusedBodyBytesMax,
  msMax: limits.refusedBodyMsMax,
}

/** The body of a request. At most `bytesMax` of it are passed over, for at most `msMax` milliseconds. */
export function incomingBody(
  { headers, body }: Incoming,
  { bytesMax, msMax } = most,
): IncomingBody {
  const source = (body ?? nothing())[Symbol.asyncIterator]()
  const declared = Number(headers.get('content-length') ?? 0)
  let read = 0
  const next = async (): Promise<IteratorResult<Uint8Array, unknown>> => {
    const result = await source.next()
    if (result.done !== true) read += result.value.length
    return result
  }
  return {
    headers,
    // Without a `return`, which would cancel the source, and its connection with it.
    pieces: { [Symbol.asyncIterator]: () => ({ next }) },
    passOver: async () => {
      const end = read + bytesMax
      if (declared > end) return false
      const over = timeout(msMax)
      try {
        for (;;) {
          const result = await Promise.race([next(), over.comes])
          if (result === 'over' || read > end) return false
          if (result.done === true) return true
        }
      } catch {
        // The client is gone, or its connection is.
        return false
      } finally {
        over.clear()
      }
    },
  }
}

function timeout(ms: number): { readonly comes: Promise<'over'>; readonly clear: () => void } {
  const { promise, resolve } = Promise.withResolvers<'over'>()
  const timer = setTimeout(() => resolve('over'), ms)
  return { comes: promise, clear: () => clearTimeout(timer) }
}

async function* nothing(): AsyncGenerator<Uint8Array, void, undefined> {}
