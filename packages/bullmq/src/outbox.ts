/**
 * The items that wait to be published, merged: an id once per topic, pieces of a message that follow each other as one, and of the
 * progress notes of a call the latest.
 * Bounded, because a process that publishes faster than it sends must lose wakes, not memory.
 */
import type { Delta, WakeTopic } from '@signalbox/engine'

const outboxLimits = {
  idsMax: 20_000,
  deltaCharsMax: 4 * 1024 * 1024,
  idsPerMessageMax: 1_000,
} as const

/** One message: the channel's name within the bus, and what to say there. */
export interface Parcel {
  readonly channel: string
  readonly items: readonly (string | Delta)[]
}

export const topicChannel = (topic: WakeTopic): string => `wake:${topic}`
export const liveChannel = (runId: string): string => `live:${runId}`

export class Outbox {
  #ids = new Map<WakeTopic, Set<string>>()
  #idCount = 0
  #deltas = new Map<string, Delta[]>()
  /** By run and call. */
  #notes = new Map<string, Map<string, Delta>>()
  #deltaChars = 0

  /** False: full, dropped. */
  addIds(topic: WakeTopic, ids: readonly string[]): boolean {
    if (this.#idCount + ids.length > outboxLimits.idsMax) return false
    this.#idCount += ids.length
    const set = this.#ids.get(topic) ?? new Set()
    this.#ids.set(topic, set)
    for (const id of ids) set.add(id)
    return true
  }

  /** False: full, dropped. */
  addDelta(delta: Delta): boolean {
    return delta.kind === 'progress' ? this.#addNote(delta) : this.#addText(delta)
  }

  #addNote(delta: Delta): boolean {
    const notes = this.#notes.get(delta.runId) ?? new Map<string, Delta>()
    const chars = delta.text.length - (notes.get(delta.messageId)?.text.length ?? 0)
    if (this.#deltaChars + chars > outboxLimits.deltaCharsMax) return false
    this.#deltaChars += chars
    this.#notes.set(delta.runId, notes.set(delta.messageId, delta))
    return true
  }

  #addText(delta: Delta): boolean {
    if (this.#deltaChars + delta.text.length > outboxLimits.deltaCharsMax) return false
    this.#deltaChars += delta.text.length
    const deltas = this.#deltas.get(delta.runId) ?? []
    this.#deltas.set(delta.runId, deltas)
    const last = deltas.at(-1)
    if (last !== undefined && follows(last, delta)) {
      deltas[deltas.length - 1] = { ...last, text: last.text + delta.text }
    } else {
      deltas.push(delta)
    }
    return true
  }

  /** Everything, and leaves the outbox empty. */
  take(): readonly Parcel[] {
    const parcels: Parcel[] = []
    for (const [topic, set] of this.#ids) {
      const ids = [...set]
      for (let at = 0; at < ids.length; at += outboxLimits.idsPerMessageMax) {
        const items = ids.slice(at, at + outboxLimits.idsPerMessageMax)
        parcels.push({ channel: topicChannel(topic), items })
      }
    }
    for (const [runId, items] of this.#deltas) parcels.push({ channel: liveChannel(runId), items })
    for (const [runId, notes] of this.#notes)
      parcels.push({ channel: liveChannel(runId), items: [...notes.values()] })
    this.#ids = new Map()
    this.#deltas = new Map()
    this.#notes = new Map()
    this.#idCount = 0
    this.#deltaChars = 0
    return parcels
  }
}

function follows(last: Delta, next: Delta): boolean {
  return (
    last.messageId === next.messageId &&
    last.attempt === next.attempt &&
    last.kind === next.kind &&
    last.offset + last.text.length === next.offset
  )
}
