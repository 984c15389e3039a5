/**
 * Contents on their way into the register.
 *
 * R1 Of a content that arrives one piece is held, of at most `limits.uploadPartBytesMax`; the next one is read when it was written.
 * R2 What its blob will be called is known when it has passed: the digest is made on the way.
 * R3 What is refused or breaks off is removed; where that fails, the sweep removes it within its day.
 */
import { createHash, createHmac } from 'node:crypto'
import { limits } from '@signalbox/core'
import type { StoredUpload, Uploads } from '@signalbox/postgres'
import { MediaType } from './media-type.ts'
import { havePassed } from './passing-garbage.ts'

/** A content that arrived whole. */
export type Received = Omit<StoredUpload, 'name'>

/** Where contents of a thread go. */
export interface Receiver {
  readonly uploads: Pick<Uploads, 'putPart'>
  readonly tenantId: string
  /** Of the thread: 32 bytes, hex. */
  readonly contentKey: string
}

/** Writes a content under an id. Null: it is larger than `bytesMax`, and what came of it is still there. */
export async function receive(
  { uploads, tenantId, contentKey }: Receiver,
  content: AsyncIterable<Uint8Array>,
  { id, bytesMax }: { readonly id: string; readonly bytesMax: number },
): Promise<Received | null> {
  const key = createHmac('sha256', Buffer.from(contentKey, 'hex'))
  const sha256 = createHash('sha256')
  const type = new MediaType()
  const piece = Buffer.allocUnsafe(limits.uploadPartBytesMax)
  let [filled, n, bytes] = [0, 0, 0]
  const write = async (): Promise<void> => {
    await uploads.putPart(tenantId, { uploadId: id, n, bytes: piece.subarray(0, filled) })
    havePassed(filled)
    n += 1
    filled = 0
  }
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > bytesMax) return null
    key.update(chunk)
    sha256.update(chunk)
    type.take(chunk)
    for (let from = 0; from < chunk.length;) {
      const taken = Math.min(piece.length - filled, chunk.length - from)
      piece.set(chunk.subarray(from, from + taken), filled)
      filled += taken
      from += taken
      if (filled === piece.length) await write()
    }
  }
  // An empty content has one piece, too: it is known by it.
  if (filled > 0 || n === 0) await write()
  return { id, bytes, mime: type.get(), sha256: sha256.digest('hex'), key: key.digest('hex') }
}
