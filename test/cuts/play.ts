/** Plays a cut stream against the production model port, in this process: what a socket would give comes from a `fetch`. */
import type { ModelTurn } from '@signalbox/core'
import { createModels } from '../../packages/models/src/index.ts'
import { env, request } from '../../packages/models/test/support/call.ts'
import { contentType } from '../../packages/models/test/support/wire-bytes.ts'
import type { Close, Play } from './plan.ts'

export interface Heard {
  readonly turn: ModelTurn
  /** Text and reasoning as they were shown while the stream was open. */
  readonly shown: Readonly<Record<'text' | 'reasoning', string>>
}

/** Sizes of the pieces in which bytes arrive, one after the other; which, the cut decides. */
const sizes: readonly number[] = [1, 7, 64, 501, 1460, 16_384]

export async function play({ stream, cut, close }: Play): Promise<Heard> {
  const size = sizes[cut % sizes.length] ?? 64
  // A byte at a time is for short streams.
  const step = Math.max(size, Math.ceil(cut / 60))
  const body = bodyOf(stream.bytes.subarray(0, cut), step, close)
  const headers = { 'content-type': contentType(stream.of.wire) }
  return call(stream, 'http://provider.test/v1', async () => new Response(body, { headers }))
}

/** One call of the stream's model. */
export async function call(
  { provider, of }: Play['stream'],
  baseURL: string,
  fetch: typeof globalThis.fetch,
): Promise<Heard> {
  const shown = { text: '', reasoning: '' }
  const sink = {
    delta(kind: 'text' | 'reasoning', text: string) {
      shown[kind] += text
    },
  }
  const models = createModels({ env, fetch })
  const asked = request({ provider, baseURL, tools: of.tools })
  const turn = await models.call(asked, sink, new AbortController().signal)
  return { turn, shown }
}

function bodyOf(bytes: Uint8Array, step: number, close: Close): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (at < bytes.length) {
          controller.enqueue(bytes.slice(at, at + step))
          at += step
        } else if (close === 'clean') controller.close()
        // As undici says it of a connection that was reset.
        else {
          const cause = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
          controller.error(new TypeError('terminated', { cause }))
        }
      },
    },
    { highWaterMark: 0 },
  )
}
