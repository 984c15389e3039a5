/**
 * The time that all processes have in common: that of the database, as far as this one knows it. A machine whose clock is wrong, or is
 * set in the middle of a run, then changes neither when something happened nor for how long a run was active.
 *
 * K1 Between two answers the time goes on by the monotonic clock of the machine.
 * K2 An answer corrects it by what its own delay does not explain.
 * K3 Until there is an answer it is the time of the machine.
 */
import { type Clock, type Log, systemClock } from '@signalbox/engine'
import { openDatabaseTime } from '@signalbox/postgres'
import type { Closers } from './closers.ts'

/** A machine that slept knows the time again after this. Milliseconds. */
const askedEveryMs = 30_000

/** A clock, and the question that corrects it. */
export interface CommonClock {
  readonly clock: Clock
  /** Rejects as the question does. */
  readonly correct: () => Promise<void>
}

/** `ask`: the time of the database, in milliseconds since the epoch. */
export function commonClock(ask: () => Promise<number>, machine = systemClock): CommonClock {
  let ahead = machine.now() - machine.monotonic()
  return {
    clock: { ...machine, now: () => Math.floor(machine.monotonic() + ahead) },
    async correct() {
      const askedAt = machine.monotonic()
      const said = await ask()
      const delayMs = machine.monotonic() - askedAt
      const found = said - askedAt - delayMs / 2
      if (Math.abs(found - ahead) > delayMs / 2) ahead = found
    },
  }
}

/** Asks at once, then now and then until the process ends. */
export async function keepCommonClock(url: string, log: Log, closers: Closers): Promise<Clock> {
  const time = openDatabaseTime(url)
  closers.add('time of the database', () => time.close())
  const { clock, correct } = commonClock(() => time.now())
  const look = (): Promise<void> =>
    correct().catch((error: unknown) =>
      log.debug('the database was not asked for its time', { error: String(error) }),
    )
  await look()
  const timer = setInterval(() => void look(), askedEveryMs).unref()
  closers.add('questions for the time', () => clearInterval(timer))
  return clock
}
