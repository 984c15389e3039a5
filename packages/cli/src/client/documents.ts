/**
 * What the API answers, as far as commands look into it. Loose on purpose: a newer server may say more, and `--json`
 * passes on everything it said.
 */
import { z } from 'zod'

const texts = z.record(z.string(), z.unknown())

export const wireStatuses = [
  'pending',
  'running',
  'error',
  'success',
  'timeout',
  'interrupted',
] as const

/** Of runs that go on. */
export const openStatuses = ['pending', 'queued', 'running', 'waiting'] as const

/** What a run waits for. */
/** The target of a pause, by name: one of the three. */
export const PauseTarget = z.looseObject({
  agent: z.string().optional(),
  tool: z.string().optional(),
  queue: z.string().optional(),
})
export type PauseTarget = z.infer<typeof PauseTarget>

/** A run below that waits for a human. */
const HeldRun = z.looseObject({
  run_id: z.string(),
  kind: z.string(),
  approval_id: z.string().optional(),
  effect_id: z.string().optional(),
  tool: z.string().optional(),
})

export const WaitsFor = z.looseObject({
  kind: z.string(),
  since: z.string(),
  until: z.string().optional(),
  expires_at: z.string().optional(),
  approval_id: z.string().optional(),
  effect_id: z.string().optional(),
  tool: z.string().optional(),
  queue: z.string().optional(),
  run_id: z.string().optional(),
  run_waits_for: z.string().optional(),
  owner: z.string().optional(),
  lanes: z.array(z.string()).optional(),
  target: PauseTarget.optional(),
  reason: z.string().optional(),
  below: z.array(HeldRun).optional(),
})
export type WaitsFor = z.infer<typeof WaitsFor>

export const Run = z.looseObject({
  run_id: z.string(),
  thread_id: z.string(),
  assistant_id: z.string(),
  created_at: z.string(),
  status: z.string(),
  outcome: z.string().nullable(),
  /** Why it failed. A server of an older build does not say. */
  error: z.looseObject({ message: z.string() }).nullish(),
  state: z.string(),
  /** The run that started it. */
  parent: z.looseObject({ run_id: z.string() }).nullish(),
  retry_of: z.string().nullish(),
  ended_at: z.string().nullish(),
  /** Only of a run that is read by itself, or listed with those of all threads. */
  waits_for: WaitsFor.nullish(),
  /** Only of a run that is listed among those that another one has started. */
  spent: z.looseObject({ tokens: z.number() }).optional(),
})
export type Run = z.infer<typeof Run>

export const RunPage = z.object({ runs: z.array(Run), next: z.string().nullable() })

export const RunReport = z.looseObject({
  calls: z.array(
    z.looseObject({
      call_id: z.string(),
      tool: z.string(),
      status: z.string(),
      effect_id: z.string().nullable(),
    }),
  ),
})
export type RunReport = z.infer<typeof RunReport>

export const Retried = z.looseObject({
  runs: z.array(
    z.looseObject({
      run_id: z.string(),
      code: z.string(),
      retry_run_id: z.string().optional(),
      status: z.number().optional(),
      detail: z.string().optional(),
    }),
  ),
  next: z.string().nullable(),
})
export type RetriedRun = z.infer<typeof Retried>['runs'][number]

export const RunsCancelled = z.looseObject({
  run_ids: z.array(z.string()),
  count: z.number(),
  more: z.boolean(),
})

export const Pause = z.looseObject({
  pause_id: z.string(),
  target: PauseTarget,
  reason: z.string(),
  since: z.string(),
  until: z.string().nullable(),
  by: z.string(),
})
export type Pause = z.infer<typeof Pause>

export const Queue = z.looseObject({
  queue: z.string(),
  waiting: z.number(),
  /** A server of an older build knows no pauses. */
  paused: z.number().default(0),
  oldest_waiting_ms: z.number().nullable(),
  delayed: z.number(),
  running: z.number(),
  unknown: z.number(),
})

/** What a run has come to. */
export const Values = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.string() })),
  outcome: z.string().nullable(),
  run: Run,
  __error__: z.looseObject({ error: z.string(), message: z.string() }).optional(),
})
export type Values = z.infer<typeof Values>

export const Event = z.looseObject({
  run_id: z.string(),
  thread_id: z.string(),
  seq: z.number(),
  type: z.string(),
  version: z.number().optional(),
  at: z.string(),
  actor: z.string(),
  tool: z.string().nullable(),
  verdict: z.string().nullable(),
  payload: texts,
  position: z.string().optional(),
})
export type Event = z.infer<typeof Event>

export const EventPage = z.object({
  events: z.array(Event),
  next: z.union([z.number(), z.string()]).nullable(),
})

/** A piece of a message in flight: `text` begins at `offset` of the message as this attempt writes it. */
export const Delta = z.object({
  message_id: z.string(),
  attempt: z.number(),
  offset: z.number(),
  text: z.string(),
})
export type Delta = z.infer<typeof Delta>

/** What a running tool says of itself. */
export const Progress = z.object({ call_id: z.string(), note: z.string() })
export type Progress = z.infer<typeof Progress>

export const End = z.looseObject({ outcome: z.string().nullable() })
export const Assistant = z.looseObject({ assistant_id: z.string() })
export const Accepted = z.looseObject({ code: z.string() })
export const Info = z.looseObject({ version: z.string(), roles: z.array(z.string()) })

/** A call that waits, or waited, for a human. Times are ISO 8601. */
export const Approval = z.looseObject({
  approval_id: z.string(),
  run_id: z.string(),
  call_id: z.string(),
  tool: z.string(),
  /** Null if they were erased. */
  args: texts.nullable(),
  policy_id: z.string().nullish(),
  reason: z.string().nullish(),
  requested_at: z.string(),
  expires_at: z.string().nullish(),
  status: z.string().default('waiting'),
  /** A human's answer, if one decided. */
  answer: z
    .looseObject({
      by: z.looseObject({ id: z.string() }).nullish(),
      scope: z.string().nullish(),
      message: z.string().nullish(),
    })
    .nullish(),
})
export type Approval = z.infer<typeof Approval>

/** A question of a model that waits for a person. Times are ISO 8601. */
export const AskedInput = z.looseObject({
  run_id: z.string(),
  call_id: z.string(),
  question: z.string(),
  why: z.string().nullish(),
  kind: z.enum(['text', 'choice', 'form']),
  options: z.array(z.string()).nullish(),
  form: z
    .array(
      z.looseObject({
        name: z.string(),
        label: z.string(),
        type: z.string(),
        options: z.array(z.string()).nullish(),
        required: z.boolean(),
      }),
    )
    .nullish(),
  requested_at: z.string(),
  expires_at: z.string(),
})
export type AskedInput = z.infer<typeof AskedInput>

export const UnknownEffect = z.looseObject({
  run_id: z.string(),
  effect_id: z.string(),
  tool: z.string().nullable(),
  attempt: z.number(),
  args: z.record(z.string(), z.unknown()).nullable(),
  reason: z.string().nullable(),
  worker: z.string().nullable(),
  started_at: z.string().nullable(),
  unknown_at: z.string(),
  idempotency_key: z.string(),
})
export type UnknownEffect = z.infer<typeof UnknownEffect>

/** RFC 9457. */
export const ProblemDocument = z.looseObject({
  status: z.number(),
  code: z.string(),
  detail: z.string(),
})
