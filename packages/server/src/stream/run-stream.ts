/** A followed run as server-sent events: our own stream, the events of the register as they are. */
import type { StoredEvent } from '@signalbox/engine'
import { wireStatus } from '../http/wire/run-view.ts'
import { eventView } from '../http/wire/event-view.ts'
import { maskedPayload } from '../http/wire/masked-event.ts'
import { type Following, type FollowSources, type Frame, followRun } from './follow-run.ts'
import { sseComment, type SseEvent, sseEvent } from './sse.ts'
import { type StepReset, StepResets } from './step-resets.ts'

/**
 * The texts of the stream: `metadata` first, events of the register with their `seq` as id, `end` last. `reset-step` comes
 * before an event by which text that was shown is withdrawn.
 */
export async function* runStream(
  sources: FollowSources,
  following: Following,
): AsyncGenerator<string, void, undefined> {
  yield sseEvent({ event: 'metadata', data: { run_id: following.runId, attempt: 1 } })
  const resets = new StepResets()
  for await (const frame of followRun(sources, { ...following, raw: true })) {
    if (frame.kind === 'event')
      for (const own of ownEvent(frame.event, resets.see(frame.event))) yield sseEvent(own)
    else yield* textsOf(frame, following.runId)
  }
}

/** An event as our own stream shows it; what it withdraws comes before, so that whoever resumes behind it has had that. */
export function ownEvent(event: StoredEvent, reset: StepReset | null): readonly SseEvent[] {
  const { type, seq, runId: run_id } = event
  const data = eventView({ ...event, payload: maskedPayload(event) })
  const own = { event: type, data, id: seq }
  if (!reset) return [own]
  const { messageId: message_id, ...rest } = reset
  return [{ event: 'reset-step', data: { run_id, message_id, ...rest } }, own]
}

function* textsOf(
  frame: Exclude<Frame, { readonly kind: 'event' }>,
  runId: string,
): Generator<string, void, undefined> {
  switch (frame.kind) {
    case 'text': {
      const { messageId: message_id, attempt, offset, text } = frame.piece
      const data = { run_id: runId, message_id, attempt, offset, text }
      return yield sseEvent({ event: 'message.delta', data })
    }
    case 'progress': {
      const { callId: call_id, attempt, note } = frame.progress
      const data = { run_id: runId, call_id, attempt, note }
      return yield sseEvent({ event: 'tool.progress', data })
    }
    case 'heartbeat':
      return yield sseComment('heartbeat')
    case 'waiting':
      return
    case 'end': {
      const { outcome } = frame.head
      const data = { run_id: runId, status: wireStatus(frame.head), outcome }
      return yield sseEvent({ event: 'end', data })
    }
    case 'stopping':
      return yield sseComment('this process is stopping, reconnect with Last-Event-ID')
    case 'overrun':
      return yield sseComment('the client is too slow, reconnect with Last-Event-ID')
  }
}
