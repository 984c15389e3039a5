/** How a run ended, in AG-UI's words. */
import type { Outcome } from '@signalbox/core'
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
}

/** The last event of a run that has ended. Which outcome it was stands in `metadata.signalbox`. */
export function ending({ threadId, runId, usage, outcome }: Ended): AgUiEvent {
  const type = endings[outcome]
  const used = usage.length === 0 ? {} : { usage }
  const metadata = { signalbox: { outcome } }
  if (type !== 'error')
    return { type: 'RUN_FINISHED', threadId, runId, outcome: { type }, ...used, metadata }
  const message = `The run ended with the outcome "${outcome}".`
  return { type: 'RUN_ERROR', message, code: outcome, ...used, metadata }
}
