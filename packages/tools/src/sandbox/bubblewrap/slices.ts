/** Work on the event loop that waits for nobody, such as looks at files that the kernel has in memory, cut into slices. */
import { setImmediate as turn } from 'node:timers/promises'

/** How long others wait at most for one slice, milliseconds. */
const sliceMs = 5

/** The slices of one piece of work. */
export class Slices {
  #since = performance.now()

  /** To be awaited between two steps: others have their turn when a slice is over. */
  async next(): Promise<void> {
    if (performance.now() - this.#since < sliceMs) return
    await turn()
    this.#since = performance.now()
  }
}
