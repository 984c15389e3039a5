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
  const limit = limits.pageMax
  for (;;) {
    const page = await register.events(runId, { after: events.at(-1)?.seq ?? 0, limit })
    events.push(...page)
    if (page.length < limit) break
  }
  return { head, events: events.filter(({ seq }) => seq <= head.seq) }
}
