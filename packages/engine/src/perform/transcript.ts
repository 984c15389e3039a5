/**
 * Transcripts: the conversation events of runs whose next prompt this process may have to build, so that a turn does not
 * read the whole conversation again. A cache: contiguous up to `seq`, filled from the register where it is short.
 */
import { conversationTypes } from '@signalbox/core'
import { LRUCache } from 'lru-cache'
import type { Register, StoredEvent } from '../ports.ts'

interface Transcript {
  readonly events: readonly StoredEvent[]
  /** Everything of the run up to here is in `events`, as far as it is conversation. */
  readonly seq: number
}

const conversational = new Set<string>(conversationTypes)

export interface Transcripts {
  /**
   * The conversation of a thread up to `seq` of this run. Not beyond: a performer that was overtaken must not build a
   * prompt of what came after its claim.
   */
  read(
    run: { readonly runId: string; readonly threadId: string },
    seq: number,
  ): Promise<readonly StoredEvent[]>
  forget(runId: string): void
}

export function createTranscripts(register: Register, cachedRuns: number): Transcripts {
  const cache = new LRUCache<string, Transcript>({ max: cachedRuns })

  const extend = async (runId: string, known: Transcript): Promise<Transcript> => {
    const tail = await register.events(runId, { after: known.seq })
    const said = tail.filter((event) => conversational.has(event.type))
    return { events: [...known.events, ...said], seq: tail.at(-1)?.seq ?? known.seq }
  }

  const begin = async (run: {
    readonly runId: string
    readonly threadId: string
  }): Promise<Transcript> => {
    const events = await register.conversation(run.threadId, run.runId)
    return { events, seq: lastOf(events, run.runId) }
  }

  return {
    async read(run, seq) {
      const known = cache.get(run.runId)
      if (known && known.seq >= seq) return upTo(known, run.runId, seq)
      const next = known ? await extend(run.runId, known) : await begin(run)
      cache.set(run.runId, next)
      return upTo(next, run.runId, seq)
    },
    forget: (runId) => void cache.delete(runId),
  }
}

const upTo = ({ events }: Transcript, runId: string, seq: number): readonly StoredEvent[] =>
  events.filter((event) => event.runId !== runId || event.seq <= seq)

const lastOf = (events: readonly StoredEvent[], runId: string): number =>
  events.findLast((event) => event.runId === runId)?.seq ?? 0
