/** Agents, which the wire calls assistants. */
import { orElse } from './expected.ts'
import type { Assistant, AssistantSchemas, AssistantSearch, Graph } from './generated.ts'
import type { Request } from './request.ts'
import type { Abortable } from './runs.ts'

const on = (name: string, { signal }: Abortable = {}) => ({ path: { assistant_id: name }, signal })

/** Methods reject with a SignalboxError for refusals that they do not name. */
export type Assistants = ReturnType<typeof assistantsOf>

/** Makes the methods. An agent is named by its name, or by its id. */
export function assistantsOf(request: Request) {
  return {
    list: ({ signal }: Abortable = {}): Promise<Assistant[]> =>
      request('GET /assistants', { signal }),
    /** Null if there is none. */
    get: (name: string, how?: Abortable): Promise<Assistant | null> =>
      orElse(request('GET /assistants/{assistant_id}', on(name, how)), {
        unknown_agent: () => null,
      }),
    search: (wanted: AssistantSearch = {}, { signal }: Abortable = {}): Promise<Assistant[]> =>
      request('POST /assistants/search', { body: wanted, signal, repeatable: true }),
    /** What an agent takes and gives. */
    schemas: (name: string, how?: Abortable): Promise<AssistantSchemas> =>
      request('GET /assistants/{assistant_id}/schemas', on(name, how)),
    /** Its machine. */
    graph: (name: string, how?: Abortable): Promise<Graph> =>
      request('GET /assistants/{assistant_id}/graph', on(name, how)),
  }
}
