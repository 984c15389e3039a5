/** What an orchestrator does for the database now and then. Several of them may do it at once. */
import type { Clock } from '@signalbox/engine'
import type { Upkeep } from '@signalbox/postgres'

const sweepMs = 60_000
/** What is not surveyed yet is searched event by event: a survey looks at 4096 of them when there is nothing to do. */
const surveyMs = 10_000
/** How late a thread may be deleted after its ttl. */
const expiryMs = 10_000

/** Answers what is to be called again and again: it does what is due. One that fails waits for its next time. */
export function choresOf(
  upkeep: Pick<Upkeep, 'sweepStore' | 'surveyFeed'>,
  clock: Pick<Clock, 'now'>,
  expireThreads: () => Promise<void>,
): () => Promise<void> {
  const chores = [
    { everyMs: sweepMs, lastAt: clock.now(), act: () => upkeep.sweepStore() },
    { everyMs: surveyMs, lastAt: clock.now(), act: () => upkeep.surveyFeed() },
    { everyMs: expiryMs, lastAt: clock.now(), act: expireThreads },
  ]
  return async () => {
    for (const chore of chores) {
      if (clock.now() - chore.lastAt < chore.everyMs) continue
      chore.lastAt = clock.now()
      await chore.act()
    }
  }
}
