/** Retrying many runs in one request: those that are named, or those that a filter finds. Each has an answer of its own. */
import { z } from '@hono/zod-openapi'
import { limits, type Outcome } from '@signalbox/core'
import { retryAlias, type RunHead } from '@signalbox/engine'
import { isRunPosition } from '@signalbox/postgres'
import type { Api, Identified } from './api.ts'
import { inBounds, narrowingRuns as narrowing } from './audit/in-bounds.ts'
import { findRun } from './find.ts'
import { Problem } from './problem.ts'
import { type ProblemCode, problemKinds } from './problem-codes.ts'
import { retryRun } from './retry-run.ts'
import { Id } from './wire/ids.ts'
import { runConditionsOf, EndedRuns } from './wire/run-filter.ts'
import { each } from '../wires/langgraph/each.ts'

const runsMax = limits.pageMax

/** Behind which run a page begins, and before which id: what an earlier page has created is not for a later one to find. */
interface Position {
  readonly after: string
  readonly before: string
}

const writePosition = ({ after, before }: Position): string => `${after}.${before}`

function readPosition(text: string): Position | null {
  const [after = '', before = '', ...more] = text.split('.')
  return isRunPosition(after) && isRunPosition(before) && more.length === 0
    ? { after, before }
    : null
}

export const RunsRetry = z
  .strictObject({
    run_ids: z.array(Id).min(1, 'takes at least one run').max(runsMax).optional(),
    /** Without `outcome`: runs that could not do their work (`failed`, `interrupted`, `timed_out`). */
    filter: EndedRuns.optional(),
    /** With `filter`: how many at most, the oldest first. */
    limit: z.number().int().min(1).max(runsMax).default(runsMax),
    /** With `filter`: `next` of the answer before. */
    after: z
      .string()
      .refine((text) => readPosition(text) !== null, 'takes `next` of an answer')
      .optional(),
    /** Says which runs it would be, and creates none. */
    dry_run: z.boolean().default(false),
    /** Retries runs once more that were retried before. */
    again: z.boolean().default(false),
  })
  .refine(({ run_ids, filter }) => (run_ids === undefined) !== (filter === undefined), {
    path: ['filter'],
    error: 'takes a filter where no run_ids are given, and nothing beside them',
  })
  .openapi('RunsRetry')
export type RunsRetry = z.output<typeof RunsRetry>

const refusals: readonly ProblemCode[] = [
  'unknown_run',
  'unknown_agent',
  'unknown_thread',
  'unknown_checkpoint',
  'assistant_outdated',
  'run_not_ended',
  'retry_refused',
  'idempotency_conflict',
  'thread_busy',
  'thread_full',
  'user_held',
]

/** What became of one of the runs. */
const Retried = z
  .object({
    /** As it was named, or found. */
    run_id: z.string(),
    /** `existing`: it was retried before, by `retry_run_id`. `ready`: it would be. Any other: the code of the problem. */
    code: z.enum(['created', 'existing', 'ready', ...refusals]),
    /** The new run. */
    retry_run_id: z.string().optional(),
    /** Of a problem. */
    status: z.number().int().optional(),
    detail: z.string().optional(),
  })
  .openapi('Retried')
type Retried = z.infer<typeof Retried>

export const RunsRetried = z
  .object({
    runs: z.array(Retried),
    /** How many there are by code. */
    counts: z.record(z.string(), z.number().int()),
    /** With a filter: where to go on, as `after`; null if it finds no more. */
    next: z.string().nullable(),
  })
  .openapi('RunsRetried')
export type RunsRetried = z.infer<typeof RunsRetried>

interface Candidate {
  readonly name: string
  /** Null where it is still to be found. */
  readonly head: RunHead | null
}

