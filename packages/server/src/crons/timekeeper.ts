/** What every orchestrator sees to at its own pace: crons that are due, what has expired, the survey of the feed. */
import type { Clock, Log, Random } from '@signalbox/engine'
import type { Upkeep } from '@signalbox/postgres'
import { isUnavailable } from '../http/register-errors.ts'
import { choresOf } from './chores.ts'
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

async function keepTime(deps: TimekeeperDeps, stopping: AbortSignal): Promise<void> {
  const { clock, upkeep, log } = deps
  const failed: FireDeps['failed'] = (cron, error) =>
    log.warn('a cron could not be fired, it is tried again', {
      cronId: cron.cronId,
      error: String(error),
    })
  const notExpired: ExpireDeps['failed'] = ({ threadId }, error) =>
    log.warn('an expired thread could not be deleted, it is tried again', {
      threadId,
      error: String(error),
    })
  const doChores = choresOf(upkeep, clock, () => expireThreads({ ...deps, failed: notExpired }))
  while (!stopping.aborted) {
    try {
      await fireDue({ create: deps.create, upkeep, failed })
      await doChores()
    } catch (error) {
      const level = isUnavailable(error) ? 'debug' : 'warn'
      log[level]('the upkeep waits for the register', { error: String(error) })
    }
    await clock.sleep(await pause(deps), stopping)
  }
}

/** Until the next time that is known, but not longer than the pace, and never so short that a failing cron keeps us busy. */
async function pause({ upkeep, random, pollMs }: TimekeeperDeps): Promise<number> {
  const next = await upkeep.nextCron().catch(() => null)
  const pace = pollMs * (0.8 + 0.4 * random.unit())
  return next === null || next <= 0 ? pace : Math.min(pace, next + 1)
}
