/** The audit over HTTP: saved queries, counts, and pieces of the feed as they come. */
import { z } from 'zod'
import { ask, inPath, type Query, sendRequest, type Server } from './http.ts'
import { unreachable } from './problem.ts'

/** Filters of the audit, by their names on the wire. */
export type AuditQuery = Query

const row = z.record(z.string(), z.unknown())
const SavedQuery = z.looseObject({
  name: z.string(),
  asks: z.string(),
  needs: z.array(z.string()),
  columns: z.array(z.looseObject({ name: z.string(), says: z.string() })),
})
const Answer = z.looseObject({ rows: z.array(row), next: z.string().nullable() })
const Stats = z.looseObject({ groups: z.array(row), truncated: z.boolean() })

/** A part of the feed as a server sends it. */
export interface ExportPiece {
  /** Of its last event; null if there is none, and none was named to begin behind. */
  readonly position: string | null
  readonly hasNext: boolean
  /** Its bytes. Throws a Failure when the connection breaks. */
  chunks(): AsyncGenerator<Uint8Array>
  /** Leaves the rest of it. */
  drop(): Promise<void>
}

/** Makes the methods. Each throws a Failure for a refusal, and for a server that does not answer. */
export const auditClient = (server: Server) => ({
  savedQueries: () => ask(server, z.array(SavedQuery), { path: '/events/queries' }),
  savedQuery: (name: string, query: AuditQuery) =>
    ask(server, Answer, { path: `/events/queries/${inPath(name)}`, query }),
  eventStats: (query: AuditQuery) => ask(server, Stats, { path: '/events/stats', query }),
  exportPiece: async (query: AuditQuery): Promise<ExportPiece> => {
    const response = await sendRequest(server, '/events', { query })
    return {
      position: response.headers.get('x-signalbox-position'),
      hasNext: response.headers.get('link') !== null,
      chunks: () => chunksOf(server, response),
      drop: async () => response.body?.cancel(),
    }
  },
})

async function* chunksOf(server: Server, response: Response): AsyncGenerator<Uint8Array> {
  try {
    if (response.body) yield* response.body
  } catch (error) {
    throw unreachable(server.url, error)
  }
}
