/** The whole log of a run, for answers that are made of all of it. `limits.eventsPerRunMax` bounds it. */
import { legible, limits } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import type { Api } from './api.ts'

/** Every event of the run that is there now, in order, as far as this build can read it. */
export async function wholeLog(
  { read }: Pick<Api, 'read'>,
  { tenantId, runId }: { readonly tenantId: string; readonly runId: string },
): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = []
  for (;;) {
    const page = { after: events.at(-1)?.seq ?? 0, limit: limits.pageMax }
    const found = await read.runEvents(tenantId, runId, page)
    events.push(...found.map(legible))
    if (found.length < page.limit) return events
  }
}
