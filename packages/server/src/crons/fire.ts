/**
 * Fires what is due.
 *
 * K1 A time is fired by creating a run whose key says which time of which cron it is; only then does the cron move on. Who
 *    stops between the two, or fires beside another process, finds the run that is there: each time has one run.
 * K2 Times that passed while nobody was there are fired once, for the first of them; the next one lies in the future.
 * K3 A run that is refused for what stands in the request, or for a limit, is not tried again: the cron says why, and moves
 *    on. A register that cannot be reached leaves the time due.
 * K4 A cron that cannot be fired for a reason that nobody foresaw is tried again, less and less often, and hides no other.
 */
import type { Each } from '@signalbox/engine'
import type { DueCron, Upkeep } from '@signalbox/postgres'
import { createRun, type CreateDeps } from '../http/create-run.ts'
import { Problem } from '../http/problem.ts'
import { RunCreate } from '../http/wire/run-create.ts'
import { nextTime } from './schedule.ts'

/** What firing stands on. */
export interface FireDeps {
  readonly create: CreateDeps
  readonly upkeep: Pick<Upkeep, 'dueCrons' | 'advanceCron'>
  /** The memory of crons that could not be fired. */
  readonly each: Each
}

/** How many crons are fired at once. */
const batchMax = 64
/** How late a time may be to be fired after the end of its cron. */
const graceMs = 60_000

/** One look at what is due. Answers whether any was fired; rejects when the register cannot be asked. */
export async function fireDue(deps: FireDeps): Promise<boolean> {
  const { each, upkeep } = deps
  const due = await upkeep.dueCrons(batchMax, each.away)
  return each.over(
    due,
    ({ cronId }) => cronId,
    (cron) => fire(deps, cron),
  )
}

async function fire(deps: FireDeps, cron: DueCron): Promise<void> {
  const { nextAt, now, endAt } = cron
  const isOver = endAt !== null && now >= endAt && now - nextAt > graceMs
  const came = isOver
    ? { run: null, problem: `It was missed, and the cron ended before it could be made up for.` }
    : await runFor(deps, cron)
  await deps.upkeep.advanceCron(cron, { ...came, next: nextTime(cron, Math.max(nextAt, now)) })
}

interface Came {
  readonly run: string | null
  readonly problem: string | null
}

/** The run of this time, or why there is none. */
async function runFor({ create }: FireDeps, cron: DueCron): Promise<Came> {
  const { cronId, tenantId, threadId, maker } = cron
  const parsed = RunCreate.safeParse({
    // Nobody is there who could answer a question.
    interactive: false,
    ...bodyOf(cron),
    metadata: runMetadata(cron),
  })
  if (!parsed.success) return { run: null, problem: parsed.error.issues[0]?.message ?? 'invalid' }
  const { user, endUser } = maker
  const caller = {
    tenantId,
    actor: `cron:${cronId}`,
    ...(user === undefined ? {} : { user }),
    ...(endUser === undefined ? {} : { endUser }),
  }
  const ownKey = `cron:${cronId}:${cron.nextAt}`
  const request = { body: parsed.data, threadId, idempotencyKey: undefined, ownKey }
  try {
    return { run: (await createRun(create, caller, request)).runId, problem: null }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // Fired with what the cron said before its owner changed it.
    if (error.code === 'idempotency_conflict')
      return { run: String(error.facts.more?.['run_id']), problem: null }
    return { run: null, problem: `${error.code}: ${error.facts.detail}` }
  }
}

const bodyOf = ({ body, assistant }: DueCron) => ({ ...body, assistant_id: assistant })

const runMetadata = ({ metadata, cronId }: DueCron) => ({ ...metadata, cron_id: cronId })
