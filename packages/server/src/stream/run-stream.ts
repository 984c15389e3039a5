/** A followed run as server-sent events. */
import { wireStatus } from '../http/wire/run-view.ts'
import { eventView } from '../http/wire/event-view.ts'
import { maskedPayload } from '../http/wire/masked-event.ts'
import { type Following, type FollowSources, type Frame, followRun } from './follow-run.ts'
import { sseComment, sseEvent } from './sse.ts'
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
  for await (const frame of followRun(sources, following)) {
    // Before the event: whoever resumes behind the event has had it.
    const reset = frame.kind === 'event' ? resets.see(frame.event) : null
    if (reset) yield resetText(reset, following.runId)
    const text = textOf(frame, following.runId)
    if (text !== '') yield text
  }
}

function resetText({ messageId, ...reset }: StepReset, runId: string): string {
  const data = { run_id: runId, message_id: messageId, ...reset }
  return sseEvent({ event: 'reset-step', data })
}

function textOf(frame: Frame, runId: string): string {
  switch (frame.kind) {
    case 'event': {
      const { type, seq } = frame.event
      const payload = maskedPayload(frame.event)
      return sseEvent({ event: type, data: eventView({ ...frame.event, payload }), id: seq })
    }
    case 'text': {
      const { messageId: message_id, attempt, offset, text } = frame.piece
      const data = { run_id: runId, message_id, attempt, offset, text }
      return sseEvent({ event: 'message.delta', data })
    }
    case 'progress': {
      const { callId: call_id, attempt, note } = frame.progress
      const data = { run_id: runId, call_id, attempt, note }
      return sseEvent({ event: 'tool.progress', data })
    }
    case 'heartbeat':
      return sseComment('heartbeat')
    case 'end': {
      const { outcome } = frame.head
      return sseEvent({
        event: 'end',
        data: { run_id: runId, status: wireStatus(frame.head), outcome },
      })
    }
    case 'stopping':
      return sseComment('this process is stopping, reconnect with Last-Event-ID')
    case 'overrun':
      return sseComment('the client is too slow, reconnect with Last-Event-ID')
  }
}
