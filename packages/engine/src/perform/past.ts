/**
 * The words of the log about a conversation up to a moment, for the fact of its summary: the appendix, and which events the summary was made of.
 *
 * A1 Folded from where the last summary has left it: a summary late in a run costs what is new, not the run.
 */
import { createHash, type Hash } from 'node:crypto'
import { type Appendix, createAppendix, type FactPayload, type Moment } from '@signalbox/core'
import type { StoredEvent } from '../ports.ts'

/** The facts about the events up to a moment. */
export type Told = Pick<FactPayload<'context.compacted'>, 'appendix' | 'sources'>

/** Tells it of a conversation that grows: `events` begin with those of the last time. */
export type Past = (events: readonly StoredEvent[], through: Moment) => Told

interface Folded {
  events: number
  readonly appendix: Appendix
  /** Over the digests of the events, a line each. */
  readonly hash: Hash
}

const empty = (): Folded => ({
  events: 0,
  appendix: createAppendix(),
  hash: createHash('sha256'),
})

export function createPast(): Past {
  // Most conversations are never summed up.
  let folded: Folded | null = null
  return (events, through) => {
    const { runId, seq } = through
    const count = events.findLastIndex((event) => event.runId === runId && event.seq <= seq) + 1
    // None, or a moment before the one of the last time.
    if (!folded || count < folded.events) folded = empty()
    for (const event of events.slice(folded.events, count)) take(folded, event)
    const [first] = count > 0 ? events : []
    const from = first ? { runId: first.runId, seq: first.seq } : through
    const digest = folded.hash.copy().digest('hex')
    return {
      appendix: folded.appendix.text(),
      sources: { from, through, events: count, digest },
    }
  }
}

function take(folded: Folded, event: StoredEvent): void {
  folded.appendix.take(event)
  folded.hash.update(folded.events === 0 ? event.hash : `\n${event.hash}`)
  folded.events += 1
}
