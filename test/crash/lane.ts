/** A lane plays schedules one after the other on a stack of its own, and takes a new stack when one is spoilt. */
import { type Fault, type Played, playSchedule, unplayed } from './schedule.ts'
import { type Backend, Stack } from './stack.ts'

/** How often a schedule whose failpoint was not met is played. */
const triesMax = 3

export class Lane {
  readonly backend: Backend
  readonly #sabotage: string | null
  readonly #keep: boolean
  #stack: Stack | null = null

  constructor(backend: Backend, options: { sabotage: string | null; keep: boolean }) {
    this.backend = backend
    this.#sabotage = options.sabotage
    this.#keep = options.keep
  }

  async stack(): Promise<Stack> {
    return (this.#stack ??= await Stack.start(this.backend, this.#sabotage))
  }

  /** Plays a fault, again if it was missed. The results of all tries, the last of which counts as the schedule's. */
  async play(fault: Fault, seed: number): Promise<readonly Played[]> {
    const results: Played[] = []
    for (let n = 0; n < triesMax; n++) {
      const stack = await this.stack()
      const played = await playSchedule(stack, fault, seed + n).catch((error: unknown) =>
        unplayed(stack, fault, error),
      )
      results.push(played)
      if (played.violations.length > 0) {
        // What the schedule left behind must not be blamed on the next one.
        console.log(`  the last words of its processes: ${stack.log}`)
        await this.stop(true)
        break
      }
      if (played.missed.length === 0) break
    }
    return results
  }

  async stop(keep = this.#keep): Promise<void> {
    const stack = this.#stack
    this.#stack = null
    await stack?.stop(keep)
  }
}
