/**
 * Notes of running tools, on their way to one client.
 *
 * N1 A note never follows the event that ends its attempt.
 * N2 What waits for a slow client is the latest note of each call, of as many calls as may run at a time.
 */
import { limits } from '@signalbox/core'
import type { StoredEvent, ToolProgress } from '@signalbox/engine'

const endings = new Set(['tool.completed', 'tool.failed', 'tool.aborted', 'tool.unknown'])

export class ToolNotes {
  #pending = new Map<string, ToolProgress>()
  /** The attempt that was shown last, by call. */
  readonly #shown = new Map<string, number>()
  /** Attempts up to this one are over, by call. */
  readonly #over = new Map<string, number>()

  /** Takes a note from the bus. */
  push(note: ToolProgress): void {
    const { callId, attempt } = note
    const waits = this.#pending.get(callId)
    if (this.isOver(note) || (waits && waits.attempt > attempt)) return
    if (waits || this.#pending.size < limits.callsPerTurnMax) this.#pending.set(callId, note)
  }

  /** Does a note of an attempt wait that has not been shown? Then the event that began it must be read first. */
  get begins(): boolean {
    for (const { callId, attempt } of this.#pending.values())
      if (this.#shown.get(callId) !== attempt) return true
    return false
  }

  /** What may be shown, unless it is over by then; it is gone from here. */
  take(): readonly ToolProgress[] {
    const notes = [...this.#pending.values()].filter((note) => !this.isOver(note))
    this.#pending = new Map()
    for (const { callId, attempt } of notes) this.#shown.set(callId, attempt)
    return notes
  }

  /** Learns from an event that is being shown which attempts are over. */
  see({ type, payload }: StoredEvent): void {
    const { callId, attempt } = payload
    if (endings.has(type) && typeof callId === 'string' && typeof attempt === 'number')
      this.#over.set(callId, attempt)
  }

  /** Was the event that ended this attempt shown already? */
  isOver({ callId, attempt }: ToolProgress): boolean {
    return attempt <= (this.#over.get(callId) ?? 0)
  }
}
