/**
 * A followed run as a stream for LangGraph's clients.
 *
 * R1 Every frame has an id, and whoever resumes behind it gets every later frame once: between two frames of one event too,
 *    and in the middle of text.
 * R2 `metadata` comes first, `end` last. A stream that breaks off without `end` breaks its connection, since clients take a
 *    connection that was closed in order for the end.
 */
import { BrokenOff } from '../../../stream/broken-off.ts'
import type { LiveText, RunHead, StoredEvent, ToolProgress } from '@signalbox/engine'
import { wireStatus } from '../../../http/wire/run-view.ts'
import {
  type FollowSources,
  type Frame as Followed,
  followRun,
} from '../../../stream/follow-run.ts'
import { ownEvent } from '../../../stream/run-stream.ts'
import { sseComment, sseEvent } from '../../../stream/sse.ts'
import { StepResets } from '../../../stream/step-resets.ts'
import type { Interrupt } from '../interrupt.ts'
import type { StreamFrame } from './frame.ts'
import type { StreamMode } from './modes.ts'
import { isPast, type Position, slots, writePosition } from './position.ts'
import { isVerdict, Projection } from './projection.ts'
import { valuesOf } from './state-frames.ts'
import { FramesInFlight } from './text-in-flight.ts'

export interface LangGraphSources extends FollowSources {
  /** What was said on the thread before the run: its events, oldest first. */
  readonly history: () => Promise<readonly StoredEvent[]>
  readonly interrupts: (head: RunHead) => Promise<readonly Interrupt[]>
}

export interface LangGraphFollowing {
  readonly head: RunHead
  readonly modes: readonly StreamMode[]
  readonly from: Position
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal
}

/** The texts of the stream. Rejects where it breaks off. */
export async function* runFrames(
  sources: LangGraphSources,
  following: LangGraphFollowing,
): AsyncGenerator<string, void, undefined> {
  const stream = new RunFrames(sources, following)
  yield* stream.texts()
}

class RunFrames {
  readonly #sources: LangGraphSources
  readonly #following: LangGraphFollowing
  readonly #projection: Projection
  readonly #text: FramesInFlight
  readonly #resets = new StepResets()
  /** The last event that was seen. */
  #seq = 0

  constructor(sources: LangGraphSources, following: LangGraphFollowing) {
    this.#sources = sources
    this.#following = following
    this.#projection = new Projection(following.head)
    this.#text = new FramesInFlight(following.head, following.modes)
  }

  /** While the register is away, a resumed stream may not have reached its place yet: nothing live belongs there. */
  get #isBehind(): boolean {
    return this.#seq < this.#following.from.seq
  }

  async *texts(): AsyncGenerator<string, void, undefined> {
    const { head, gone } = this.#following
    const { tenantId, runId } = head
    yield* this.#write(slots.event, {
      mode: null,
      event: 'metadata',
      data: () => ({ run_id: runId, attempt: 1, thread_id: head.threadId }),
    })
    const following = { tenantId, runId, after: 0, untilWaiting: true, gone }
    for await (const frame of followRun(this.#sources, following)) {
      // What a decision did is shown once its last verdict was seen.
      if (frame.kind !== 'event' || !isVerdict(frame.event)) yield* this.#flush()
      yield* this.#texts(frame)
    }
  }

  async *#texts(frame: Followed): AsyncGenerator<string, void, undefined> {
    switch (frame.kind) {
      case 'event':
        return yield* this.#see(frame.event)
      case 'text':
        return yield* this.#say(frame.piece)
      case 'progress':
        return yield* this.#note(frame.progress)
      case 'heartbeat':
        return yield sseComment('heartbeat')
      case 'waiting':
        return yield* this.#interrupt(frame.head)
      case 'end':
        return yield* this.#end(frame.head)
      case 'stopping':
        yield sseComment('this process is stopping, reconnect with Last-Event-ID')
        throw new BrokenOff('the process is stopping')
      case 'overrun':
        yield sseComment('the client is too slow, reconnect with Last-Event-ID')
        throw new BrokenOff('the client is too slow')
    }
  }

  async *#see(event: StoredEvent): AsyncGenerator<string, void, undefined> {
    const { from } = this.#following
    this.#seq = event.seq
    if (this.#projection.needsHistory(event)) this.#projection.begin(await this.#sources.history())
    this.#projection.see(event)
    if (event.seq === from.seq && from.text) {
      // Text that came after the step does not belong to it, though it may be of the same message.
      if (from.slot >= slots.live) yield* this.#flush()
      this.#text.resume(from.text)
    }
    const reset = this.#resets.see(event)
    for (const own of ownEvent(event, reset))
      yield* this.#write(own.event === 'reset-step' ? slots.reset : slots.event, {
        mode: 'signalbox',
        event: own.event,
        data: () => own.data,
      })
  }

  *#flush(): Generator<string, void, undefined> {
    const { places, settled } = this.#projection.flush(this.#text.shown)
    for (const [n, place] of places.entries()) if (place) yield* this.#write(slots.step + n, place)
    if (settled) this.#text.over()
  }

  *#say(piece: LiveText): Generator<string, void, undefined> {
    if (this.#isBehind) return
    for (const frame of this.#text.show(piece, this.#projection.steps.next))
      yield* this.#write(slots.live, frame)
  }

  *#note({ callId, attempt, note }: ToolProgress): Generator<string, void, undefined> {
    if (this.#isBehind) return
    const tool = this.#projection.steps.toolOf(callId)
    const about = { call_id: callId, attempt, note }
    const data = () => ({ type: 'tool.progress', tool, ...about })
    yield* this.#write(slots.live, { mode: 'custom', event: 'custom', data })
    const { runId: run_id } = this.#following.head
    const own = () => ({ run_id, ...about })
    yield* this.#write(slots.live, { mode: 'signalbox', event: 'tool.progress', data: own })
  }

  async *#interrupt(head: RunHead): AsyncGenerator<string, void, undefined> {
    const __interrupt__ = await this.#sources.interrupts(head)
    const { state } = this.#projection
    const values = () => ({ ...valuesOf({ ...state, head }), __interrupt__ })
    yield* this.#write(slots.waiting, {
      mode: 'updates',
      event: 'updates',
      data: () => ({ __interrupt__ }),
    })
    yield* this.#write(slots.waiting + 1, { mode: 'values', event: 'values', data: values })
    yield* this.#end(head)
  }

  *#end(head: RunHead): Generator<string, void, undefined> {
    const { runId: run_id, outcome } = head
    const data = () => ({ run_id, status: wireStatus(head), outcome })
    yield* this.#write(slots.end, { mode: null, event: 'end', data })
  }

  *#write(slot: number, { mode, event, data }: StreamFrame): Generator<string, void, undefined> {
    const { from, modes } = this.#following
    // What is live after the client's place comes after it.
    if (isPast(from, this.#seq, slot === slots.live ? slot + 1 : slot)) return
    if (mode !== null && !modes.includes(mode)) return
    const id = writePosition({ seq: this.#seq, slot, text: this.#text.position })
    yield sseEvent({ event, data: data(), id })
  }
}
