/** From the body of a request to a cron: checked as the create of a run is, with everything that would refuse one. */
import { type JsonObject, JsonObjectSchema, limits } from '@signalbox/core'
import type { Cron, NewCron } from '@signalbox/postgres'
import { nextTime } from '../crons/schedule.ts'
import { CronCreate } from '../wires/langgraph/crons.ts'
import type { Api, Identified } from './api.ts'
import { ensureThread } from './create-run.ts'
import { declaredFields } from './declared-fields.ts'
import { findAssistant } from './find-assistant.ts'
import { invalidRequest } from './invalid.ts'
import { Problem } from './problem.ts'
import { RunCreate } from './wire/run-create.ts'

/** Fields of a create that stand in columns of their own. */
const ownColumns = ['assistant_id', 'metadata']

/** What a cron is made of, before it has an id. */
type Made = Pick<
  NewCron,
  'assistant' | 'schedule' | 'timezone' | 'endAt' | 'enabled' | 'body' | 'metadata'
>

/** Makes a cron; null is a thread of its own for each run. @throws Problem */
export async function createCron(
  api: Api,
  caller: Identified,
  request: { readonly sent: unknown; readonly threadId: string | null },
): Promise<Cron> {
  const { threadId } = request
  const { tenantId, actor, user, endUser } = caller
  const { made, strict } = await makeOf(api, caller, request.sent)
  if (threadId !== null) await ensureThread(api, caller, { threadId, mustExist: strict })
  const cronId = api.random.uuid()
  const maker = { actor, ...(user ? { user } : {}), ...(endUser ? { endUser } : {}) }
  const nextAt = timeAfter(made, api.now())
  const code = await api.resources.crons.create({
    ...made,
    cronId,
    tenantId,
    threadId,
    maker,
    nextAt,
  })
  if (code === 'full')
    throw new Problem('quota_reached', {
      detail: `There are ${limits.cronsMax} crons, and there may be no other. Delete some.`,
    })
  return findCron(api, caller, cronId)
}

const triesMax = 5
const timing = ['schedule', 'timezone', 'end_time', 'enabled']

/** Changes what was sent of a cron, and nothing else. @throws Problem */
export async function changeCron(
  api: Api,
  caller: Identified,
  change: { readonly cronId: string; readonly sent: Readonly<Record<string, unknown>> },
): Promise<Cron> {
  const { cronId, sent } = change
  for (let tries = 0; tries < triesMax; tries += 1) {
    const cron = await findCron(api, caller, cronId)
    const { made } = await makeOf(api, caller, { ...asSent(cron), ...sent })
    const nextAt = timeAfter(made, api.now())
    const reschedule = timing.some((field) => field in sent)
    if (await api.resources.crons.update({ ...cron, ...made, nextAt }, reschedule))
      return findCron(api, caller, cronId)
  }
  throw new Error(`the cron ${cronId} changes faster than it can be changed`)
}

/** @throws Problem `unknown_cron` */
export async function findCron(api: Api, { tenantId }: Identified, cronId: string): Promise<Cron> {
  const cron = await api.resources.crons.cron(tenantId, cronId)
  if (cron) return cron
  throw unknownCron(cronId)
}

export const unknownCron = (cronId: string): Problem =>
  new Problem('unknown_cron', { detail: `There is no cron ${cronId}.`, field: 'cron_id' })

async function makeOf(
  api: Api,
  caller: Identified,
  sent: unknown,
): Promise<{ readonly made: Made; readonly strict: boolean }> {
  const parsed = CronCreate.safeParse(sent)
  if (!parsed.success) throw invalidRequest(parsed.error.issues)
  const cron = parsed.data
  const { id: assistant, definition } = await findAssistant(api, caller, cron.assistant_id)
  declaredFields(definition, cron)
  const made = {
    assistant,
    schedule: cron.schedule.trim(),
    timezone: cron.timezone ?? null,
    endAt: cron.end_time ?? null,
    enabled: cron.enabled ?? true,
    body: bodyOf(JsonObjectSchema.parse(sent)),
    metadata: cron.metadata,
  }
  return { made, strict: cron.if_not_exists === 'reject' }
}

/** The fields of a create, as they were sent. What nobody knows is not kept. */
function bodyOf({ on_run_completed: after, ...sent }: JsonObject): JsonObject {
  const known = Object.keys(RunCreate.shape).filter((field) => !ownColumns.includes(field))
  const fields = known.flatMap((field) => {
    const value = sent[field]
    return value === undefined || value === null ? [] : [[field, value] as const]
  })
  const completion = after === undefined || after === null ? {} : { on_completion: after }
  const body = { ...Object.fromEntries(fields), ...completion }
  if (Buffer.byteLength(JSON.stringify(body)) <= limits.cronBytesMax) return body
  throw new Problem('invalid_request', {
    detail: `input: a cron takes at most ${limits.cronBytesMax} bytes of JSON`,
    field: 'input',
  })
}

const asSent = (cron: Cron): Readonly<Record<string, unknown>> => ({
  ...cron.body,
  assistant_id: cron.assistant,
  metadata: cron.metadata,
  schedule: cron.schedule,
  timezone: cron.timezone,
  end_time: cron.endAt === null ? null : new Date(cron.endAt).toISOString(),
  enabled: cron.enabled,
})

/** A cron that would never run is a mistake. */
function timeAfter(made: Made, now: number): number | null {
  if (!made.enabled) return null
  const next = nextTime(made, now)
  if (next !== null) return next
  throw new Problem('invalid_request', {
    detail: 'end_time: no time of the schedule lies before it; send enabled: false to stop a cron',
    field: 'end_time',
  })
}
