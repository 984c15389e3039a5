/** Time and chance of the machine it runs on. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { v7 } from 'uuid'
import type { Clock, Random } from './ports.ts'

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  /** An aborted sleep ends early, it does not fail. */
  sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}).catch(() => {}),
}

/** Cryptographic chance, and UUIDs that sort by time. */
export const systemRandom: Random = {
  uuid: () => v7(),
  hex: (bytes) => randomBytes(bytes).toString('hex'),
  unit: () => Math.random(),
}
