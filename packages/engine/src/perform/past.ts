/**
 * The words of the log about a conversation up to a moment, for the fact of its summary: the appendix, and which events the summary was made of.
 *
 * A1 Folded from where the last question has left it: a summary late in a run costs what is new, not the run.
 * A2 It begins behind the place of the newest summary before the moment, with what that one has told: the same of a conversation that was read
 *    whole, and of one that was read from that summary on.
 */
import { createHash, type Hash } from 'node:crypto'
import {
  type Appendix,
  createAppendix,
  type FactPayload,
  type Moment,
  readFact,
} from '@signalbox/core'
import type { StoredEvent } from '../ports.ts'

/** The facts about the events up to a moment. */
export type Told = Pick<FactPayload<'context.compacted'>, 'appendix' | 'sources'>

/** Tells it of a conversation that grows: `events` begin with those of the last time. */
export type Past = (events: readonly StoredEvent[], through: Moment) => Told

interface Folded {
  /** Index of the first event that is told of. */
  readonly from: number
  /** Index of the next event to take. */
  next: number
  readonly appendix: Appendix
  /** Over the digests of the events, a line each. */
  readonly hash: Hash
}

const beginning = (from: number, appendix = ''): Folded => ({
  from,
  next: from,
  appendix: createAppendix(appendix),
  hash: createHash('sha256'),
})

export function createPast(): Past {
  // Most conversations are never summed up.
  let folded: Folded | null = null
  return (events, through) => {
    const end = endOf(events, through)
    // None, or a moment before the one of the last time.
    if (!folded || end < folded.next) folded = beginning(0)
    while (folded.next < end) folded = take(folded, events)
    const { from: begin, hash, appendix } = folded
    const first = begin < end ? events[begin] : undefined
    const from = first ? { runId: first.runId, seq: first.seq } : through
    const digest = hash.copy().digest('hex')
    return {
      appendix: appendix.text(),
      sources: { from, through, events: end - begin, digest },
    }
  }
}

/** Takes the next event. A summary is the beginning of another fold: behind its place, which is a few events back. */
function take(folded: Folded, events: readonly StoredEvent[]): Folded {
  const event = events[folded.next]
  if (!event) return folded
  const fact = event.type === 'context.compacted' ? readFact(event) : null
  if (fact?.type === 'context.compacted') {
    const { through, appendix } = fact.payload
    const from = endOf(events, through)
    if (from > folded.from) return takeUntil(beginning(from, appendix), events, folded.next)
  }
  add(folded, event)
  return folded
}

/** Takes the events up to this index, which is that of a summary whose place they are behind. */
function takeUntil(folded: Folded, events: readonly StoredEvent[], last: number): Folded {
  for (const event of events.slice(folded.next, last + 1)) add(folded, event)
  return folded
}

function add(folded: Folded, event: StoredEvent): void {
  folded.appendix.take(event)
  folded.hash.update(folded.next === folded.from ? event.hash : `\n${event.hash}`)
  folded.next += 1
}

/** Index behind the last event up to a moment; 0: the moment is not in the conversation. */
const endOf = (events: readonly StoredEvent[], { runId, seq }: Moment): number =>
  events.findLastIndex((event) => event.runId === runId && event.seq <= seq) + 1
