/**
 * The events that say what files a run has: of what it goes on from, of the run whose files it begins with, and its own.
 *
 * H1 A run that another one started begins with the files of that one, as they were at a moment: they are read in its log, not copied. So what is
 *    erased there is erased here.
 * H2 One round trip for the run, and one more for each run above it whose files it begins with.
 */
import { type FactPayload, factSchemas } from '@signalbox/core'
import type { Register, StoredEvent } from '../ports.ts'

/** A run, and up to which event of it. */
export interface FilesPlace {
  readonly threadId: string
  readonly runId: string
  /** Absent: all of it. */
  readonly through?: number
}

/** In the order in which they are folded. */
export async function heardFiles(
  register: Pick<Register, 'changedFiles'>,
  { threadId, runId, through = Infinity }: FilesPlace,
): Promise<readonly StoredEvent[]> {
  const heard: StoredEvent[] = []
  for (const event of await register.changedFiles(threadId, runId)) {
    if (event.runId === runId && event.seq > through) continue
    const from = beginningOf(event)
    if (from) heard.push(...(await heardFiles(register, from)))
    heard.push(event)
  }
  return heard
}

const Beginning = factSchemas['run.created'].pick({ filesFrom: true })

/** Where the files come from that a run begins with; null if it begins with none, or its event was erased. */
export function beginningOf({
  type,
  payload,
}: Pick<StoredEvent, 'type' | 'payload'>): FilesPlace | null {
  if (type !== 'run.created') return null
  const from: FactPayload<'run.created'>['filesFrom'] = Beginning.safeParse(payload).data?.filesFrom
  return from ? { threadId: from.threadId, runId: from.at.runId, through: from.at.seq } : null
}
