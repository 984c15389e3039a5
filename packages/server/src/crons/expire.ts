/**
 * Deletes threads whose ttl has passed, as their users would: hidden, and the log keeps everything.
 *
 * X1 A thread is answered to one process at a time. One that could not be deleted is answered again, to whoever asks then.
 * X2 Who used it meanwhile keeps it: the register looks again in the moment in which it hides.
 */
import type { Commands } from '@signalbox/engine'
import type { ExpiredThread, Upkeep } from '@signalbox/postgres'

/** What expiring stands on. */
export interface ExpireDeps {
  readonly commands: Pick<Commands, 'hideThread'>
  readonly upkeep: Pick<Upkeep, 'takeExpired'>
  /** Told what could not be deleted. */
  readonly failed: (thread: ExpiredThread, error: unknown) => void
}

/** Threads of one look, and of them those that are deleted at once. */
const batchMax = 200
const lanes = 8

/** Who the log says has deleted them. */
const actor = 'ttl'

/** One look at what has expired. Rejects when the register cannot be asked. */
export async function expireThreads(deps: ExpireDeps): Promise<void> {
  const expired = [...(await deps.upkeep.takeExpired(batchMax))]
  const work = async (): Promise<void> => {
    for (let thread = expired.pop(); thread; thread = expired.pop()) await expire(deps, thread)
  }
  await Promise.all(Array.from({ length: lanes }, work))
}

async function expire({ commands, failed }: ExpireDeps, thread: ExpiredThread): Promise<void> {
  try {
    await commands.hideThread({ ...thread, actor, expired: true })
  } catch (error) {
    failed(thread, error)
  }
}
