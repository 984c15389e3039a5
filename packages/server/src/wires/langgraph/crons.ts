/** Crons in LangGraph's words. What a cron sends is a create, so the schema of creates says what it may send. */
import { z } from '@hono/zod-openapi'
import { JsonObjectSchema, limits } from '@signalbox/core'
import type { Cron, CronFilter, CronOrder } from '@signalbox/postgres'
import { isTimezone, scheduleProblem } from '../../crons/schedule.ts'
import { Id } from '../../http/wire/ids.ts'
import { iso } from '../../http/wire/iso.ts'
import { isAnswer, RunCreate, RunInput } from '../../http/wire/run-create.ts'

const Schedule = z.string().superRefine((schedule, context) => {
  const message = scheduleProblem(schedule)
  if (message !== null) context.addIssue({ code: 'custom', message })
})

const EndTime = z.string().transform((text, context) => {
  const ms = Date.parse(text)
  if (Number.isFinite(ms)) return ms
  context.addIssue({ code: 'custom', message: 'takes an ISO 8601 time' })
  return z.NEVER
})

const timing = {
  schedule: Schedule.openapi({ description: 'Five fields: minute, hour, day, month, weekday.' }),
  timezone: z
    .string()
    .refine(isTimezone, 'takes the name of a time zone, as Europe/Berlin')
    .nullish()
    .openapi({ description: 'Default UTC.' }),
  end_time: EndTime.nullish().openapi({ type: ['string', 'null'], format: 'date-time' }),
  enabled: z.boolean().nullish(),
}

/** A cron: when, and the create of each run. */
export const CronCreate = RunCreate.safeExtend({
  /** Said every time: there is no conversation that it is part of. */
  input: RunInput.nullish(),
  ...timing,
  /** What becomes of the thread of a run when it has ended. */
  on_run_completed: RunCreate.shape.on_completion,
})
  .superRefine((cron, context) => {
    if (isAnswer(cron.command))
      context.addIssue({
        code: 'custom',
        path: ['command', 'resume'],
        message: 'answers a run that waits; a cron creates runs',
      })
  })
  .openapi('CronCreate')
export type CronCreate = z.output<typeof CronCreate>

/** Any of the fields of a create; those that are not there stay as they are. */
export const CronPatch = z.record(z.string(), z.unknown()).openapi('CronPatch')

const filters = {
  assistant_id: z.string().min(1).max(limits.idCharsMax).nullish(),
  thread_id: Id.nullish(),
  enabled: z.boolean().nullish(),
  /** Keys and values that the metadata must have. */
  metadata: JsonObjectSchema.nullish().openapi({ type: ['object', 'null'] }),
}

export const CronCount = z.object(filters).openapi('CronCount')

export const CronSearch = z
  .object({
    ...filters,
    limit: z.number().int().min(1, 'takes at least 1').max(limits.pageMax).default(10),
    offset: z.number().int().min(0).max(1_000_000).default(0),
    sort_by: z
      .enum(['cron_id', 'assistant_id', 'thread_id', 'created_at', 'updated_at', 'next_run_date'])
      .nullish(),
    sort_order: z.enum(['asc', 'desc']).nullish(),
    /** Taken, and without effect: an answer may have more fields than were asked for. */
    select: z.array(z.string()).nullish(),
  })
  .openapi('CronSearch')
export type CronSearch = z.output<typeof CronSearch>

const orders: Readonly<Record<NonNullable<CronSearch['sort_by']>, CronOrder>> = {
  cron_id: 'cronId',
  assistant_id: 'assistant',
  thread_id: 'threadId',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  next_run_date: 'nextAt',
}

/** The filter that a search or a count means; `assistant` is what its assistant_id stands for. */
export function cronFilter(
  asked: z.output<typeof CronCount> & Partial<CronSearch>,
  assistant: string | null,
): CronFilter {
  const { thread_id: threadId, enabled, metadata, limit, offset, sort_by: by } = asked
  return {
    ...(assistant === null ? {} : { assistant }),
    ...(threadId ? { threadId } : {}),
    ...(typeof enabled === 'boolean' ? { enabled } : {}),
    ...(metadata ? { metadata } : {}),
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
    ...(by ? { orderBy: orders[by] } : {}),
    ascending: asked.sort_order === 'asc',
  }
}

const Time = z.string().nullable()

export const CronView = z
  .object({
    cron_id: z.string(),
    assistant_id: z.string(),
    thread_id: z.string().nullable(),
    on_run_completed: z.string(),
    schedule: z.string(),
    timezone: z.string().nullable(),
    end_time: Time,
    enabled: z.boolean(),
    /** What is sent for each run. */
    payload: z.record(z.string(), z.unknown()),
    metadata: z.record(z.string(), z.unknown()),
    user_id: z.string().nullable(),
    created_at: z.string(),
    updated_at: z.string(),
    next_run_date: Time,
    /** The time that was fired last, and the run of it, or why there is none. */
    last_run_date: Time,
    last_run_id: z.string().nullable(),
    last_error: z.string().nullable(),
  })
  .openapi('Cron')

const isoOrNull = (ms: number | null) => (ms === null ? null : iso(ms))

/** The document of a cron. */
export const cronView = (cron: Cron): z.infer<typeof CronView> => ({
  cron_id: cron.cronId,
  assistant_id: cron.assistant,
  thread_id: cron.threadId,
  on_run_completed: cron.body['on_completion'] === 'delete' ? 'delete' : 'keep',
  schedule: cron.schedule,
  timezone: cron.timezone,
  end_time: isoOrNull(cron.endAt),
  enabled: cron.enabled,
  payload: { ...cron.body, assistant_id: cron.assistant, metadata: { ...cron.metadata } },
  metadata: { ...cron.metadata },
  user_id: cron.maker.user?.id ?? null,
  created_at: iso(cron.createdAt),
  updated_at: iso(cron.updatedAt),
  next_run_date: isoOrNull(cron.nextAt),
  last_run_date: isoOrNull(cron.lastAt),
  last_run_id: cron.lastRun,
  last_error: cron.lastProblem,
})
