/**
 * A run as it happens: every event of the register after a given one, the text in flight, and notes of running tools.
 *
 * F1 Events come from the register alone, by sequence number: no gap, no duplicate, whatever the wakes do.
 * F2 Who follows subscribes before it reads, so that nothing falls between the two. It reads when it is called, and asks a
 *    register that was away again by itself.
 * F3 The reader pulls. Behind a slow one, events wait in the register and text in a bounded buffer; of notes the latest.
 */
import { legible } from '@signalbox/core'
import type { LiveText, Log, RunHead, StoredEvent, ToolProgress } from '@signalbox/engine'
import type { ReadModel } from '../read-model.ts'
import { isUnavailable } from '../http/register-errors.ts'
import { Bell } from './bell.ts'
import { TextInFlight } from './live-text.ts'
import type { RunWakes } from './run-wakes.ts'
import { ToolNotes } from './tool-notes.ts'

export type Frame =
  | { readonly kind: 'event'; readonly event: StoredEvent }
  | { readonly kind: 'text'; readonly piece: LiveText }
  | { readonly kind: 'progress'; readonly progress: ToolProgress }
  | { readonly kind: 'heartbeat' }
  /** The run has ended, and every event of it was shown. */
  | { readonly kind: 'end'; readonly head: RunHead }
  /** The run waits for a human, and every event of it was shown. */
  | { readonly kind: 'waiting'; readonly head: RunHead }
  /** The process stops; the client may go on elsewhere. */
  | { readonly kind: 'stopping' }
  /** The client did not keep up with the text. */
  | { readonly kind: 'overrun' }

export interface FollowSources {
  readonly read: Pick<ReadModel, 'runEvents' | 'run'>
  readonly wakes: Pick<RunWakes, 'on'>
  readonly followText: (runId: string, listener: (piece: LiveText) => void) => () => void
  readonly followProgress: (runId: string, listener: (progress: ToolProgress) => void) => () => void
  /** Told how long after it was written an event is shown. Milliseconds. */
  readonly shown: (lagMs: number) => void
  readonly log: Log
  readonly stopping: AbortSignal
  readonly heartbeatMs: number
  /** After how long a register that was away is asked again. */
  readonly pollMs: number
}

export interface Following {
  readonly tenantId: string
  readonly runId: string
  /** Sequence number of the last event the client has. */
  readonly after: number
  /** Should the following end where the run waits for a human? */
  readonly untilWaiting?: boolean
  /** Show events as they are, also what this build does not know. Default: `legible`, for who folds them. */
  readonly raw?: true
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal
}

const pageEvents = 200
/** Text that may wait for a slow client, in characters. */
const textCharsMax = 1024 * 1024

/** Follows a run until it ends, the client is gone or the process stops. Rejects for what is no outage. */
export async function* followRun(
  sources: FollowSources,
  following: Following,
): AsyncGenerator<Frame, void, undefined> {
  const { stopping, heartbeatMs, pollMs } = sources
  const ears = listen(sources, following)
  const over = AbortSignal.any([stopping, following.gone])
  const cursor = new Cursor(sources, following, ears)
  let [readAt, heardAt] = [0, performance.now()]
  try {
    while (!over.aborted) {
      let shown = 0
      // A read that begins after text came finds what precedes it; text that comes meanwhile waits for the next.
      const begins = ears.text.begins || ears.notes.begins
      const pieces = ears.text.take()
      const notes = ears.notes.take()
      const again = cursor.missed && performance.now() - readAt >= pollMs
      if (ears.takeWake() || begins || again) {
        readAt = performance.now()
        for await (const event of cursor.read()) {
          shown += 1
          for (const piece of ears.text.lastWords(pieces)) yield { kind: 'text', piece }
          yield { kind: 'event', event: following.raw ? event : legible(event) }
        }
        const head = await cursor.end()
        if (head) return yield { kind: head.outcome === null ? 'waiting' : 'end', head }
      }
      for (const piece of pieces) {
        if (ears.text.isOver(piece)) continue
        shown += 1
        yield { kind: 'text', piece }
      }
      for (const progress of notes) {
        if (ears.notes.isOver(progress)) continue
        shown += 1
        yield { kind: 'progress', progress }
      }
      if (ears.overrun()) return yield { kind: 'overrun' }
      const quietMs = performance.now() - heardAt
      if (shown === 0 && quietMs >= heartbeatMs) yield { kind: 'heartbeat' }
      if (shown > 0 || quietMs >= heartbeatMs) heardAt = performance.now()
      await ears.bell.wait(cursor.missed ? Math.min(pollMs, heartbeatMs) : heartbeatMs, over)
    }
    if (!following.gone.aborted) yield { kind: 'stopping' }
  } finally {
    ears.close()
  }
}

