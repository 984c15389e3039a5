/** The sending end of a queue store, the same for both. */
import type { JobsOptions, Queue } from 'bullmq'
import { settings } from './backend.ts'

/** One job: `data` is the effect id and nothing else, because the store is no place for prompts or secrets (I20). */
export interface NewJob {
  readonly id: string
  readonly data: string
}

export interface Producer {
  /** Rejects when the store is not reachable. May have added the jobs all the same. */
  add(queue: string, jobs: readonly NewJob[]): Promise<void>
  /** Does the store take jobs now? Writes something that vanishes. Rejects if it does not; may hang while the store does. */
  answers(): Promise<void>
  /** How many jobs wait in a queue. Rejects when the store is not reachable. */
  depth(queue: string): Promise<number>
  close(): Promise<void>
}

/** A job that has settled leaves nothing behind: an id that stays would silently swallow the next add of it. */
const jobOptions = {
  attempts: 1,
  removeOnComplete: true,
  removeOnFail: true,
} satisfies JobsOptions

/** Options of every queue object. Its version check would be remembered as failed for ever if it failed once. */
export const queueOptions = {
  streams: { events: { maxLen: settings.eventsMax } },
  skipVersionCheck: true,
  skipWaitingForReady: true,
} as const

/** Jobs that no worker has taken. None of ours is delayed or has a priority; one of somebody else's would be served as well. */
export async function depthOf(queue: Pick<Queue, 'getJobCounts'>): Promise<number> {
  const counts = await queue.getJobCounts('wait', 'prioritized', 'delayed')
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

const jobName = 'effect'

/** One job goes by `add`: `addBulk` makes temporary tables on PostgreSQL. */
export async function addTo(
  queue: Pick<Queue, 'add' | 'addBulk'>,
  jobs: readonly NewJob[],
): Promise<void> {
  const [only] = jobs
  if (only !== undefined && jobs.length === 1) {
    await queue.add(jobName, only.data, { ...jobOptions, jobId: only.id })
    return
  }
  await queue.addBulk(
    jobs.map(({ id, data }) => ({ name: jobName, data, opts: { ...jobOptions, jobId: id } })),
  )
}
