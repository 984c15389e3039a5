/**
 * A fetch that cuts what does not end: a provider that is silent for too long, or that streams too much. One guard per
 * turn, because the cut is the turn's explanation: the packages wrap what they see of it in errors of their own.
 */
import { type Passage, passageFor } from './passage.ts'

/** Why a stream was cut by us. `idle_timeout`: silent for too long. `turn_too_large`: beyond the byte limit. */
export interface StreamCut {
  readonly code: 'idle_timeout' | 'turn_too_large'
  readonly message: string
}

export interface GuardLimits {
  readonly idleTimeoutMs: number
  readonly bytesMax: number
}

export interface FetchGuard {
  readonly fetch: typeof globalThis.fetch
  /** The cut, if there was one. */
  cut(): StreamCut | null
  /** Stops the clock. To be called when the turn is over. */
  close(): void
}

/**
 * Wraps `base`. The idle time runs from the request to the headers, and from each chunk to the next. `onBytes` gets the body
 * as it came, before a package reads it.
 */
export function guardFetch(
  base: typeof globalThis.fetch,
  limits: GuardLimits,
  onBytes: (chunk: Uint8Array) => void = () => undefined,
): FetchGuard {
  const stop = new AbortController()
  let cut: StreamCut | null = null
  let timer: NodeJS.Timeout | undefined

  const cutNow = (reason: StreamCut): Error => {
    cut ??= reason
    const error = new Error(reason.message)
    stop.abort(error)
    return error
  }
  const beat = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      cutNow({
        code: 'idle_timeout',
        message: `The provider was silent for ${limits.idleTimeoutMs} ms.`,
      })
    }, limits.idleTimeoutMs)
  }
  const close = (): void => clearTimeout(timer)

  const counted = (passage: Passage): TransformStream<Uint8Array, Uint8Array> => {
    let bytes = 0
    return new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        beat()
        bytes += chunk.byteLength
        if (bytes > limits.bytesMax) {
          const message = `The turn is larger than ${limits.bytesMax} bytes.`
          throw cutNow({ code: 'turn_too_large', message })
        }
        onBytes(chunk)
        for (const piece of passage.push(chunk)) controller.enqueue(piece)
      },
      flush(controller) {
        close()
        for (const piece of passage.flush()) controller.enqueue(piece)
      },
    })
  }

  const guarded: typeof globalThis.fetch = async (input, init) => {
    beat()
    const given = init?.signal
    const signal = given ? AbortSignal.any([given, stop.signal]) : stop.signal
    // A redirect would carry the key to another host: `fetch` drops `authorization` then, but not `x-api-key`.
    const response = await base(input, { ...init, signal, redirect: 'error' })
    if (!response.body) return response
    const passage = passageFor(response.headers.get('content-type'))
    return new Response(response.body.pipeThrough(counted(passage)), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    })
  }
  return { fetch: guarded, cut: () => cut, close }
}