function listen(sources: FollowSources, { tenantId, runId }: Following) {
  const bell = new Bell()
  const text = new TextInFlight(textCharsMax)
  const notes = new ToolNotes()
  // Once without being called: what is there already.
  let [woken, overrun] = [true, false]
  const close = [
    sources.wakes.on({ tenantId, runId }, () => {
      woken = true
      bell.ring()
    }),
    sources.followText(runId, (piece) => {
      overrun ||= !text.push(piece)
      bell.ring()
    }),
    sources.followProgress(runId, (progress) => {
      notes.push(progress)
      bell.ring()
    }),
  ]
  return {
    bell,
    text,
    notes,
    overrun: () => overrun,
    takeWake: () => {
      const was = woken
      woken = false
      return was
    },
    close: () => close.forEach((stop) => stop()),
  }
}

/** Where the client is in the run. A register that is away is waited for; the stream stays open. */
class Cursor {
  readonly #sources: FollowSources
  readonly #following: Following
  readonly #ears: Pick<ReturnType<typeof listen>, 'text' | 'notes'>
  #after: number
  #ended = false
  #missed = false
  #asked = false
  /** Something was decided since the head was asked. */
  #decided = false
  /** What was written before is history, and says nothing about wakes. */
  readonly #since = Date.now()

  constructor(
    sources: FollowSources,
    following: Following,
    ears: Pick<ReturnType<typeof listen>, 'text' | 'notes'>,
  ) {
    this.#sources = sources
    this.#following = following
    this.#ears = ears
    this.#after = following.after
  }

  /** The register was away when it was asked last. */
  get missed(): boolean {
    return this.#missed
  }

  async *read(): AsyncGenerator<StoredEvent, void, undefined> {
    const { tenantId, runId } = this.#following
    this.#missed = false
    for (;;) {
      const page = await this.#ask(() =>
        this.#sources.read.runEvents(tenantId, runId, { after: this.#after, limit: pageEvents }),
      )
      if (!page) return
      for (const event of page) {
        this.#after = event.seq
        if (event.type === 'run.transitioned') {
          this.#decided = true
          this.#ended ||= event.payload['outcome'] !== null
        }
        this.#ears.text.see(event)
        this.#ears.notes.see(event)
        if (event.at >= this.#since) this.#sources.shown(Math.max(0, Date.now() - event.at))
        yield event
      }
      if (page.length < pageEvents) return
    }
  }

  /**
   * The head of the run if it has ended, or waits and that is asked for. Asked once at the start, for clients that have the
   * last event already.
   */
  async end(): Promise<RunHead | null> {
    const { tenantId, runId, untilWaiting } = this.#following
    const mayWait = untilWaiting === true && this.#decided
    if (!this.#ended && this.#asked && !mayWait) return null
    const head = await this.#ask(() =>
      // One that is deleted meanwhile still ends.
      this.#sources.read.run(tenantId, runId, { hidden: true }),
    )
    if (!head) return null
    this.#asked = true
    this.#ended ||= head.outcome !== null
    // Notes may follow the end; what is in the register by now is shown first.
    if (head.seq > this.#after) return null
    this.#decided = false
    const waits = untilWaiting === true && head.status === 'waiting' && head.decided >= head.facts
    return head.outcome !== null || waits ? head : null
  }

  async #ask<T>(question: () => Promise<T>): Promise<T | null> {
    try {
      return await question()
    } catch (error) {
      if (!isUnavailable(error)) throw error
      this.#missed = true
      this.#sources.log.warn('a stream waits for the register', { runId: this.#following.runId })
      return null
    }
  }
}
