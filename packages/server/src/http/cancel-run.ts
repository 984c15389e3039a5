import type { Caller, RunHead } from '@signalbox/engine'
import { waitForRun } from '../stream/wait-for-run.ts'
import type { Api } from './api.ts'
import { findRun } from './find.ts'
import { Problem } from './problem.ts'
import type { CancelAction } from './wire/cancel-action.ts'

/** A cancel with `wait=1` answers after this, ended or not: tools may take long to obey. */
const waitMsMax = 60_000

export interface Cancel {
  readonly caller: Caller
  readonly head: RunHead
  readonly wait: boolean
  /** Default `interrupt`. */
  readonly action?: CancelAction
  readonly reason?: string
}

/** What to do when the client of a run goes: nothing if the process is what stops. The run itself may have ended. */
export const cancelWhenLeft =
  (api: Api, caller: Caller, { runId }: RunHead): (() => void) =>
  () => {
    if (api.stopping.aborted) return
    api.commands
      .cancel({ ...caller, runId, action: 'interrupt', reason: 'disconnected' })
      .catch((error: unknown) =>
        api.log.warn('a run was not cancelled although its client left', {
          runId,
          error: String(error),
        }),
      )
  }

/** Cancels a run and answers it as it is then. Asking again is the same as asking once. */
export async function cancelRun(api: Api, cancel: Cancel): Promise<RunHead> {
  const { caller, head, wait, action = 'interrupt', reason } = cancel
  const { runId } = head
  const answer = await api.commands.cancel({
    ...caller,
    runId,
    action,
    ...(reason === undefined ? {} : { reason }),
  })
  const now = await findRun(api, caller, { run_id: runId })
  // A repeated cancel finds the run it has ended itself: that is what was asked for.
  if (answer === 'ended' && !now.cancelRequested)
    throw new Problem('run_ended', {
      detail: `The run has ended with the outcome "${String(now.outcome)}".`,
      more: { run_id: runId, outcome: now.outcome },
    })
  if (!wait || now.status === 'ended') return now
  const signal = AbortSignal.any([
    api.stopping,
    AbortSignal.timeout(Math.min(waitMsMax, api.settings.waitMsMax)),
  ])
  const sources = { ...api, pollMs: api.settings.pollMs }
  return (await waitForRun(sources, now, signal)).head ?? now
}
