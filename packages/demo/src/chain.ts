/**
 * The hash chains of all runs, computed here and compared with what the API showed while the runs went on: whoever
 * rewrites the database afterwards, chain and all, cannot rewrite what was seen.
 */
import { createReader, type Reader, verifyChain } from '@signalbox/postgres'
import type { StoredEvent } from '@signalbox/engine'
import { expect } from './expect.ts'
import type { SeenRun } from './watched-run.ts'

const tenantId = 'default'
const pageEvents = 500

/** What was verified. */
export interface Verified {
  readonly runs: number
  readonly events: number
  /** What gave away a copy of the log in which one word was changed. */
  readonly forgery: string
}

/** Verifies every run. @throws Unmet */
export async function verifyRuns(databaseUrl: string, runs: readonly SeenRun[]): Promise<Verified> {
  const reader = createReader({ appUrl: databaseUrl })
  try {
    let [events, forgery] = [0, '']
    for (const run of runs) {
      const stored = await readAll(reader, run.runId)
      const report = verifyChain(stored)
      expect(report.ok, `the chain of run ${run.runId} is broken: ${JSON.stringify(report)}`)
      const seen = run.events.every((event) => stored[event.seq - 1]?.hash === event.hash)
      expect(seen, `the log of run ${run.runId} is not what the API had shown`)
      events += report.events
      forgery ||= exposeForgery(stored)
    }
    return { runs: runs.length, events, forgery }
  } finally {
    await reader.close()
  }
}

async function readAll(reader: Reader, runId: string): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = []
  for (;;) {
    const after = all.at(-1)?.seq ?? 0
    const page = await reader.runEvents(tenantId, runId, { after, limit: pageEvents })
    all.push(...page)
    if (page.length < pageEvents) return all
  }
}

/** A check that never fails proves nothing: changes the actor of one event in a copy, and says what was found. */
function exposeForgery(stored: readonly StoredEvent[]): string {
  const at = Math.floor(stored.length / 2)
  const copy = stored.map((event, n) => (n === at ? { ...event, actor: 'nobody' } : event))
  const report = verifyChain(copy)
  expect(!report.ok && report.seq === at + 1, 'a forged log passes for a true one')
  return `${report.part} of event ${report.seq}`
}
