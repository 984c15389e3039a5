import { z } from '@hono/zod-openapi'
import type { StoredEvent } from '@signalbox/engine'
import { iso } from './iso.ts'

/** An event as stored, without its salt: whoever has the salt could guess an erased payload from its hash. */
export const Event = z
  .object({
    run_id: z.string(),
    thread_id: z.string(),
    seq: z.number().int(),
    type: z.string(),
    version: z.number().int(),
    at: z.string(),
    actor: z.string(),
    tool: z.string().nullable(),
    verdict: z.string().nullable(),
    payload: z.record(z.string(), z.unknown()),
    payload_hash: z.string(),
    digest: z.string(),
    hash: z.string(),
    /** Position in the feed: opaque, ordered as text. Only in the audit. */
    position: z.string().optional(),
  })
  .openapi('Event')
export type Event = z.infer<typeof Event>

export const eventView = (event: StoredEvent): Event => ({
  run_id: event.runId,
  thread_id: event.threadId,
  seq: event.seq,
  type: event.type,
  version: event.version,
  at: iso(event.at),
  actor: event.actor,
  tool: event.tool,
  verdict: event.verdict,
  payload: { ...event.payload },
  payload_hash: event.payloadHash,
  digest: event.digest,
  hash: event.hash,
  ...(event.position === undefined ? {} : { position: event.position }),
})
