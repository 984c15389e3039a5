/**
 * The simulated world's clock and chance: one event heap, one seeded generator. Nothing else decides what happens next,
 * so a seed is a schedule, and the same seed gives the same trace (I21).
 */
import { createHash, type Hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { type Day, dayOf } from './days.ts'
import { seeded } from './seeded.ts'

/** When a schedule begins; milliseconds since the epoch. */
export const epoch = 1_700_000_000_000

interface Entry {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

export class Schedule {
  readonly unit: () => number
  readonly trace: Hash = createHash('sha1')
  readonly day: Day
  /** When incarnations died, by their names. */
  readonly deaths = new Map<string, number>()
  /** Calls of the register by seconds of the schedule. */
  readonly calls = new Map<number, number>()
  /** While true, ports fail and processes crash. */
  faults = true
  now = 0
  steps = 0
  crashes = 0
  #heap: Entry[] = []
  #order = 0

  constructor(seed: number) {
    this.unit = seeded(seed)
    this.day = dayOf(seed)
  }

  /** Runs `run` after `delayMs` of simulated time. */
  after(delayMs: number, run: () => void): void {
    const entry = { at: this.now + delayMs, order: this.#order++, run }
    const heap = this.#heap
    let child = heap.push(entry) - 1
    while (child > 0) {
      const parent = (child - 1) >> 1
      const above = heap[parent]
      if (!above || !isBefore(entry, above)) break
      heap[child] = above
      child = parent
    }
    heap[child] = entry
  }

  chance(probability: number): boolean {
    return this.unit() < probability
  }

  between(low: number, high: number): number {
    return low + this.unit() * (high - low)
  }

  note(what: string): void {
    this.trace.update(`${this.now.toFixed(3)} ${what}\n`)
  }

  /** Counts a call of the register. */
  called(): void {
    const second = Math.floor(this.now / 1_000)
    this.calls.set(second, (this.calls.get(second) ?? 0) + 1)
  }

  /** Plays the schedule until `done` says so, or until `untilMs`. Answers whether it was done. */
  async play(untilMs: number, done: () => boolean): Promise<boolean> {
    for (;;) {
      if (done()) return true
      const next = this.#pop()
      if (!next || next.at > untilMs) return done()
      this.now = next.at
      this.steps += 1
      next.run()
      // Everything the step set going inside the engine is microtasks: they are through when this comes back.
      await setImmediate()
    }
  }

  #pop(): Entry | undefined {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()
    if (!top || !last || heap.length === 0) return top
    let parent = 0
    for (;;) {
      let child = 2 * parent + 1
      const left = heap[child]
      const right = heap[child + 1]
      if (!left) break
      let smaller = left
      if (right && isBefore(right, left)) {
        child += 1
        smaller = right
      }
      if (!isBefore(smaller, last)) break
      heap[parent] = smaller
      parent = child
    }
    heap[parent] = last
    return top
  }
}

const isBefore = (a: Entry, b: Entry): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order)
