/**
 * Drafts of events: payloads, sanitised and committed to by a salted hash. The register adds what only it knows:
 * sequence, digest and link.
 */
import { createHash } from 'node:crypto'
import {
  currentVersion,
  type EventType,
  type eventSchemas,
  type FactType,
  type JsonObject,
} from '@signalbox/core'
import canonicalize from 'canonicalize'
import type { z } from 'zod'
import { TerminalError } from '../errors.ts'
import type { Clock, EffectFence, EventDraft, FactDraft, Random } from '../ports.ts'
import { sanitiseObject } from './sanitise.ts'

type Payload<T extends EventType> = z.input<(typeof eventSchemas)[T]>

/** The columns of an event beside type and payload. */
export interface About {
  /** Default: the writer. */
  readonly actor?: string
  readonly tool?: string | null
  readonly verdict?: string | null
}

/** The columns of an event beside its payload and what commits to that. */
type Columns = Pick<EventDraft, 'at' | 'actor' | 'tool' | 'verdict'> & {
  readonly type: Parameters<typeof currentVersion>[0]
}

/** What makes a draft a fact. */
export interface FactOptions extends About {
  readonly key: string
  readonly fence?: EffectFence
}

/** Drafts events in the name of one process. */
export interface Writer {
  /** The name that its events bear, unless they say otherwise. */
  readonly actor: string
  event<T extends EventType>(type: T, payload: Payload<T>, about?: About): EventDraft
  fact<T extends FactType>(type: T, payload: Payload<T>, options: FactOptions): FactDraft
}

/** RFC 8785 text of a JSON value. */
export function canonical(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TerminalError('not_json', 'the value cannot be written as JSON')
  return text
}

/** sha256 of a text, or of bytes, hex. */
export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')

/** A UUID (version 8) that follows from a text: the same one for the same text, whoever asks. */
export function uuidOf(text: string): string {
  const hex = sha256(text)
  const part = (from: number, to: number): string => hex.slice(from, to)
  return `${part(0, 8)}-${part(8, 12)}-8${part(13, 16)}-a${part(17, 20)}-${part(20, 32)}`
}

/** sha256(salt ‖ JCS(payload)): what the chain commits to, so that erasing both leaves it verifiable. */
export const payloadHash = (salt: string, payload: JsonObject): string =>
  createHash('sha256').update(Buffer.from(salt, 'hex')).update(canonical(payload)).digest('hex')

/** The draft of an event, its payload sanitised. */
export function eventDraft(
  random: Pick<Random, 'hex'>,
  said: object,
  { type, at, actor, tool, verdict }: Columns,
): EventDraft {
  const payload = sanitiseObject(said)
  const salt = random.hex(16)
  const version = currentVersion(type)
  const hash = payloadHash(salt, payload)
  return { type, version, at, actor, tool, verdict, payload, salt, payloadHash: hash }
}

/** A writer whose events bear `actor`, unless they say otherwise. */
export function createWriter(from: {
  readonly actor: string
  readonly clock: Clock
  readonly random: Random
}): Writer {
  const draft = (type: EventType, payload: object, about: About): EventDraft =>
    eventDraft(from.random, payload, {
      type,
      at: from.clock.now(),
      actor: about.actor ?? from.actor,
      tool: about.tool ?? null,
      verdict: about.verdict ?? null,
    })
  return {
    actor: from.actor,
    event: (type, payload, about = {}) => draft(type, payload, about),
    fact: (type, payload, options) => ({
      ...draft(type, payload, options),
      key: options.key,
      fence: options.fence ?? null,
    }),
  }
}
