/** Lookups of auditors: definitions, usage, pseudonyms. */
import { z } from 'zod'
import { ask, inPath, type Query, type Server } from './http.ts'

/** A definition as a server shows it. */
export const Definition = z.looseObject({
  hash: z.string(),
  agent: z.string(),
  first_used_at: z.string(),
  definition: z.record(z.string(), z.unknown()),
  redacted: z.boolean(),
})
export type Definition = z.infer<typeof Definition>

const Usage = z.looseObject({
  groups: z.array(z.record(z.string(), z.unknown())),
  truncated: z.boolean(),
})

/** These parts of a client. */
export const evidenceClient = (server: Server) => ({
  definition: (hash: string) => ask(server, Definition, { path: `/definitions/${inPath(hash)}` }),
  usage: (query: Query) => ask(server, Usage, { path: '/usage', query }),
  pseudonym: (userId: string) =>
    ask(server, z.looseObject({ pseudonym: z.string() }), {
      path: '/pseudonyms',
      method: 'POST',
      body: { user_id: userId },
    }),
})
