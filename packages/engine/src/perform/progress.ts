/**
 * What tools say of themselves while they run. For whoever watches at that moment: a note is never stored, never an
 * event, and may be lost.
 */
import { limits } from '@signalbox/core'
import type { ToolProgress } from '../engine.ts'
import type { WakeBus } from '../ports.ts'
import { sanitiseText } from '../record/sanitise.ts'

/** The worker's side: publishes the notes of one attempt, each cut to the limit. Empty ones say nothing. */
export function reportProgress(
  bus: Pick<WakeBus, 'publishDelta'>,
  { runId, callId, attempt }: Omit<ToolProgress, 'note'> & { readonly runId: string },
): (note: string) => void {
  return (note) => {
    const text = sanitiseText(note.slice(0, limits.progressCharsMax))
    if (text === '') return
    bus.publishDelta({ runId, messageId: callId, attempt, offset: 0, kind: 'progress', text })
  }
}

/** The follower's side. */
export function followProgress(
  bus: Pick<WakeBus, 'subscribeDeltas'>,
  runId: string,
  listener: (progress: ToolProgress) => void,
): () => void {
  return bus.subscribeDeltas(runId, ({ kind, messageId: callId, attempt, text: note }) => {
    if (kind === 'progress') listener({ callId, attempt, note })
  })
}
