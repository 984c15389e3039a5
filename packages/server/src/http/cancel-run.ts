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
  /** Finds the run. With the thread, reads of the thread wait for this as well. */
  readonly find: () => Promise<RunHead>
  readonly threadId?: string
  readonly wait: boolean
  /** Default `interrupt`. */
  readonly action?: CancelAction
  readonly reason?: string
}

/** What to do when the client of a run goes: nothing if the process is what stops. The run itself may have ended. */
export const cancelWhenLeft =
  (api: Api, caller: Caller, run: RunHead): (() => void) =>
  () => {
    if (api.stopping.aborted) return
    recordCancel(api, caller, { run, reason: 'disconnected' }).catch((error: unknown) =>
      api.log.warn('a run was not cancelled although its client left', {
        runId: run.runId,
        error: String(error),
      }),
    )
  }

interface CancelOfRun {
  readonly run: Pick<RunHead, 'runId' | 'threadId'>
  /** Default `interrupt`. */
  readonly action?: CancelAction | undefined
  readonly reason?: string | undefined
}

/** Records a cancel of one run. Reads of its thread that arrive meanwhile wait for it. */
export function recordCancel(
  { cancels, commands }: Pick<Api, 'cancels' | 'commands'>,
  caller: Caller,
  { run: { runId, threadId }, action = 'interrupt', reason }: CancelOfRun,
): ReturnType<Api['commands']['cancel']> {
  const why = reason === undefined ? {} : { reason }
  return cancels.during({ tenantId: caller.tenantId, threadId }, () =>
    commands.cancel({ ...caller, runId, action, ...why }),
  )
}

/** Cancels a run and answers it as it is then. Asking again is the same as asking once. */
export async function cancelRun(api: Api, cancel: Cancel): Promise<RunHead> {
  const { caller, find, threadId = null, wait, action, reason } = cancel
  const { tenantId } = caller
  const { runId, answer } = await api.cancels.during({ tenantId, threadId }, async () => {
    const run = await find()
    return { runId: run.runId, answer: await recordCancel(api, caller, { run, action, reason }) }
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
