/**
 * A simulated process: it boots, calls ports, crashes and boots again. Faults are injected in `io` and nowhere else:
 * each port call may crash the process before the operation or after it (the answer is lost), may report a failure
 * although it happened, or may stall past every lease. On bad days (`days.ts`) answers come late, and a process may stand
 * still: no callback of it runs, while the clocks go on. An old incarnation never resumes.
 */
import type { Clock } from '@signalbox/engine'
import { type Day, type Trouble, troubleAt } from './days.ts'
import { epoch, type Schedule } from './schedule.ts'

const crashBefore = 0.006
const crashAfter = 0.012
const lostAnswer = 0.02
const stall = 0.012
const lateAnswer = 0.05

/** What is under way while a process stands still comes to the register when others have taken it over. */
const stallOf = ({ kind }: Day): number => (kind === 'freeze' ? 3 * stall : stall)

class SimulatedProcess {
  readonly name: string
  readonly schedule: Schedule
  incarnation = 0
  alive = false
  readonly #boot: (process: Incarnation) => void

  constructor(schedule: Schedule, name: string, boot: (process: Incarnation) => void) {
    this.schedule = schedule
    this.name = name
    this.#boot = boot
  }

  start(): void {
    this.alive = true
    this.incarnation += 1
    this.#boot(new Incarnation(this))
  }

  crash(): void {
    if (!this.alive) return
    this.schedule.crashes += 1
    this.end('crashes')
  }

  /** Is over, however, and starts again after a while. */
  end(how: 'crashes' | 'has stopped'): void {
    if (!this.alive) return
    this.alive = false
    this.schedule.deaths.set(`${this.name}-${this.incarnation}`, this.schedule.now)
    this.schedule.note(`${this.name} ${how}`)
    this.schedule.after(this.schedule.between(50, 600), () => this.start())
  }
}

/** Boots a process. It crashes and boots again by itself. */
export function startProcess(
  schedule: Schedule,
  name: string,
  boot: (life: Incarnation) => void,
): void {
  new SimulatedProcess(schedule, name, boot).start()
}

/** One life of a process. What it awaits is never answered once it is dead. */
export class Incarnation {
  readonly process: SimulatedProcess
  /** Attempts of effects that this life performs, or has performed: `effectId attempt`. */
  readonly performing = new Set<string>()
  /** Those of them of which the register has told this life that their lease is lost. */
  readonly lost = new Set<string>()
  readonly #number: number

  constructor(process: SimulatedProcess) {
    this.process = process
    this.#number = process.incarnation
  }

  get alive(): boolean {
    return this.process.alive && this.process.incarnation === this.#number
  }

  get owner(): string {
    return `${this.process.name}-${this.#number}`
  }

  /** What this process is in right now. */
  get trouble(): Trouble | undefined {
    const { schedule, name } = this.process
    return troubleAt(schedule.day, name, schedule.now)
  }

  /** How wrong its wall clock is. Milliseconds. */
  get #wrongMs(): number {
    const { schedule, name } = this.process
    const { jump } = schedule.day
    const isSet = jump?.of === name && jump.from <= schedule.now && schedule.now < jump.until
    return isSet ? jump.byMs : 0
  }

  /** Runs a callback of this process: not once it is dead, and not before it goes on, if it stands still. */
  later(delayMs: number, run: () => void): void {
    this.process.schedule.after(delayMs, () => this.#run(run))
  }

  #run(run: () => void): void {
    if (!this.alive) return
    const { trouble } = this
    if (trouble?.how === 'freezes') this.later(trouble.until - this.process.schedule.now, run)
    else run()
  }

  /** Hands over the answer of a port, late on some days. */
  #answer(give: () => void): void {
    const { schedule } = this.process
    const { lateMs } = schedule.day
    const isLate = lateMs > 0 && schedule.faults && schedule.chance(lateAnswer)
    if (isLate) this.later(schedule.between(0, lateMs), give)
    else this.#run(give)
  }

  /** One port call, `danger` times as likely to fail as others. */
  io<T>(label: string, operation: () => Promise<T>, danger = 1): Promise<T> {
    const { schedule } = this.process
    const { faults, day } = schedule
    const fate = schedule.unit() / danger
    // Where a lease is lost to an outage alone, or not at all, no call may stall.
    const stalls = faults && schedule.chance(stallOf(day)) && day.kind !== 'outage'
    const late = stalls ? schedule.between(400, 2_500) : 0
    return new Promise((resolve, reject) => {
      schedule.after(schedule.between(0.5, 4) + late, () => {
        if (!this.alive) return
        if (faults && fate < crashBefore) return this.process.crash()
        schedule.note(`${this.process.name} ${label}`)
        operation().then(
          (value) => {
            if (!this.alive) return
            if (faults && fate < crashAfter) return this.process.crash()
            const isLost = faults && fate < lostAnswer
            this.#answer(() => (isLost ? reject(new Error('connection lost')) : resolve(value)))
          },
          (error) => this.#answer(() => reject(error)),
        )
      })
    })
  }

  readonly clock: Clock = {
    now: () => Math.floor(epoch + this.process.schedule.now + this.#wrongMs),
    monotonic: () => this.process.schedule.now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted) return resolve()
        const wake = (): void => {
          if (this.alive) resolve()
        }
        signal?.addEventListener('abort', wake, { once: true })
        this.later(ms, wake)
      }),
  }
}
