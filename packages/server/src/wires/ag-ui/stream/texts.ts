/** A followed run as the texts of an AG-UI stream. */
import { BrokenOff } from '../../../stream/broken-off.ts'
import type { RunHead, StoredEvent } from '@signalbox/engine'
import { type FollowSources, type Frame, followRun } from '../../../stream/follow-run.ts'
import { sseComment } from '../../../stream/sse.ts'
import { isVerdict } from '../../langgraph/stream/projection.ts'
import { type AgUiEvent, agUiFrame } from '../event.ts'
import { type AskedStream, RunEvents } from './run-events.ts'

export interface AgUiSources extends FollowSources {
  /** What was said on the thread before the run: its events, oldest first. */
  readonly history: () => Promise<readonly StoredEvent[]>
}

export interface AgUiFollowing {
  readonly head: RunHead
  readonly asked: AskedStream
  /** The first events: that it begins, and what of the request is not used. */
  readonly first: readonly AgUiEvent[]
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal
}

/** The texts of the stream. Rejects where it breaks off: a stream without an end is a run that goes on. */
export async function* agUiTexts(
  sources: AgUiSources,
  { head, asked, first, gone }: AgUiFollowing,
): AsyncGenerator<string, void, undefined> {
  for (const event of first) yield agUiFrame(event)
  const { tenantId, runId } = head
  const events = new RunEvents(head, asked)
  const following = { tenantId, runId, after: 0, untilWaiting: true, gone }
  for await (const frame of followRun(sources, following)) {
    // What a decision did is shown once its last verdict was seen.
    if (frame.kind !== 'event' || !isVerdict(frame.event))
      for (const event of events.flush()) yield agUiFrame(event)
    if (events.isOver) return
    if (frame.kind === 'event' && events.needsHistory(frame.event))
      events.begin(await sources.history())
    if (frame.kind === 'heartbeat') yield sseComment('heartbeat')
    else for (const event of eventsOf(events, frame)) yield agUiFrame(event)
  }
}

function* eventsOf(
  events: RunEvents,
  frame: Exclude<Frame, { readonly kind: 'heartbeat' }>,
): Generator<AgUiEvent, void, undefined> {
  switch (frame.kind) {
    case 'event':
      return yield* events.see(frame.event)
    case 'text':
      return yield* events.say(frame.piece)
    case 'progress':
      return yield* events.note(frame.progress)
    case 'end':
      return yield* events.end(frame.head.outcome ?? 'failed')
    case 'waiting':
      throw new BrokenOff('the run waits, and its events do not say for what')
    case 'stopping':
      throw new BrokenOff('the process is stopping')
    case 'overrun':
      throw new BrokenOff('the client is too slow')
  }
}
