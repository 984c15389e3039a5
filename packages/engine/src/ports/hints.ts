/** Hints: dispatch and wakes. May lose, repeat, delay and reorder; the register is asked before anything happens. */

/** An effect that may be performed. Carries ids only; the register says whether it still may. */
export interface Hint {
  readonly effectId: string
  readonly queue: string
  /** Names the job of the effect: while a queue holds it, it may drop a hint of the same number. Grows. */
  readonly dispatch: number
}

/** Brings hints to workers. May lose, repeat and reorder. A hint whose job has settled, however it did, is a new one. */
export interface Dispatcher {
  dispatch(hints: readonly Hint[]): Promise<void>
  /** How many hints wait in a queue, those that a worker has taken not counted. Rejects if the queue cannot say. */
  depth(queue: string): Promise<number>
  close(): Promise<void>
}

/** The worker's end of a dispatcher. `perform` never throws. Stop waits for calls in flight, up to `graceMs`. */
export interface HintSource {
  start(
    queues: readonly { readonly queue: string; readonly concurrency: number }[],
    perform: (effectId: string) => Promise<'done' | 'not_mine'>,
  ): Promise<void>
  /** Takes no more hints; waits for those at work up to `graceMs`, or until `cut` is aborted. */
  stop(graceMs: number, cut?: AbortSignal): Promise<void>
}

export type WakeTopic =
  /** Ids of runs with new events: streams read on. */
  | 'run'
  /** Ids of runs with undecided facts, from a process that does not decide itself: orchestrators decide. */
  | 'facts'
  /** Ids of runs whose running effects must be aborted. */
  | 'cancel'
  /** Ids of model-call effects that wait for a performer. */
  | 'model'
  /** Ids of runs whose text in flight somebody wants from its beginning: the performer publishes it once, offset 0. */
  | 'peek'

/**
 * A piece of a message in flight, or a note of a tool that runs. Never stored, never an event; arguments of calls never
 * pass here (I23).
 */
export interface Delta {
  readonly runId: string
  /** Of a progress note: the id of the call. */
  readonly messageId: string
  /** Retries of a turn write the same message: a higher attempt replaces what came before. */
  readonly attempt: number
  /** Position of the delta's first character in the text of the message in flight. 0 for a progress note. */
  readonly offset: number
  /** A progress note is whole by itself; a bus may keep only the latest one of a call. */
  readonly kind: 'text' | 'reasoning' | 'progress'
  readonly text: string
}

/** Wakes and live text. At most once, lossy; a poll backs every wake. */
export interface WakeBus {
  publish(topic: WakeTopic, ids: readonly string[]): void
  /** Answers a function that ends the subscription. */
  subscribe(topic: WakeTopic, listener: (ids: readonly string[]) => void): () => void
  publishDelta(delta: Delta): void
  subscribeDeltas(runId: string, listener: (delta: Delta) => void): () => void
  close(): Promise<void>
}