/** Retries the runs. Those of a thread one after the other, the oldest first: so they stand in the order in which they were. */
export async function retryRuns(
  api: Api,
  caller: Identified,
  { idempotencyKey: given, ...asked }: RunsRetry & { readonly idempotencyKey: string | undefined },
): Promise<RunsRetried> {
  // One for all of them: a run that is named twice, by its id and by an alias, is retried once.
  const idempotencyKey = given ?? api.random.uuid()
  const { candidates, next } = await candidatesOf(api, caller, asked)
  const byThread = Map.groupBy(candidates, ({ head, name }) => head?.threadId ?? name)
  const done = new Map<string, Retried>()
  await each([...byThread.values()], async (ofThread) => {
    for (const candidate of ofThread)
      done.set(candidate.name, await outcomeOf(api, caller, { candidate, asked, idempotencyKey }))
  })
  const runs = candidates.flatMap(({ name }) => done.get(name) ?? [])
  const codes = [...Map.groupBy(runs, ({ code }) => code)]
  return {
    runs,
    counts: Object.fromEntries(codes.map(([code, { length }]) => [code, length])),
    next,
  }
}

const unsuccessful: readonly Outcome[] = ['failed', 'interrupted', 'timed_out']

async function candidatesOf(
  api: Api,
  caller: Identified,
  { run_ids, filter, limit, after }: RunsRetry,
): Promise<{ readonly candidates: readonly Candidate[]; readonly next: string | null }> {
  const { tenantId } = caller
  if (run_ids) {
    const found = await each([...new Set(run_ids)], async (name) => ({
      name,
      head: await api.read.run(tenantId, name),
    }))
    return { candidates: found.toSorted(byAge), next: null }
  }
  const position = after === undefined ? null : readPosition(after)
  const before = position?.before ?? api.random.uuid()
  const search = {
    ...runConditionsOf(api, { outcome: [...unsuccessful], ...filter }),
    oldestFirst: true,
    limit,
    after: position?.after,
    before,
  }
  const { runs, next } = await inBounds(() => api.read.searchRuns(tenantId, search), narrowing)
  return {
    candidates: runs.map((head) => ({ name: head.runId, head })),
    next: next === null ? null : writePosition({ after: next, before }),
  }
}

const byAge = (one: Candidate, other: Candidate): number =>
  (one.head?.runId ?? '') < (other.head?.runId ?? '') ? -1 : 1

async function outcomeOf(
  api: Api,
  caller: Identified,
  request: {
    readonly candidate: Candidate
    readonly asked: RunsRetry
    readonly idempotencyKey: string | undefined
  },
): Promise<Retried> {
  const { candidate, asked, idempotencyKey } = request
  const { name } = candidate
  try {
    const head = candidate.head ?? (await findRun(api, caller, { run_id: name }))
    if (asked.dry_run) return await rehearsed(api, caller, { head, name, again: asked.again })
    const { runId, isNew } = await retryRun(api, caller, {
      head,
      again: asked.again,
      idempotencyKey,
    })
    return { run_id: name, code: isNew ? 'created' : 'existing', retry_run_id: runId }
  } catch (error) {
    const code =
      error instanceof Problem ? refusals.find((known) => known === error.code) : undefined
    if (!(error instanceof Problem) || code === undefined) throw error
    return refused(name, code, error.facts.detail)
  }
}

const refused = (run_id: string, code: ProblemCode, detail: string): Retried =>
  Retried.parse({ run_id, code, status: problemKinds[code].status, detail })

/** What would become of it, as far as that is known before. */
async function rehearsed(
  api: Api,
  { tenantId }: Identified,
  { head, name, again }: { readonly head: RunHead; readonly name: string; readonly again: boolean },
): Promise<Retried> {
  if (head.outcome === null)
    return refused(name, 'run_not_ended', `The run ${head.runId} is under way.`)
  const before = again ? null : await api.read.run(tenantId, retryAlias(head.runId, null))
  return before
    ? { run_id: name, code: 'existing', retry_run_id: before.runId }
    : { run_id: name, code: 'ready' }
}
