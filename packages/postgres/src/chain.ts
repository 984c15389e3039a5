/**
 * The hash chain of a run, computed outside of the database that is being checked (I18). The rule stands at the head of
 * `migrations/tables/event.sql`; this is its second, independent implementation.
 *
 * A chain alone stops nobody who can rewrite all of it: pass the head hash and seq of a checkpoint kept elsewhere.
 */
import type { JsonObject } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import canonicalize from 'canonicalize'
import { createHash } from 'node:crypto'

/** Which part of an event does not hold. */
export type ChainPart =
  /** A seq is missing, repeated or out of order. */
  | 'sequence'
  /** The event claims another run or tenant than the first. */
  | 'identity'
  /** The payload or its salt is not what was hashed. */
  | 'payload'
  /** Payload and salt are gone, and no `payload.erased` of the run says so. */
  | 'content_missing'
  /** A column is not what was hashed. */
  | 'digest'
  /** The event does not follow from the one before. */
  | 'link'
  /** The last event is not the expected head: the end was cut off, or everything was rewritten. */
  | 'head'

/** The result of the verification of one chain. */
export type ChainReport =
  | {
      readonly ok: true
      /** Events verified. */
      readonly events: number
      readonly headHash: string
      /** Events whose payload and salt were erased, as the log says: linked, but their content can no longer be verified. */
      readonly erased: readonly number[]
    }
  | { readonly ok: false; readonly seq: number; readonly part: ChainPart }

/** A chain that is verified event by event: it keeps no event, only what the next one must follow from. */
export interface ChainCheck {
  /** The next event of the run, from seq 1 on. */
  add(event: StoredEvent): void
  /** Events seen. */
  readonly events: number
  /** `head` is what they must end in; without it a truncation passes unseen. Answers the first event that is broken. */
  end(head?: { readonly seq: number; readonly hash: string }): ChainReport
}

/** Begins with a run's first event. Content may be missing where the log itself says that it was erased. */
export function createChainCheck(): ChainCheck {
  let first: Identity | null = null
  let [events, hash] = [0, '']
  let broken: { readonly seq: number; readonly part: ChainPart } | null = null
  const erased = new Set<number>()
  const named = new Set<number>()
  return {
    get events() {
      return events
    },
    add(event) {
      events += 1
      // The record of an erasure comes after what was erased.
      for (const seq of erasedBy(event)) named.add(seq)
      if (broken) return
      if (first === null) {
        first = { tenantId: event.tenantId, runId: event.runId }
        hash = genesisHash(first.tenantId, first.runId)
      }
      const part = brokenPart(event, { seq: events, hash, first })
      if (part !== null) broken = { seq: events, part }
      else if (isErased(event)) erased.add(event.seq)
      hash = event.hash
    },
    end(head) {
      const gone = [...erased].find((seq) => !named.has(seq))
      if (gone !== undefined) return { ok: false, seq: gone, part: 'content_missing' }
      if (broken) return { ok: false, ...broken }
      if (head !== undefined && (head.seq !== events || (head.seq > 0 && head.hash !== hash)))
        return { ok: false, seq: Math.min(head.seq, events), part: 'head' }
      return { ok: true, events, headHash: hash, erased: [...erased] }
    },
  }
}

/** The same of events that are at hand. */
export function verifyChain(
  events: readonly StoredEvent[],
  head?: { readonly seq: number; readonly hash: string },
): ChainReport {
  const check = createChainCheck()
  for (const event of events) check.add(event)
  return check.end(head)
}

type Identity = Pick<StoredEvent, 'tenantId' | 'runId'>

const isErased = ({ salt, payload }: StoredEvent): boolean =>
  salt === '' && Object.keys(payload).length === 0

/** The event whose erasure this one records. Whether the record itself holds is verified like any event. */
function erasedBy(event: StoredEvent): readonly number[] {
  if (event.type !== 'payload.erased' || isErased(event)) return []
  const { seq } = event.payload
  return typeof seq === 'number' && seq < event.seq ? [seq] : []
}

/** `expected`: the seq of the event, the hash before it, and whose run it is. */
function brokenPart(
  event: StoredEvent,
  expected: { readonly seq: number; readonly hash: string; readonly first: Identity },
): ChainPart | null {
  const { seq, hash, first } = expected
  if (event.seq !== seq) return 'sequence'
  if (event.runId !== first.runId || event.tenantId !== first.tenantId) return 'identity'
  if (!isErased(event) && payloadHash(event.salt, event.payload) !== event.payloadHash)
    return 'payload'
  const digest = eventDigest(event)
  if (digest !== event.digest) return 'digest'
  return linkHash(hash, seq, digest) === event.hash ? null : 'link'
}

/** sha256(salt ‖ JCS(payload)), hex. `salt` is hex. Throws for what is not JSON. */
export function payloadHash(salt: string, payload: JsonObject): string {
  return createHash('sha256')
    .update(Buffer.from(salt, 'hex'))
    .update(canonicalize(payload) ?? '')
    .digest('hex')
}

/** The digest of an event's columns, hex. */
export function eventDigest(event: StoredEvent): string {
  const columns = [
    event.type,
    String(event.version),
    String(event.at),
    event.actor,
    event.tool,
    event.verdict,
    event.key,
    event.threadId,
    event.payloadHash,
  ]
  return createHash('sha256').update(columns.map(netstring).join('')).digest('hex')
}

/** hash_0 of a run, hex. */
export function genesisHash(tenantId: string, runId: string): string {
  return createHash('sha256').update(`signalbox.v1\0${tenantId}\0${runId}`).digest('hex')
}

function linkHash(previous: string, seq: number, digest: string): string {
  const position = Buffer.alloc(8)
  position.writeBigInt64BE(BigInt(seq))
  return createHash('sha256')
    .update(Buffer.from(previous, 'hex'))
    .update(position)
    .update(Buffer.from(digest, 'hex'))
    .digest('hex')
}

function netstring(text: string | null): string {
  return text === null ? '-,' : `${Buffer.byteLength(text)}:${text},`
}
