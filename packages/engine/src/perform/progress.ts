/**
 * The notes of tools while they run. For whoever watches at that moment: a note is never stored, never an
 * event, and may be lost.
 */
import { limits } from '@signalbox/core'
import type { ToolProgress } from '../engine.ts'
import type { WakeBus } from '../ports.ts'
import { sanitiseText } from '../record/sanitise.ts'

/**
 * The worker's side: publishes the notes of one attempt in their order, each cut to the limit once `clean` has looked at it. Empty ones,
 * and those that `clean` answers null for, say nothing.
 */
export function reportProgress(
  bus: Pick<WakeBus, 'publishDelta'>,
  { runId, callId, attempt }: Omit<ToolProgress, 'note'> & { readonly runId: string },
  clean: (note: string) => Promise<string | null>,
): (note: string) => void {
  const publish = (said: string): void => {
    const text = sanitiseText(said.slice(0, limits.progressCharsMax))
    if (text === '') return
    bus.publishDelta({ runId, messageId: callId, attempt, offset: 0, kind: 'progress', text })
  }
  let before = Promise.resolve()
  return (note) => {
    const said = clean(note)
    // A note may be lost; that it is never ends the process.
    before = before.then(async () => publish((await said) ?? '')).catch(() => undefined)
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
