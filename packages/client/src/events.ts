/** The audit: events of all runs, in the order of the feed. */
import { exportEvents } from './export-events.ts'
import { orElse } from './expected.ts'
import type {
  Definition,
  Event,
  EventPayloads,
  EventStats,
  SavedQuery,
  Usage,
} from './generated.ts'
import { clientLimits } from './options.ts'
import type { Parts, Request } from './request.ts'
import type { Abortable } from './runs.ts'
import type { Answer } from './request.ts'
import type { Transport } from './transport.ts'

/** Types of events whose payloads are known here. A newer server may have others. */
export type EventType = keyof EventPayloads

/** An event of a type, with the payload that the type has. */
export type EventOf<Type extends EventType> = Event & {
  readonly type: Type
  readonly payload: EventPayloads[Type]
}

/** Is the event of this type? Then its payload is known. */
export const isEvent = <Type extends EventType>(event: Event, type: Type): event is EventOf<Type> =>
  event.type === type

type AuditQuery = NonNullable<Parts<'GET /events'>['query']>

/** Which events. `after` is the `position` of the last one that is known. */
export type EventFilter = Omit<AuditQuery, 'format' | 'header' | 'limit'>

/** A part of the feed. */
export type EventPage = Answer<'GET /events'>

type StatsQuery = NonNullable<Parts<'GET /events/stats'>['query']>
type UsageQuery = NonNullable<Parts<'GET /usage'>['query']>
type SavedFilter = NonNullable<Parts<'GET /events/queries/{name}'>['query']>

/** Methods reject with a SignalboxError for refusals that they do not name. */
export type Events = ReturnType<typeof eventsOf>

/** Makes the methods. */
export function eventsOf(transport: Transport, request: Request) {
  return {
    /** Page by page, to the end of what is there now. A page of a text search may be empty. */
    pages: (filter?: PagedFilter) => pages(request, filter),
    /** One by one, read in pages. Go on later behind the `position` of the last. */
    all: (filter?: PagedFilter) => all(request, filter),
    /** One by one from a single answer, resumed behind the last that was read: the way to read many. */
    export: (filter?: EventFilter & Abortable) => exportEvents(transport, filter),
    /** How many there are of what. */
    stats: ({ signal, ...query }: StatsQuery & Abortable = {}): Promise<EventStats> =>
      request('GET /events/stats', { query, signal }),
    /** The questions that auditors ask. */
    savedQueries: ({ signal }: Abortable = {}): Promise<SavedQuery[]> =>
      request('GET /events/queries', { signal }),
    /** Asks one of them. */
    savedQuery: (
      name: string,
      { signal, ...query }: SavedFilter & Abortable = {},
    ): Promise<Answer<'GET /events/queries/{name}'>> =>
      request('GET /events/queries/{name}', { path: { name }, query, signal }),
    /** The prompt, the tools and the policies behind a hash. Null: no run of the tenant has used it. */
    definition: (hash: string, { signal }: Abortable = {}): Promise<Definition | null> =>
      orElse(request('GET /definitions/{hash}', { path: { hash }, signal }), {
        unknown_definition: () => null,
      }),
    /** Tokens, money, calls and runs, added up. */
    usage: ({ signal, ...query }: UsageQuery & Abortable = {}): Promise<Usage> =>
      request('GET /usage', { query, signal }),
    /** The pseudonym of an end user. That it was asked for is recorded. */
    pseudonym: async (userId: string, { signal }: Abortable = {}): Promise<string> => {
      const body = { user_id: userId }
      return (await request('POST /pseudonyms', { body, signal, repeatable: true })).pseudonym
    },
  }
}

/** A filter, and how many events a page has: 1 to 1000, default 1000. */
export type PagedFilter = EventFilter & Abortable & { readonly pageSize?: number }

async function* pages(
  request: Request,
  { signal, pageSize = clientLimits.pageMax, ...filter }: PagedFilter = {},
): AsyncGenerator<EventPage, void, undefined> {
  for (let { after } = filter; ;) {
    const from = after === undefined ? {} : { after }
    const query = { ...filter, ...from, limit: pageSize }
    const page: EventPage = await request('GET /events', { query, signal })
    yield page
    if (page.next === null) return
    after = page.next
  }
}

async function* all(
  request: Request,
  filter?: PagedFilter,
): AsyncGenerator<Event, void, undefined> {
  for await (const page of pages(request, filter)) yield* page.events
}
