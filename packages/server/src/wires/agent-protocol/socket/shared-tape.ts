/**
 * One tape of a thread for all subscriptions of a socket.
 *
 * S1 A client gives every event to all of its subscriptions that want it, so their events come in one order: no subscription
 *    may run ahead of another, and what several want is sent once.
 * S2 Who comes later is first shown what was before, up to where the others are; they wait meanwhile.
 */
import type { EventStreamRequest } from '../subscription.ts'
import { isWanted } from '../subscription.ts'
import type { TapeFrame } from '../tape/thread-tape.ts'
import { protocolEvent } from '../tape-response.ts'
import { readTapePlace, slots } from '../tape/position.ts'

type Frames = AsyncGenerator<TapeFrame, void, undefined>
type EventFrame = Extract<TapeFrame, { kind: 'event' }>

export interface Showing {
  readonly frames: (since: number | null, gone: AbortSignal) => Frames
  /** Resolves when the client has room for more; false: it is gone. */
  readonly send: (message: unknown) => Promise<boolean>
  /** The client must come back: the tape broke, or an error did it. */
  readonly broken: (error?: unknown) => void
}

const isLive = (position: number): boolean => readTapePlace(position).slot >= slots.live

export class SharedTape {
  readonly #showing: Showing
  readonly #gone = new AbortController()
  readonly #watchers = new Set<EventStreamRequest>()
  /** What is written, told live: a place in the log has none of it. */
  #writing: EventFrame[] = []
  #reached: number | null = null
  #turn: Promise<unknown> = Promise.resolve()

  constructor(showing: Showing) {
    this.#showing = showing
  }

  /** Shows what is asked for, from where it is asked for. */
  watch(asked: EventStreamRequest): void {
    const since = asked.since ?? null
    if (this.#reached === null) {
      this.#reached = since ?? 0
      this.#watchers.add(asked)
      return void this.#follow(since)
    }
    void this.#inTurn(async () => {
      await this.#catchUp(asked)
      this.#watchers.add(asked)
    })
  }

  leave(asked: EventStreamRequest): void {
    // In turn, for one that has not caught up yet.
    void this.#inTurn(() => Promise.resolve(this.#watchers.delete(asked)))
  }

  close(): void {
    this.#gone.abort()
  }

  async #inTurn(work: () => Promise<unknown>): Promise<void> {
    const done = this.#turn.then(async () => {
      if (!this.#gone.signal.aborted) await work()
    })
    this.#turn = done.catch((error: unknown) => {
      if (!this.#gone.signal.aborted) this.#showing.broken(error)
      this.close()
    })
    await this.#turn
  }

  async #follow(since: number | null): Promise<void> {
    const { frames, broken } = this.#showing
    try {
      for await (const frame of frames(since, this.#gone.signal)) {
        if (frame.kind === 'broken') return broken()
        if (frame.kind === 'event') await this.#inTurn(() => this.#show(frame))
        if (this.#gone.signal.aborted) return
      }
    } catch (error) {
      if (!this.#gone.signal.aborted) broken(error)
    }
  }

  async #show(frame: EventFrame): Promise<void> {
    const { event, position } = frame
    if (!isLive(position)) this.#reached = position
    if (event.channel === 'messages') {
      if (isLive(position)) this.#writing.push(frame)
      // From here on the log tells it whole.
      else this.#writing = []
    }
    for (const asked of this.#watchers) if (isWanted(event, asked)) return this.#send(frame)
  }

  async #send({ event, ...frame }: EventFrame): Promise<void> {
    if (!(await this.#showing.send(protocolEvent(event, frame).data))) this.close()
  }

  /** Shows what the log has up to where the others are, and what is being written. */
  async #catchUp(asked: EventStreamRequest): Promise<void> {
    const since = asked.since ?? null
    const reached = this.#reached ?? 0
    if ((since ?? 0) < reached)
      for await (const frame of this.#showing.frames(since, this.#gone.signal)) {
        // Nothing more is to come, of what there was when it began.
        if (frame.kind === 'heartbeat') break
        if (frame.kind === 'broken') return this.#showing.broken()
        if (frame.position > reached) {
          // The others began in the middle of a text, which only one who was there can tell.
          if (isLive(reached)) return this.#showing.broken()
          break
        }
        if (isWanted(frame.event, asked)) await this.#send(frame)
        if (frame.position === reached) break
      }
    for (const frame of this.#writing)
      if (frame.position > (since ?? 0) && isWanted(frame.event, asked)) await this.#send(frame)
  }
}
