/**
 * Content too long for an event: moved to a blob before the event is written, with its head and tail left readable.
 * A blob's key is an HMAC of its bytes under the thread's key: the same content is stored once per thread, and erasing
 * the key makes it unfindable.
 */
import { createHmac } from 'node:crypto'
import { type BlobPart, limits, type TextPart } from '@signalbox/core'
import type { Clock, Random, Register, ThreadRef } from '../ports.ts'

export interface ContentDeps {
  readonly register: Register
  readonly clock: Clock
  readonly random: Random
}

const mime = 'text/plain; charset=utf-8'
/** Blobs of one call that are stored at a time: others want connections, too. */
const lanes = 4

export interface Content {
  /** The parts with every long text moved to a blob; `long` says from how many characters on. Other parts pass. */
  spill<P extends { readonly type: string }>(
    thread: ThreadRef,
    parts: readonly (P | TextPart)[],
    long?: { readonly chars: number },
  ): Promise<(P | TextPart | BlobPart)[]>
  /** Stores blobs of the thread, and answers their keys in the same order. */
  store(
    thread: ThreadRef,
    blobs: readonly { readonly mime: string; readonly bytes: Uint8Array }[],
  ): Promise<readonly string[]>
  /** The parts with every blob read back to text; a blob that is gone stays as its preview. Other parts pass. */
  hydrate<P extends { readonly type: string }>(
    thread: ThreadRef,
    parts: readonly (P | BlobPart)[],
  ): Promise<(P | BlobPart | TextPart)[]>
  /** Keeps a short text that no event may hold, and answers the key to `read` it by. */
  keep(thread: ThreadRef, text: string): Promise<string>
  /** Null if it was erased. */
  read(thread: ThreadRef, key: string): Promise<string | null>
  /** The same, as bytes. */
  bytes(thread: ThreadRef, key: string): Promise<Uint8Array | null>
}

export function createContent({ register, clock, random }: ContentDeps): Content {
  const keyOf = async (thread: ThreadRef): Promise<string> => {
    const wanted = {
      ...thread,
      metadata: {},
      createdAt: clock.now(),
      contentKey: random.hex(32),
    }
    return (await register.ensureThread(wanted))?.contentKey ?? wanted.contentKey
  }

  const store: Content['store'] = async (thread, blobs) => {
    const contentKey = Buffer.from(await keyOf(thread), 'hex')
    const keyed = blobs.map((blob) => {
      return { ...blob, key: createHmac('sha256', contentKey).update(blob.bytes).digest('hex') }
    })
    const put = async (lane: number): Promise<void> => {
      for (const [n, blob] of keyed.entries())
        if (n % lanes === lane) await register.putBlob(thread, blob)
    }
    await Promise.all(Array.from({ length: lanes }, (_, lane) => put(lane)))
    return keyed.map(({ key }) => key)
  }

  const move = async (thread: ThreadRef, text: string): Promise<BlobPart> => {
    const all = Buffer.from(text, 'utf8')
    const bytes = all.subarray(0, limits.toolResultBytesMax)
    const [key = ''] = await store(thread, [{ mime, bytes }])
    return { type: 'blob', key, bytes: bytes.length, mime, preview: preview(text, bytes.length) }
  }

  const bytesOf: Content['bytes'] = async (thread, key) =>
    (await register.blob(thread, key))?.bytes ?? null

  const read = async (thread: ThreadRef, key: string): Promise<string | null> => {
    const bytes = await bytesOf(thread, key)
    return bytes && Buffer.from(bytes).toString('utf8')
  }

  return {
    async keep(thread, text) {
      const [key = ''] = await store(thread, [{ mime, bytes: Buffer.from(text, 'utf8') }])
      return key
    },
    read,
    bytes: bytesOf,
    store,
    async spill(thread, parts, long) {
      const moved = []
      for (const part of parts)
        moved.push(isLong(part, long) ? await move(thread, part.text) : part)
      return moved
    },
    async hydrate(thread, parts) {
      const whole = []
      for (const part of parts) {
        const text = isBlob(part) ? await read(thread, part.key) : null
        whole.push(text === null ? part : ({ type: 'text', text } as const))
      }
      return whole
    },
  }
}

const isBlob = (part: { readonly type: string }): part is BlobPart => part.type === 'blob'

const isLong = (
  part: { readonly type: string },
  long?: { readonly chars: number },
): part is TextPart =>
  part.type === 'text' &&
  'text' in part &&
  typeof part.text === 'string' &&
  ((long !== undefined && part.text.length > long.chars) ||
    (part.text.length > limits.inlineBytesMax / 4 &&
      Buffer.byteLength(part.text) > limits.inlineBytesMax))

/** How much of the head and of the tail of a long text stays readable. */
export const previewChars = limits.previewBytesMax / 4

function preview(text: string, bytes: number): string {
  const chars = previewChars
  const head = text.slice(0, chars).toWellFormed()
  const tail = text.slice(-chars).toWellFormed()
  return `${head}\n[… ${bytes} bytes in all; only the head and the tail are shown …]\n${tail}`
}
