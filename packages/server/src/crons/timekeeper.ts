/** What every orchestrator sees to at its own pace: crons that are due, what has expired, the survey of the feed. */
import { type Clock, createEach, type Log, type Random, settlesWithin } from '@signalbox/engine'
import type { Upkeep } from '@signalbox/postgres'
import { isUnavailable } from '../http/register-errors.ts'
import { type Attempt, choresOf } from './chores.ts'
import { type ExpireDeps, expireThreads } from './expire.ts'
import { fireDue, type FireDeps } from './fire.ts'

/** What it stands on. */
export interface TimekeeperDeps {
  readonly create: FireDeps['create']
  readonly commands: ExpireDeps['commands']
  readonly upkeep: Upkeep
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** How often it looks, whether or not it knows of something due. Milliseconds. */
  readonly pollMs: number
}

/** Starts it. Answers the way to stop, which waits for what is under way. */
export function startTimekeeper(deps: TimekeeperDeps): () => Promise<void> {
  const stopping = new AbortController()
  const ended = keepTime(deps, stopping.signal)
  return async () => {
    stopping.abort()
    await ended
  }
}

/** How long each of its jobs is waited for. What takes longer goes on by itself, and is not begun again before it is over. */
const jobMsMax = 1_000
/** After a look that fired a cron: another one may be due. */
const againMs = 50

async function keepTime(deps: TimekeeperDeps, stopping: AbortSignal): Promise<void> {
  const { clock, upkeep, log } = deps
  const about = { clock, log, stopped: stopping }
  const crons = createEach(about, { name: 'crons', atOnce: 8 })
  const jobs = createEach(about, { name: 'upkeep', atOnce: 1, restMsMax: jobMsMax })
  const notExpired: ExpireDeps['failed'] = ({ threadId }, error) =>
    log.warn('an expired thread could not be deleted, it is tried again', {
      threadId,
      error: String(error),
    })
  const waits = (error: unknown): false => {
    const level = isUnavailable(error) ? 'debug' : 'warn'
    log[level]('the upkeep waits for the register', { error: String(error) })
    return false
  }
  const attempt: Attempt = (name, act) =>
    settlesWithin(
      clock,
      jobMsMax,
      jobs.begin(name, () => act().catch(waits)),
    )
  const doChores = choresOf(upkeep, clock, () => expireThreads({ ...deps, failed: notExpired }))
  while (!stopping.aborted) {
    let [next, fired]: [number | null, boolean] = [null, false]
    await attempt('crons', async () => {
      next = await upkeep.nextCron()
      if (next !== null && next <= 0)
        fired = await fireDue({ create: deps.create, upkeep, each: crons })
    })
    await doChores(attempt)
    await clock.sleep(fired ? againMs : pause(deps, next), stopping)
  }
}

/** Until the next time that is known, but not longer than the pace, and never so short that a failing cron keeps us busy. */
function pause({ random, pollMs }: TimekeeperDeps, next: number | null): number {
  const pace = pollMs * (0.8 + 0.4 * random.unit())
  return next === null || next <= 0 ? pace : Math.min(pace, next + 1)
}
