/** Digest and link of an event, as the SQL function computes them (migrations/tables/event.sql). */
import { createHash } from 'node:crypto'
import type { EventDraft } from '@signalbox/engine'

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()

const netstring = (value: string | null): Buffer => {
  if (value === null) return Buffer.from('-,')
  const bytes = Buffer.from(value, 'utf8')
  return Buffer.concat([Buffer.from(`${bytes.length}:`), bytes, Buffer.from(',')])
}

export const genesis = (tenantId: string, runId: string): string =>
  sha256(Buffer.from(`signalbox.v1\u0000${tenantId}\u0000${runId}`)).toString('hex')

export function chainDigest(
  event: EventDraft,
  row: { readonly key: string | null; readonly threadId: string },
): string {
  const columns = [
    event.type,
    String(event.version),
    String(event.at),
    event.actor,
    event.tool,
    event.verdict,
    row.key,
    row.threadId,
    event.payloadHash,
  ]
  return sha256(Buffer.concat(columns.map(netstring))).toString('hex')
}

export function link(before: string, seq: number, digest: string): string {
  const position = Buffer.alloc(8)
  position.writeBigInt64BE(BigInt(seq))
  return sha256(
    Buffer.concat([Buffer.from(before, 'hex'), position, Buffer.from(digest, 'hex')]),
  ).toString('hex')
}
