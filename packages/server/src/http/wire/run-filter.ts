/** Which runs a request is about: the same filters in a query, where runs are listed, and in a body, where they are acted on. */
import { z } from '@hono/zod-openapi'
import { JsonObjectSchema, limits, Outcome, type RunStatus, StateName } from '@signalbox/core'
import type { RunConditions } from '@signalbox/postgres'
import type { Api } from '../api.ts'
import { agentNamed } from '../find.ts'
import { guardJson } from '../json-guard.ts'
import { Id, Instant, Term } from './ids.ts'
import { amongOf, WireStatus } from './run-view.ts'
import { WaitKind } from './waits-for.ts'

/** One value of a filter, or several, of which one must fit. */
const oneOrMore = <Value extends z.ZodType>(value: Value) =>
  z
    .union([value, z.array(value).min(1, 'takes at least one value').max(limits.filterValuesMax)])
    .optional()

const ownWords = ['queued', 'waiting', 'ended'] as const
const isOwnWord = (word: string): word is (typeof ownWords)[number] =>
  ownWords.some((own) => own === word)

/** A status as runs show it; or `queued`, `waiting` (for a human), `ended`, which say more, or less. */
const StatusWord = z.enum([...WireStatus.options, ...ownWords])
type StatusWord = z.infer<typeof StatusWord>

/** What an open run may be asked for. */
const openFilters = {
  state: oneOrMore(StateName),
  /** Names of agents. */
  agent: oneOrMore(Term),
  /** Pseudonyms of users. */
  end_user: oneOrMore(Term),
  thread_id: oneOrMore(Id),
  waits_for: oneOrMore(WaitKind),
  /** Created from this time on, and before that one. */
  since: Instant,
  until: Instant,
}

/** What any run may be asked for. */
const anyFilters = {
  status: oneOrMore(StatusWord),
  outcome: oneOrMore(Outcome),
  ...openFilters,
  /** Ended from this time on, and before that one. */
  ended_since: Instant,
  ended_until: Instant,
}

const metadataCharsMax = 2000

/** A JSON object as a query parameter. */
const JsonText = z
  .string()
  .max(metadataCharsMax)
  .transform((text, context) => {
    const guarded = guardJson(text)
    const read = JsonObjectSchema.safeParse(guarded.ok ? guarded.value : null)
    if (read.success) return read.data
    context.addIssue({ code: 'custom', message: 'takes a JSON object, such as {"order":"17"}' })
    return z.NEVER
  })
  .optional()
  .openapi({ type: 'string', example: '{"order":"17"}' })

/** The filters as parameters. `metadata`: keys and values that it must have, as JSON. */
export const runFilters = { ...anyFilters, metadata: JsonText }

const metadata = JsonObjectSchema.optional().openapi({ type: 'object' })
/** Who acts on runs must say on which: a filter that nobody knows is no filter, nor are metadata that every run has. */
const isSaid = (filter: object): boolean =>
  Object.values(filter).some((value) => value !== undefined && !isEmpty(value))
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0
const unsaid = 'takes at least one filter'

/** Runs that go on, as a body. */
export const OpenRuns = z
  .strictObject({
    status: oneOrMore(z.enum(['pending', 'queued', 'running', 'waiting'])),
    ...openFilters,
    metadata,
  })
  .refine(isSaid, unsaid)
  .openapi('OpenRuns')

/** Runs that have ended, as a body. */
export const EndedRuns = z
  .strictObject({
    outcome: anyFilters.outcome,
    agent: openFilters.agent,
    end_user: openFilters.end_user,
    thread_id: openFilters.thread_id,
    since: Instant,
    until: Instant,
    ended_since: Instant,
    ended_until: Instant,
    metadata,
  })
  .refine(isSaid, unsaid)
  .openapi('EndedRuns')

type Listed<Value> = Value | readonly Value[] | undefined
type Asked = Omit<Partial<z.output<z.ZodObject<typeof runFilters>>>, 'status'> & {
  readonly status?: Listed<StatusWord>
}

const listOf = <Value extends string>(values: Listed<Value>): readonly Value[] | undefined =>
  values === undefined ? undefined : typeof values === 'string' ? [values] : values

/** The filter of the register that a request means. */
export function runConditionsOf(api: Pick<Api, 'agents'>, asked: Asked): RunConditions {
  const { since, until, ended_since: endedSince, ended_until: endedUntil, metadata: having } = asked
  const statuses = listOf(asked.status)
  const lists = {
    states: listOf(asked.state),
    outcomes: listOf(asked.outcome),
    agents: listOf(asked.agent)?.map((name) => agentNamed(api, name)),
    endUsers: listOf(asked.end_user),
    threadIds: listOf(asked.thread_id),
    waitsFor: listOf(asked.waits_for),
    among: statuses && amongAll(statuses),
    metadata: having,
  }
  const given = Object.fromEntries(Object.entries(lists).filter(([, value]) => value !== undefined))
  return { ...given, since, until, endedSince, endedUntil }
}

function amongAll(words: readonly StatusWord[]): NonNullable<RunConditions['among']> {
  const parts = words.map((word) => (isOwnWord(word) ? ofOwnWord(word) : amongOf(word)))
  return {
    statuses: parts.flatMap(({ statuses }) => statuses),
    outcomes: parts.flatMap(({ outcomes }) => outcomes),
  }
}

const ofOwnWord = (status: RunStatus) => ({ statuses: [status], outcomes: [] })
