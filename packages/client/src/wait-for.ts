/** Waits for a run to come to something, however long that takes and whatever breaks meanwhile. */
import type { Run } from './generated.ts'
import { inRange, clientLimits } from './options.ts'
import type { Request } from './request.ts'
import { streamRun } from './stream-run.ts'
import type { Transport } from './transport.ts'

/**
 * `ended`: the run has its outcome. `settled`: that, or it waits for a human. A function is asked whenever the machine has
 * taken a step.
 */
export type Until = 'ended' | 'settled' | ((run: Run) => boolean)

/** What is waited for. */
export interface Wait {
  /** Default `settled`. */
  readonly until?: Until | undefined
  readonly signal?: AbortSignal | undefined
  /** Default: as long as it takes. */
  readonly timeoutMs?: number | undefined
}

/** What a wait came to. The run goes on, whatever it is. */
export type Waited =
  | { readonly is: 'reached'; readonly run: Run }
  /** The run ended, and what was waited for can no longer come. */
  | { readonly is: 'ended'; readonly run: Run }
  /** `run` as it was seen last; null if nobody answered in the time. */
  | { readonly is: 'timed_out'; readonly run: Run | null }

const untils = {
  ended: ({ outcome }: Run) => outcome !== null,
  // A run that waits for a human reads `interrupted`, as a cancelled one does.
  settled: ({ outcome, status }: Run) => outcome !== null || status === 'interrupted',
}

/** Waits. @throws SignalboxError for a run that is not there, or a server that stays away */
export async function waitFor(
  { transport, request }: { readonly transport: Transport; readonly request: Request },
  runId: string,
  { until = 'settled', timeoutMs, signal: given }: Wait = {},
): Promise<Waited> {
  if (timeoutMs !== undefined) inRange('timeoutMs', timeoutMs, [0, clientLimits.timeoutMsMax])
  const holds = typeof until === 'function' ? until : untils[until]
  const over = new AbortController()
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => over.abort(), timeoutMs)
  const signal = given ? AbortSignal.any([given, over.signal]) : over.signal
  let run: Run | null = null
  const look = async (): Promise<Waited | null> => {
    run = await request('GET /runs/{run_id}', { path: { run_id: runId }, signal })
    if (holds(run)) return { is: 'reached', run }
    return run.outcome === null ? null : { is: 'ended', run }
  }
  try {
    let seen = await look()
    for (let after = 0; seen === null;) {
      // The wait follows behind what it has looked at.
      after = seqOf(run)
      for await (const frame of streamRun(transport, runId, { after, signal })) {
        const isStep = frame.kind === 'event' && frame.event.type === 'run.transitioned'
        if (frame.kind === 'end' || (isStep && until !== 'ended')) seen = await look()
        if (seen) break
      }
    }
    return seen
  } catch (error) {
    if (over.signal.aborted && !given?.aborted) return { is: 'timed_out', run }
    throw error
  } finally {
    clearTimeout(timer)
  }
}

const seqOf = (run: Run | null): number => run?.seq ?? 0
