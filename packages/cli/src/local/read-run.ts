import { limits } from '@signalbox/core'
import type { Register, RunHead, StoredEvent } from '@signalbox/engine'

/** A run as it stood at one moment: its head, and every event up to it. */
export interface StoredRun {
  readonly head: RunHead
  readonly events: readonly StoredEvent[]
}

/** Reads a run. The head first: what a living run gets meanwhile is left out, not taken for a fault. */
export async function readRun(
  register: Pick<Register, 'head' | 'events'>,
  runId: string,
): Promise<StoredRun | null> {
  const head = await register.head(runId)
  if (!head) return null
  const events: StoredEvent[] = []
  for await (const event of readEvents(register, runId, head.seq)) events.push(event)
  return { head, events }
}

/** The events of a run up to `last`, page by page: no more than a page of them is held. */
export async function* readEvents(
  register: Pick<Register, 'events'>,
  runId: string,
  last = Infinity,
): AsyncGenerator<StoredEvent> {
  const limit = limits.pageMax
  for (let after = 0; ;) {
    const page = await register.events(runId, { after, limit })
    for (const event of page) if (event.seq <= last) yield event
    after = page.at(-1)?.seq ?? after
    if (page.length < limit) return
  }
}
