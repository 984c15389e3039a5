/** The clock of a box in memory: that of the machine, and ahead of it by what the test has moved it. */
import { type Clock, systemClock } from '@signalbox/engine'
import { TestBoxError } from './box-error.ts'

/** A clock that a test moves on. Pauses last as long as they last on the machine: what comes due is looked for often. */
export interface MovingClock extends Clock {
  /** Moves it on by so many milliseconds. @throws TestBoxError */
  advance(ms: number): void
}

/** A hundred years: dates stay dates. */
const advanceMsMax = 100 * 365 * 86_400_000

/** Makes the clock. It shows the time of the machine until it is moved. */
export function movingClock(): MovingClock {
  let ahead = 0
  return {
    ...systemClock,
    now: () => systemClock.now() + ahead,
    advance: (ms) => {
      if (!Number.isFinite(ms) || ms < 0 || ahead + ms > advanceMsMax)
        throw new TestBoxError(
          'wrong_option',
          `advance takes milliseconds, from 0 to a hundred years in all; this is ${ms}`,
        )
      ahead += ms
    },
  }
}
