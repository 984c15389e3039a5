/** How a message ends, by the outcome of its run. */
import type { Outcome } from '@signalbox/core'
import type { ArtifactValues } from '../../files/artifacts.ts'
import { endText, type RunError } from '../../http/wire/run-error.ts'
import type { Chunk, FinishReason } from './chunk.ts'

/** `abort`: somebody ended it. `error`: it could not do its work. */
const endings = {
  completed: 'stop',
  safety_stopped: 'content-filter',
  refused: 'content-filter',
  guardrail_stopped: 'content-filter',
  length_stopped: 'length',
  loop_stopped: 'other',
  budget_exhausted: 'other',
  cancelled: 'abort',
  rolled_back: 'abort',
  interrupted: 'error',
  failed: 'error',
  timed_out: 'error',
} as const satisfies Readonly<Record<Outcome, FinishReason | 'abort'>>

/** A run that has ended. */
interface Ended {
  readonly outcome: Outcome
  readonly error: RunError | null
  readonly artifacts: ArtifactValues
}

/** The last parts of a message. After an error the client reads nothing more, so what there is to know comes before. */
export function ending({ outcome, error, artifacts }: Ended): readonly Chunk[] {
  const finishReason = endings[outcome]
  const messageMetadata = { status: 'ended', outcome, ...(error && { error }), ...artifacts }
  const metadata: Chunk = { type: 'message-metadata', messageMetadata }
  switch (finishReason) {
    case 'abort':
      return [metadata, { type: 'abort', reason: outcome }]
    case 'error':
      return [metadata, { type: 'error', errorText: endText(outcome, error) }]
    default:
      return [{ type: 'finish', finishReason, messageMetadata }]
  }
}
