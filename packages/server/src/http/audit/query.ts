/** The filters of the audit as a query string brings them. Each is bounded before it reaches an index. */
import { z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'
import type { OneOrMore, SearchFilter } from '@signalbox/postgres'
import { isStorableText } from '../json-guard.ts'
import type { Api } from '../api.ts'
import { Id, Instant, Term } from '../wire/ids.ts'

/** A transaction and a place in it, as unsigned and signed 64-bit numbers. */
function isPosition(text: string): boolean {
  const [, transaction, place] = /^(\d{20})-(\d{20})$/.exec(text) ?? []
  if (transaction === undefined || place === undefined) return false
  return BigInt(transaction) < 2n ** 64n && BigInt(place) < 2n ** 63n
}

/** A filter that may be given several times: then one of its values must hold. */
const oneOrMore = (value: z.ZodString) =>
  z.union([value, z.array(value).max(limits.filterValuesMax)]).optional()

/** Filters of events but the type and the text, which some reads choose themselves. */
export const eventFilters = {
  thread_id: oneOrMore(Id),
  run_id: oneOrMore(Id),
  tool: oneOrMore(Term),
  actor: oneOrMore(Term),
  verdict: oneOrMore(Term),
  agent: oneOrMore(Term),
  outcome: oneOrMore(Term),
  end_user: oneOrMore(Term),
  since: Instant,
  until: Instant,
  after: z
    .string()
    .refine(isPosition, 'takes the position of an event, as `next` or `position` gave it')
    .optional(),
}

/** A text that events must hold, in whatever case. */
export const SearchText = z
  .string()
  .min(1)
  .max(limits.searchCharsMax)
  .refine(isStorableText, 'takes text without U+0000')
  .optional()

/** All filters of events. */
export const searchFilters = {
  type: oneOrMore(Term),
  rule: oneOrMore(Term),
  ...eventFilters,
  q: SearchText,
}

/** Events that name rules, where the type is not asked for. */
const typesWithRules = ['call.denied', 'call.flagged'] as const

type Query = z.output<z.ZodObject<typeof searchFilters>>

/**
 * The filter of the reader. Runs may be named by their alias. Null: no run that is asked for is there, so nothing is.
 */
export async function filterOf(
  api: Pick<Api, 'read'>,
  tenantId: string,
  query: Query,
): Promise<SearchFilter | null> {
  const { run_id, thread_id: threadId, end_user: endUser } = query
  const { tool, actor, verdict, rule, agent, outcome, since, until, after, q } = query
  const type = query.type ?? (rule === undefined ? undefined : typesWithRules)
  const runId = run_id === undefined ? undefined : await runIds(api, tenantId, run_id)
  if (runId?.length === 0) return null
  const given = { type, threadId, runId, tool, actor, verdict, rule, agent, outcome, endUser }
  const filter = { ...given, since, until, after, q }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
}

async function runIds(
  { read }: Pick<Api, 'read'>,
  tenantId: string,
  named: OneOrMore,
): Promise<readonly string[]> {
  const found = await Promise.all(
    // What is deleted for its users is in the log.
    [named].flat().map((name) => read.run(tenantId, name, { hidden: true })),
  )
  return found.flatMap((run) => (run ? [run.runId] : []))
}
