/** What an orchestrator does for the database now and then. Several of them may do it at once. */
import type { Clock } from '@signalbox/engine'
import type { Upkeep } from '@signalbox/postgres'

const sweepMs = 60_000
/** What is not surveyed yet is searched event by event: a survey looks at 4096 of them when there is nothing to do. */
const surveyMs = 10_000
/** How late a thread may be deleted after its ttl. */
const expiryMs = 10_000
/** A sweep removes some at a time. So many of them at once: a backlog is gone soon, and nothing is kept from its turn for long. */
const sweepsMax = 100

/** Does one thing, and returns however it ends: what failed, or takes too long, must not keep the others. */
export type Attempt = (name: string, act: () => Promise<unknown>) => Promise<unknown>

/** Answers what is to be called again and again: it does what is due. One that fails waits for its next time. */
export function choresOf(
  upkeep: Pick<Upkeep, 'sweepStore' | 'sweepUploads' | 'surveyFeed'>,
  clock: Pick<Clock, 'now'>,
  expireThreads: () => Promise<void>,
): (attempt: Attempt) => Promise<void> {
  const begun = clock.now()
  const chores = [
    { name: 'store', everyMs: sweepMs, lastAt: begun, act: () => upkeep.sweepStore() },
    { name: 'uploads', everyMs: sweepMs, lastAt: begun, act: () => sweepUploads(upkeep) },
    { name: 'feed', everyMs: surveyMs, lastAt: begun, act: () => upkeep.surveyFeed() },
    { name: 'threads', everyMs: expiryMs, lastAt: begun, act: expireThreads },
  ]
  return async (attempt) => {
    for (const chore of chores) {
      // Either way round: a clock that was set back must not make us wait for longer.
      if (Math.abs(clock.now() - chore.lastAt) < chore.everyMs) continue
      chore.lastAt = clock.now()
      await attempt(chore.name, chore.act)
    }
  }
}

async function sweepUploads(upkeep: Pick<Upkeep, 'sweepUploads'>): Promise<void> {
  for (let sweep = 0; sweep < sweepsMax; sweep += 1) if ((await upkeep.sweepUploads()) === 0) return
}
