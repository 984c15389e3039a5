/** A queue and a wake bus that lose, double, delay and forget: hints, and nothing more (I13). */
import type { Delta, Dispatcher, Hint, HintSource, WakeBus, WakeTopic } from '@signalbox/engine'
import type { Incarnation } from './process.ts'
import type { Schedule } from './schedule.ts'

const lost = 0.15
const doubled = 0.15
/** From when a worker cannot use a hint until others see it. */
const backMs = 200
/** How late the second of two hints comes. */
const doubleMsMax = 1_500

type Perform = Parameters<HintSource['start']>[1]

/** A worker that may take a hint, as soon as it has room. */
type Look = () => void

export class SimulatedQueue {
  readonly #schedule: Schedule
  #hints: Hint[] = []
  #looks: { readonly life: Incarnation; readonly look: Look }[] = []

  constructor(schedule: Schedule) {
    this.#schedule = schedule
  }

  flush(): void {
    this.#hints = []
  }

  dispatcher(life: Incarnation): Dispatcher {
    return {
      dispatch: (hints) =>
        life.io('dispatch', async () => {
          const { faults } = this.#schedule
          for (const hint of hints) {
            if (faults && this.#schedule.chance(lost)) continue
            this.#hints.push(hint)
            if (faults && this.#schedule.chance(doubled)) this.#double(hint)
          }
          this.#looks = this.#looks.filter((each) => each.life.alive)
          for (const { look } of this.#looks) look()
        }),
      // All workers of the simulation take from one queue.
      depth: () => life.io('depth', async () => this.#hints.length),
      close: async () => {},
    }
  }

  /** A hint that a worker cannot use is for others. */
  #putBack(life: Incarnation, hint: Hint): void {
    life.later(backMs, () => this.#add(hint))
  }

  /** At once, or, on a bad day, when its call may long have been lost. */
  #double(hint: Hint): void {
    const schedule = this.#schedule
    if (schedule.day.kind === 'none') this.#hints.unshift(hint)
    else schedule.after(schedule.between(0, doubleMsMax), () => this.#add(hint))
  }

  #add(hint: Hint): void {
    this.#hints.push(hint)
    this.#looks = this.#looks.filter((each) => each.life.alive)
    for (const { look } of this.#looks) look()
  }

  source(life: Incarnation): HintSource {
    let room = 0
    let looking = false
    // Whoever looks first has it: each takes its time.
    const lookWith = (perform: Perform): Look => {
      const look: Look = () => {
        if (looking || room <= 0 || this.#hints.length === 0) return
        looking = true
        life.later(this.#schedule.between(1, 25), () => {
          looking = false
          const hint = room > 0 ? this.#hints.shift() : undefined
          if (!hint) return
          room -= 1
          void perform(hint.effectId).then((answer) => {
            room += 1
            if (answer === 'not_mine') this.#putBack(life, hint)
            look()
          })
          look()
        })
      }
      return look
    }
    return {
      start: async (queues, perform) => {
        room = queues.reduce((sum, queue) => sum + queue.concurrency, 0)
        const look = lookWith(perform)
        this.#looks.push({ life, look })
        look()
      },
      stop: async () => {
        room = -Infinity
      },
    }
  }
}

interface Listener<T> {
  readonly life: Incarnation
  readonly hear: (message: T) => void
}

export class SimulatedBus {
  readonly #schedule: Schedule
  readonly #wakes = new Map<WakeTopic, Listener<readonly string[]>[]>()

  constructor(schedule: Schedule) {
    this.#schedule = schedule
  }

  of(life: Incarnation): WakeBus {
    return {
      publish: (topic, ids) => {
        for (const listener of this.#wakes.get(topic) ?? []) this.#send(listener, ids)
      },
      subscribe: (topic, hear) => {
        const listener = { life, hear }
        const all = (this.#wakes.get(topic) ?? []).filter((each) => each.life.alive)
        this.#wakes.set(topic, [...all, listener])
        return () => {
          const left = this.#wakes.get(topic)?.filter((each) => each !== listener)
          this.#wakes.set(topic, left ?? [])
        }
      },
      publishDelta: (_delta: Delta) => {},
      subscribeDeltas: () => () => {},
      close: async () => {},
    }
  }

  #send<T>({ life, hear }: Listener<T>, message: T): void {
    const { faults } = this.#schedule
    if (faults && this.#schedule.chance(lost)) return
    const times = faults && this.#schedule.chance(doubled) ? 2 : 1
    for (let n = 0; n < times; n++) life.later(this.#schedule.between(0.5, 10), () => hear(message))
  }
}
