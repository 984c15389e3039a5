import { limits } from '@signalbox/core'
import type { RunHead, StoredEvent } from '@signalbox/engine'
import type { ReadModel } from '../read-model.ts'

/** Every event of a run: at most `limits.eventsPerRunMax` and the notes after its end. */
export async function eventsOf(
  read: Pick<ReadModel, 'runEvents'>,
  run: Pick<RunHead, 'tenantId' | 'runId'>,
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = []
  for (;;) {
    const page = { after: events.at(-1)?.seq ?? 0, limit: limits.pageMax }
    const more = await read.runEvents(run.tenantId, run.runId, page)
    events.push(...more)
    if (more.length < limits.pageMax) return events
  }
}
