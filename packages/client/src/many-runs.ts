/** Many runs at once: those of all threads, how many there are, and what is done to those that a filter finds. */
import type {
  Queue,
  Run,
  RunPage,
  RunsCancelled,
  RunsRetried,
  RunsRetry,
  RunStats,
} from './generated.ts'
import { newKey } from './key.ts'
import { clientLimits } from './options.ts'
import type { Parts, Request } from './request.ts'
import type { Abortable } from './runs.ts'

type SearchQuery = NonNullable<Parts<'GET /runs'>['query']>
type StatsQuery = NonNullable<Parts<'GET /runs/stats'>['query']>
type CancelBody = Parts<'POST /runs/cancel'>['body']

/** Which runs. `metadata` is an object, of which a run must have all. `after` is the `next` of a page. */
export type RunFilter = Omit<SearchQuery, 'metadata' | 'limit'> & {
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** A filter, and how many runs a page has: 1 to 1000, default 1000. */
export type PagedRuns = RunFilter & Abortable & { readonly pageSize?: number }

/** What runs are counted by: `group_by`, up to three of `status`, `state`, `agent` and `outcome`. */
export type CountRuns = RunFilter & Abortable & Pick<StatsQuery, 'group_by' | 'limit'>

/** Runs by their ids, or those that a filter finds. */
export type RetryMany = Partial<RunsRetry> & Abortable

/** The runs that a filter finds. */
export type CancelMany = Pick<CancelBody, 'limit' | 'dry_run' | 'reason'> & {
  readonly filter: NonNullable<CancelBody['filter']>
} & Abortable

/** Makes the methods. */
export function manyRunsOf(request: Request) {
  return {
    /** Runs of all threads, newest first, page by page. */
    pages: (filter?: PagedRuns) => pages(request, filter),
    /** The same, one by one. */
    all: (filter?: PagedRuns) => all(request, filter),
    /** How many there are of what. */
    stats: ({ signal, ...filter }: CountRuns = {}): Promise<RunStats> =>
      request('GET /runs/stats', { query: asQuery(filter), signal }),
    /**
     * Asks once more what runs that have ended were asked: their calls execute. Each has an answer of its own. A run that was
     * retried before is answered as that; with `again` there is another one, however often this request had to be sent.
     */
    retry: ({ signal, ...body }: RetryMany): Promise<RunsRetried> =>
      request('POST /runs/retry', {
        body,
        header: { 'idempotency-key': newKey() },
        signal,
        repeatable: true,
      }),
    /** Cancels up to 1000 runs that go on: `more` says whether there are others, which the same call cancels then. */
    cancelMany: ({ signal, ...body }: CancelMany): Promise<RunsCancelled> =>
      request('POST /runs/cancel', { body, signal, repeatable: true }),
  }
}

/** The queues that have open tool calls, with what waits in each. */
export const queuesOf =
  (request: Request) =>
  ({ signal }: Abortable = {}): Promise<Queue[]> =>
    request('GET /queues', { signal })

function asQuery<Filter extends RunFilter>({ metadata, ...filter }: Filter) {
  return metadata === undefined ? filter : { ...filter, metadata: JSON.stringify(metadata) }
}

async function* pages(
  request: Request,
  { signal, pageSize = clientLimits.pageMax, ...filter }: PagedRuns = {},
): AsyncGenerator<RunPage, void, undefined> {
  for (let { after } = filter; ;) {
    const from = after === undefined ? {} : { after }
    const query = { ...asQuery(filter), ...from, limit: pageSize }
    const page: RunPage = await request('GET /runs', { query, signal })
    yield page
    if (page.next === null) return
    after = page.next
  }
}

async function* all(request: Request, filter?: PagedRuns): AsyncGenerator<Run, void, undefined> {
  for await (const page of pages(request, filter)) yield* page.runs
}
