/** Cancels a run, also one whose create is still under way. */
import type { SignalboxError } from './error.ts'
import { orElse } from './expected.ts'
import type { Run } from './generated.ts'
import { inRange, clientLimits } from './options.ts'
import { backoffMs, pause } from './pause.ts'
import type { Request } from './request.ts'

/** How a run is cancelled. */
export interface Cancel {
  /** Stands in the log. */
  readonly reason?: string | undefined
  readonly action?: 'interrupt' | 'rollback' | undefined
  /** Wait for the end of the run; a minute at most. */
  readonly wait?: boolean | undefined
  /**
   * For a run named by the key of its create, which may arrive after this: ask for so long until the run is there.
   * Milliseconds, default 0.
   */
  readonly knownWithinMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** What a cancel came to. */
export type Cancelled =
  /** Durable: no new effect of the run starts, and what runs is being told. */
  | { readonly is: 'asked'; readonly run: Run }
  /** With `wait`: it has ended. */
  | { readonly is: 'ended' }
  /** It had ended by itself. */
  | { readonly is: 'too_late'; readonly outcome: Run['outcome'] }
  /** There is no such run. */
  | { readonly is: 'unknown' }

/** Cancels. Asking again is the same as asking once. @throws SignalboxError */
export async function cancelRun(
  request: Request,
  runId: string,
  cancel: Cancel = {},
): Promise<Cancelled> {
  const { knownWithinMs = 0, signal } = cancel
  inRange('knownWithinMs', knownWithinMs, [0, clientLimits.timeoutMsMax])
  const until = performance.now() + knownWithinMs
  for (let tries = 1; ; tries++) {
    const cancelled = await askOnce(request, runId, cancel)
    const leftMs = until - performance.now()
    if (cancelled.is !== 'unknown' || leftMs <= 0) return cancelled
    await pause(Math.min(leftMs, backoffMs(tries, { pauseMs: 20, pauseMsMax: 500 })), signal)
  }
}

async function askOnce(request: Request, runId: string, cancel: Cancel): Promise<Cancelled> {
  const { reason, action, wait = false, signal } = cancel
  const asked = request('POST /runs/{run_id}/cancel', {
    path: { run_id: runId },
    query: {
      wait: wait ? '1' : '0',
      ...(reason === undefined ? {} : { reason }),
      ...(action === undefined ? {} : { action }),
    },
    repeatable: true,
    ...(wait ? { silenceMs: clientLimits.waitingSilenceMs } : {}),
    signal,
  })
  // A run that has ended within the wait is answered without a body.
  const told = asked.then((run: Run | null): Cancelled =>
    run === null ? { is: 'ended' } : { is: 'asked', run },
  )
  return orElse<Cancelled, Cancelled>(told, {
    run_ended: (error) => ({ is: 'too_late', outcome: outcomeOf(error) }),
    unknown_run: () => ({ is: 'unknown' }),
  })
}

const outcomes: ReadonlySet<unknown> = new Set<Run['outcome']>([
  'completed',
  'safety_stopped',
  'refused',
  'guardrail_stopped',
  'loop_stopped',
  'budget_exhausted',
  'length_stopped',
  'interrupted',
  'cancelled',
  'rolled_back',
  'timed_out',
  'failed',
])
const isOutcome = (value: unknown): value is Run['outcome'] => outcomes.has(value)

function outcomeOf({ problem }: SignalboxError): Run['outcome'] {
  const said: unknown = problem?.['outcome']
  return isOutcome(said) ? said : null
}
