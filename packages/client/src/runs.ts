/** Runs: create, read, follow, wait, cancel. A run is named by its id, or by the key it was created with. */
import { type Cancel, cancelRun } from './cancel-run.ts'
import { orElse } from './expected.ts'
import type {
  Event,
  Run,
  RunCreate,
  RunExplanation,
  RunInput,
  RunRerun,
  Values,
} from './generated.ts'
import { type Inject, injectInput } from './inject-input.ts'
import { newKey } from './key.ts'
import { manyRunsOf } from './many-runs.ts'
import { pause } from './pause.ts'
import type { Parts, Request } from './request.ts'
import { type Following, streamRun } from './stream-run.ts'
import type { Transport } from './transport.ts'
import { type Wait, waitFor } from './wait-for.ts'

/** What a run is created with. `assistant_id` is the name of an agent. */
export type NewRun = Omit<RunCreate, 'stream_mode'>

/** How a run is created. */
export interface Create {
  /** Default: a thread of its own. */
  readonly threadId?: string | undefined
  /**
   * An alias of the run, known before the answer. The same key and body give the same run. Default: a new one, which every
   * try of this call sends.
   */
  readonly key?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** What a run is repeated with: another agent, another of its models. What is left out is as it was. */
export type Repeat = RunRerun & Pick<Create, 'key' | 'signal'>

/** What ends a request early. */
export interface Abortable {
  readonly signal?: AbortSignal | undefined
}

/** Which runs of a thread are listed. */
export type RunsQuery = NonNullable<Parts<'GET /threads/{thread_id}/runs'>['query']>

const on = (runId: string, { signal }: Abortable = {}) => ({ path: { run_id: runId }, signal })

/** Methods reject with a SignalboxError for refusals that they do not name. */
export type Runs = ReturnType<typeof runsOf>

/** Makes the methods. */
export function runsOf(transport: Transport, request: Request) {
  return {
    /** Creates a run: one, however often the request had to be sent. */
    create: (run: NewRun, create: Create = {}): Promise<Run> => createRun(request, run, create),
    /** Repeats a run that has ended, on a new thread: what was recorded of its calls answers, nothing executes. */
    rerun: (runId: string, repeat: Repeat = {}): Promise<Run> => {
      const { key = newKey(), signal, ...body } = repeat
      const header = { 'idempotency-key': key }
      const wish = { path: { run_id: runId }, header, body, signal, repeatable: true }
      return request('POST /runs/{run_id}/rerun', wish)
    },
    /** Null if there is none. */
    get: (runId: string, how?: Abortable): Promise<Run | null> =>
      orElse(request('GET /runs/{run_id}', on(runId, how)), { unknown_run: () => null }),
    /** A page of the runs of a thread, newest first. */
    list: (threadId: string, query: RunsQuery & Abortable = {}): Promise<Run[]> => {
      const { signal, ...rest } = query
      const path = { thread_id: threadId }
      return request('GET /threads/{thread_id}/runs', { path, query: rest, signal })
    },
    ...manyRunsOf(request),
    /** The runs that a run has started. */
    children: (runId: string, how?: Abortable): Promise<Run[]> =>
      request('GET /runs/{run_id}/children', on(runId, how)),
    /** What the run came to, once it has ended or waits for a human. */
    join: (runId: string, how?: Abortable): Promise<Values> => join(request, on(runId, how)),
    /** The run as it goes, resumed by itself, to its end. */
    stream: (runId: string, following?: Following) => streamRun(transport, runId, following),
    /** Its events that are there now, in order. */
    events: (runId: string, from?: Abortable & { readonly after?: number }) =>
      eventsOf(request, runId, from),
    /** Why each of its calls ran or did not, from its events alone. */
    explanation: (runId: string, how?: Abortable): Promise<RunExplanation> =>
      request('GET /runs/{run_id}/explanation', on(runId, how)),
    /** Waits until the run has ended, waits for a human, or is what you say. */
    waitFor: (runId: string, wait?: Wait) => waitFor({ transport, request }, runId, wait),
    /** Says something to a run that goes on: the model is shown it before its next turn. */
    inject: (runId: string, input: RunInput['input'], how?: Inject) =>
      injectInput(request, { runId, input }, how),
    /** Cancels a run. */
    cancel: (runId: string, cancel?: Cancel) => cancelRun(request, runId, cancel),
  }
}

function createRun(request: Request, run: NewRun, create: Create): Promise<Run> {
  const { threadId, key = newKey(), signal } = create
  const wish = { header: { 'idempotency-key': key }, body: run, signal, repeatable: true }
  return threadId === undefined
    ? request('POST /runs', wish)
    : request('POST /threads/{thread_id}/runs', { ...wish, path: { thread_id: threadId } })
}

const joinAgainMs = 500

/** A server that stops, or whose time to wait is over, is asked again. */
async function join(
  request: Request,
  wish: { readonly path: { run_id: string }; readonly signal: AbortSignal | undefined },
): Promise<Values> {
  for (;;) {
    const values = await request('GET /runs/{run_id}/join', wish)
    if (values.__error__?.error !== 'wait_interrupted') return values
    await pause(joinAgainMs, wish.signal)
  }
}

async function* eventsOf(
  request: Request,
  runId: string,
  { after = 0, signal }: Abortable & { readonly after?: number } = {},
): AsyncGenerator<Event, void, undefined> {
  for (let next: number | null = after; next !== null;) {
    const page: { events: Event[]; next: number | null } = await request(
      'GET /runs/{run_id}/events',
      { path: { run_id: runId }, query: { after: next, limit: 1000 }, signal },
    )
    yield* page.events
    next = page.next
  }
}
