/**
 * Content too long for an event: moved to a blob before the event is written, with its head and tail left readable.
 * A blob's key is an HMAC of its bytes under the thread's key: the same content is stored once per thread, and erasing
 * the key makes it unfindable.
 */
import { createHmac } from 'node:crypto'
import { type BlobPart, type ContentPart, limits, type TextPart } from '@signalbox/core'
import type { Clock, Random, Register } from '../ports.ts'

export interface ContentDeps {
  readonly register: Register
  readonly clock: Clock
  readonly random: Random
}

export interface ThreadRef {
  readonly tenantId: string
  readonly threadId: string
}

const mime = 'text/plain; charset=utf-8'

export interface Content {
  /** The parts with every long text moved to a blob; `long` says from how many characters on. Other parts pass. */
  spill<P extends { readonly type: string }>(
    thread: ThreadRef,
    parts: readonly (P | TextPart)[],
    long?: { readonly chars: number },
  ): Promise<(P | TextPart | BlobPart)[]>
  /** The parts with every blob read back to text; a blob that is gone stays as its preview. */
  hydrate(thread: ThreadRef, parts: readonly ContentPart[]): Promise<ContentPart[]>
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

  const move = async (thread: ThreadRef, text: string): Promise<BlobPart> => {
    const all = Buffer.from(text, 'utf8')
    const bytes = all.subarray(0, limits.toolResultBytesMax)
    const contentKey = Buffer.from(await keyOf(thread), 'hex')
    const key = createHmac('sha256', contentKey).update(bytes).digest('hex')
    await register.putBlob(thread, { key, mime, bytes })
    return { type: 'blob', key, bytes: bytes.length, mime, preview: preview(text, bytes.length) }
  }

  return {
    async spill(thread, parts, long) {
      const moved = []
      for (const part of parts)
        moved.push(isLong(part, long) ? await move(thread, part.text) : part)
      return moved
    },
    async hydrate(thread, parts) {
      const read: ContentPart[] = []
      for (const part of parts) {
        const blob = part.type === 'blob' ? await register.blob(thread, part.key) : null
        read.push(blob ? { type: 'text', text: Buffer.from(blob.bytes).toString('utf8') } : part)
      }
      return read
    },
  }
}

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
