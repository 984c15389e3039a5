import type { Delta } from '@signalbox/engine'

import type { WakeSignal } from './frame.ts'

/** The limits of one flush. Beyond it signals are dropped: a wake is a hint, and memory is not. */
const signalsMax = 20_000
const textCharsMax = 1024 * 1024

/**
 * Signals that wait for the next NOTIFY. Repeated ones are dropped; deltas that continue each other are joined; of the
 * progress notes of a call the latest stays.
 */
export class Outbox {
  #signals = new Map<string, WakeSignal>()
  /** Key of the last delta of each run: joining any other would change the order. */
  #lastDelta = new Map<string, string>()
  #textChars = 0
  #dropped = 0

  get isEmpty(): boolean {
    return this.#signals.size === 0
  }

  add(signal: WakeSignal): void {
    if (signal.kind === 'delta')
      return signal.delta.kind === 'progress'
        ? this.#addNote(signal.delta)
        : this.#addText(signal.delta)
    this.#put(keyOf(signal), signal)
  }

  /** Takes everything out. `dropped` counts what found no room since the last time. */
  take(): { readonly signals: readonly WakeSignal[]; readonly dropped: number } {
    const taken = { signals: [...this.#signals.values()], dropped: this.#dropped }
    this.#signals = new Map()
    this.#lastDelta = new Map()
    this.#textChars = 0
    this.#dropped = 0
    return taken
  }

  #put(key: string, signal: WakeSignal): void {
    if (this.#signals.size >= signalsMax && !this.#signals.has(key)) {
      this.#dropped += 1
      return
    }
    this.#signals.set(key, signal)
  }

  #addNote(delta: Delta): void {
    const key = `progress ${delta.runId} ${delta.messageId}`
    const earlier = this.#signals.get(key)
    const chars = delta.text.length - (earlier?.kind === 'delta' ? earlier.delta.text.length : 0)
    if (this.#textChars + chars > textCharsMax) {
      this.#dropped += 1
      return
    }
    this.#textChars += chars
    this.#put(key, { kind: 'delta', delta })
  }

  #addText(delta: Delta): void {
    if (this.#textChars + delta.text.length > textCharsMax) {
      this.#dropped += 1
      return
    }
    this.#textChars += delta.text.length
    const lastKey = this.#lastDelta.get(delta.runId)
    const last = lastKey === undefined ? undefined : this.#signals.get(lastKey)
    if (lastKey !== undefined && last?.kind === 'delta' && continues(last.delta, delta)) {
      const joined = { ...last.delta, text: last.delta.text + delta.text }
      this.#signals.set(lastKey, { kind: 'delta', delta: joined })
      return
    }
    const key = `delta ${this.#signals.size}`
    this.#lastDelta.set(delta.runId, key)
    this.#put(key, { kind: 'delta', delta })
  }
}

function continues(last: Delta, next: Delta): boolean {
  return (
    last.messageId === next.messageId &&
    last.attempt === next.attempt &&
    last.kind === next.kind &&
    last.offset + last.text.length === next.offset
  )
}

function keyOf(signal: Exclude<WakeSignal, { kind: 'delta' }>): string {
  switch (signal.kind) {
    case 'wake':
      return `wake ${signal.topic} ${signal.id}`
    case 'want':
    case 'drop':
      // One key for both: the last word counts.
      return `interest ${signal.runId}`
    default:
      return signal.kind
  }
}
