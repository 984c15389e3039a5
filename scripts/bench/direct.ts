/**
 * A dispatcher without a queue: hints go from a process to its child over their pipe. Kept in the bench, for it serves
 * one worker that is a child of its orchestrator; what it shows is what a queue library costs. Whatever it loses, the
 * reconciler finds.
 */
import type { Dispatcher, HintSource } from '@signalbox/engine'

/** Sends each dispatch as one message. */
export const directDispatcher = (
  send: (effects: readonly { readonly effectId: string; readonly queue: string }[]) => void,
): Dispatcher => ({
  dispatch: async (hints) => send(hints.map(({ effectId, queue }) => ({ effectId, queue }))),
  // Nothing is known of what the child holds: it never loses any.
  depth: async () => Number.POSITIVE_INFINITY,
  close: async () => {},
})

interface Lane {
  room: number
  readonly waiting: string[]
}

/** The worker's end: performs what `take` is given, up to each queue's concurrency at a time. */
export class DirectSource implements HintSource {
  readonly #lanes = new Map<string, Lane>()
  readonly #running = new Set<Promise<void>>()
  #perform: Parameters<HintSource['start']>[1] | null = null

  take(effects: readonly { readonly effectId: string; readonly queue: string }[]): void {
    for (const { effectId, queue } of effects) {
      const lane = this.#lanes.get(queue)
      lane?.waiting.push(effectId)
      if (lane) this.#pump(lane)
    }
  }

  start(
    queues: Parameters<HintSource['start']>[0],
    perform: Parameters<HintSource['start']>[1],
  ): Promise<void> {
    for (const { queue, concurrency } of queues)
      this.#lanes.set(queue, { room: concurrency, waiting: [] })
    this.#perform = perform
    return Promise.resolve()
  }

  async stop(): Promise<void> {
    this.#perform = null
    await Promise.all(this.#running)
  }

  #pump(lane: Lane): void {
    while (this.#perform !== null && lane.room > 0) {
      const effectId = lane.waiting.shift()
      if (effectId === undefined) return
      lane.room -= 1
      const work: Promise<void> = this.#perform(effectId).then(() => {
        lane.room += 1
        this.#running.delete(work)
        this.#pump(lane)
      })
      this.#running.add(work)
    }
  }
}
