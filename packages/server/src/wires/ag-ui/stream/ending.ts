/** How a run ended, in AG-UI's words. */
import type { Outcome } from '@signalbox/core'
import type { ArtifactValues } from '../../../files/artifacts.ts'
import { endText, type RunError } from '../../../http/wire/run-error.ts'
import type { AgUiEvent, AgUiUsage } from '../event.ts'

/**
 * The protocol asks that what was stopped on purpose, by whomever or by a limit, is not reported as a success; and a
 * failure is no stop.
 */
const endings = {
  completed: 'success',
  refused: 'success',
  safety_stopped: 'cancelled',
  guardrail_stopped: 'cancelled',
  loop_stopped: 'cancelled',
  budget_exhausted: 'cancelled',
  length_stopped: 'cancelled',
  cancelled: 'cancelled',
  rolled_back: 'cancelled',
  interrupted: 'error',
  timed_out: 'error',
  failed: 'error',
} as const satisfies Readonly<Record<Outcome, 'success' | 'cancelled' | 'error'>>

export interface Ended {
  readonly threadId: string
  readonly runId: string
  readonly usage: readonly AgUiUsage[]
  readonly outcome: Outcome
  /** Why it failed, if it did. */
  readonly error: RunError | null
  readonly artifacts: ArtifactValues
}

/** The last event of a run that has ended. Which outcome it was, and which artifacts it left, stand in `metadata.signalbox`. */
export function ending({ threadId, runId, usage, outcome, error, artifacts }: Ended): AgUiEvent {
  const type = endings[outcome]
  const used = usage.length === 0 ? {} : { usage }
  const metadata = { signalbox: { outcome, ...(error && { error }), ...artifacts } }
  if (type !== 'error')
    return { type: 'RUN_FINISHED', threadId, runId, outcome: { type }, ...used, metadata }
  return { type: 'RUN_ERROR', message: endText(outcome, error), code: outcome, ...used, metadata }
}
