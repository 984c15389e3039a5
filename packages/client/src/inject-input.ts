/** Says something to a run that goes on. */
import { orElse } from './expected.ts'
import type { RunInput } from './generated.ts'
import { newKey } from './key.ts'
import type { Request } from './request.ts'

/** How something is said. */
export interface Inject {
  /** The same key and words are said to the run once. Default: a new one, which every try of this call sends. */
  readonly key?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** What became of it. */
export type Injected =
  /** It is in the log, and the model is shown it before its next turn. */
  | { readonly is: 'heard'; readonly messageIds: readonly string[] }
  /** The run has ended, or is to end: a new run of the thread may take it. */
  | { readonly is: 'too_late' }
  /** There is no such run. */
  | { readonly is: 'unknown' }

/** Says it. @throws SignalboxError also where too much was said, or the run is an edit */
export function injectInput(
  request: Request,
  { runId, input }: { readonly runId: string; readonly input: RunInput['input'] },
  { key = newKey(), signal }: Inject = {},
): Promise<Injected> {
  const asked = request('POST /runs/{run_id}/input', {
    path: { run_id: runId },
    header: { 'idempotency-key': key },
    body: { input },
    repeatable: true,
    signal,
  })
  const told = asked.then(({ message_ids: messageIds }): Injected => ({ is: 'heard', messageIds }))
  return orElse<Injected, Injected>(told, {
    run_ended: () => ({ is: 'too_late' }),
    run_ending: () => ({ is: 'too_late' }),
    unknown_run: () => ({ is: 'unknown' }),
  })
}
