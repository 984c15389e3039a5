/**
 * What became of the calls of a run, told from its log alone: what a human wants to know after a cancel. Each call stands in
 * one place: the last that the log says of it.
 */
import { z } from '@hono/zod-openapi'
import { callsOf, decisionSchemas, factSchemas, Outcome } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { RunUsage } from './run-usage.ts'

const statuses = [
  /** It ran, and answered. */
  'finished',
  /** It ran, or was to, and failed. */
  'failed',
  /** In a rerun: its recorded result answered, whatever it was. Nothing ran. */
  'recalled',
  /** A policy, a guardrail or a human was against it: it did not run. */
  'denied',
  /** It was told to stop while it ran. */
  'aborted',
  /** It did not run, and will not. */
  'never_started',
  /** Nobody knows whether it happened. */
  'unknown',
  /** It runs, or will. */
  'open',
] as const

/** What became of one call. */
type CallStatus = (typeof statuses)[number]

export const ReportedCall = z
  .object({
    call_id: z.string(),
    tool: z.string(),
    status: z.enum(statuses),
    /** Null for a call that never came so far. */
    effect_id: z.string().nullable(),
    /** Executions that were begun. */
    attempts: z.number().int(),
    /** The event that says so; null while none does. */
    seq: z.number().int().nullable(),
  })
  .openapi('ReportedCall')
type ReportedCall = z.infer<typeof ReportedCall>

export const RunReport = z
  .object({
    run_id: z.string(),
    thread_id: z.string(),
    outcome: Outcome.nullable(),
    /** Why it was asked to end; null if nobody did. */
    cancel: z
      .object({
        action: z.string(),
        reason: z.string().nullable(),
        actor: z.string(),
        at: z.string(),
      })
      .nullable(),
    counts: z.record(z.enum(statuses), z.number().int()),
    calls: z.array(ReportedCall),
    /** Tokens, as providers counted them. */
    usage: RunUsage,
    /** The files under `outputs/` that it changed and that are there, at most 100. */
    artifacts: z.array(z.object({ path: z.string(), bytes: z.number().int() })),
    /** Changes that are not listed: GET /runs/{run_id}/files does. */
    artifacts_more: z.number().int(),
    /** Items of the model's plan that are not completed; 0 where it has none. */
    todos_open: z.number().int(),
  })
  .openapi('RunReport')

type Told = { -readonly [K in keyof ReportedCall]: ReportedCall[K] }

/** Facts that say what became of a call. */
const said: Readonly<Record<string, CallStatus>> = {
  'tool.completed': 'finished',
  'todo.written': 'finished',
  'tool.failed': 'failed',
  'tool.denied': 'denied',
  'recall.missed': 'never_started',
  'call.denied': 'denied',
  'budget.refused': 'never_started',
  'tool.unknown': 'unknown',
}

/** The calls that a run was asked for, in the order in which the model asked. */
export function callsIn(
  events: readonly StoredEvent[],
  outcome: Outcome | null,
): readonly ReportedCall[] {
  const seen: Seen = { calls: new Map(), byEffect: new Map(), executed: new Set() }
  for (const event of events) read(event, seen)
  return [...seen.calls.values()].map((call) =>
    // Of one that had begun when its run ended, nothing says more.
    call.status === 'open' && outcome !== null
      ? { ...call, status: call.attempts > 0 ? 'unknown' : 'never_started' }
      : call,
  )
}

interface Seen {
  readonly calls: Map<string, Told>
  readonly byEffect: Map<string, Told>
  /** Effects that execute. A recall executes nothing, however often it begins. */
  readonly executed: Set<string>
}

function read(event: StoredEvent, seen: Seen): void {
  const { type, payload, seq } = event
  if (event.salt === '') return readErased(event, seen)
  if (type === 'model.completed') return ask(event, seen)
  if (type === 'run.transitioned') return start(event, seen)
  if (type === 'effect.started') {
    const id = word(payload['effectId'])
    const call = seen.byEffect.get(id)
    if (call && seen.executed.has(id)) call.attempts += 1
    return
  }
  const call = seen.calls.get(word(payload['callId']))
  const status = 'recalled' in payload ? 'recalled' : (said[type] ?? otherwise(event))
  if (call && status) Object.assign(call, { status, seq })
}

/** Of an event whose words are gone, the key says whose end it is, and the columns which. */
function readErased({ type, key, verdict, seq }: StoredEvent, { byEffect }: Seen): void {
  const call = byEffect.get(key?.split(':')[0] ?? '')
  if (!call) return
  const ended = { callId: call.call_id, reason: '', outcome: verdict, resolution: verdict }
  const status =
    verdict === 'recalled' ? 'recalled' : (said[type] ?? otherwise({ type, payload: ended }))
  // Whether it was told to stop or had not begun, only the words say.
  const isSure = call.attempts > 0 || status !== 'aborted'
  if (status) Object.assign(call, { status: isSure ? status : 'unknown', seq })
}

const word = (value: unknown): string => (typeof value === 'string' ? value : '')

function ask({ payload }: StoredEvent, { calls }: Seen): void {
  // An erased answer has no calls to tell of.
  const answer = factSchemas['model.completed'].safeParse(payload)
  for (const { id, name } of answer.success ? callsOf(answer.data.turn) : [])
    calls.set(id, {
      call_id: id,
      tool: name,
      status: 'open',
      effect_id: null,
      attempts: 0,
      seq: null,
    })
}

function start({ payload }: StoredEvent, { calls, byEffect, executed }: Seen): void {
  const step = decisionSchemas['run.transitioned'].safeParse(payload)
  for (const effect of step.success ? step.data.effects : []) {
    const call = 'callId' in effect ? calls.get(effect.callId) : undefined
    if (!call) continue
    call.effect_id = effect.id
    byEffect.set(effect.id, call)
    if (effect.kind !== 'tool.recall') executed.add(effect.id)
  }
}

const Ended = z.object({ outcome: Outcome })
const Resolved = factSchemas['tool.resolved'].pick({ resolution: true })

/** Words that depend on what they say. */
function otherwise({ type, payload }: Pick<StoredEvent, 'type' | 'payload'>): CallStatus | null {
  if (type === 'tool.aborted')
    return payload['reason'] === 'never_started' ? 'never_started' : 'aborted'
  if (type === 'child.ended') return ofChild(Ended.safeParse(payload).data?.outcome)
  if (type !== 'tool.resolved') return null
  const resolved = { happened: 'finished', not_happened: 'never_started', retry: 'open' } as const
  const { data } = Resolved.safeParse(payload)
  return data ? resolved[data.resolution] : null
}

/** What became of a call that a run of its own did the work of. */
function ofChild(outcome: Outcome | undefined): CallStatus {
  if (outcome === undefined) return 'unknown'
  if (outcome === 'completed') return 'finished'
  return outcome === 'cancelled' || outcome === 'rolled_back' ? 'aborted' : 'failed'
}

/** How many calls stand where. */
export function countsOf(calls: readonly ReportedCall[]): Record<CallStatus, number> {
  const counts = {
    finished: 0,
    failed: 0,
    recalled: 0,
    denied: 0,
    aborted: 0,
    never_started: 0,
    unknown: 0,
    open: 0,
  }
  for (const { status } of calls) counts[status] += 1
  return counts
}
