/**
 * The thing that an open run waits for, as SQL over `run as r`: one answer per run, whatever its state.
 *
 * F1 Every open run waits for something, and a run that has ended for nothing.
 * F2 Of several, the answer is what will not pass by itself first: a human, a pause, a worker, another run, what is under way.
 */
import { type RawBuilder, sql } from 'kysely'
import type { RunStatus } from '@signalbox/core'
import type { NamedTarget } from '@signalbox/engine'
import { heldBelow, outliving, waitsBelow } from './waits-below.ts'
import { pausedSince, pauseOfAgent, pauseOfEffect } from './paused.ts'

/** Each kind, and the statuses of the runs that may wait for it. */
const statusesByKind = {
  /** A human approves a call. */
  approval: ['running', 'waiting'],
  /** A human answers a question. */
  input: ['running', 'waiting'],
  /** An operator says what became of a call. */
  unknown: ['running', 'waiting'],
  /** Somebody resumes what is paused, or its time passes. */
  paused: ['queued', 'running', 'waiting'],
  /** A worker takes a call of a queue. */
  worker: ['running', 'waiting'],
  /** A run that it has started. */
  child: ['running', 'waiting'],
  /** A tool that is executing. */
  tool: ['running', 'waiting'],
  /** The model answers. */
  model: ['running', 'waiting'],
  /** A policy that needs I/O answers. */
  policy: ['running', 'waiting'],
  /** A time comes: a delayed start, the pause before a retry. */
  delay: ['queued', 'running', 'waiting'],
  /** The runs before it on its thread end. */
  thread: ['queued'],
  /** Room in a limit that runs share. */
  lane: ['queued'],
  /** An orchestrator takes the next step. */
  orchestrator: ['queued', 'running', 'waiting'],
} as const satisfies Readonly<Record<string, readonly RunStatus[]>>

/** The kinds of waiting. */
export type WaitKind = keyof typeof statusesByKind

const isKind = (name: string): name is WaitKind => Object.hasOwn(statusesByKind, name)

/** Every kind there is. */
export const waitKinds: readonly WaitKind[] = Object.keys(statusesByKind).filter(isKind)

/** The statuses of runs that may wait for one of these. */
export const statusesWaitingFor = (kinds: readonly WaitKind[]): readonly RunStatus[] => [
  ...new Set(kinds.flatMap((kind): readonly RunStatus[] => statusesByKind[kind])),
]

/** The thing that a run waits for. Fields that say nothing of a kind are absent. Times in milliseconds since the epoch. */
export interface WaitsFor {
  readonly kind: WaitKind
  readonly since: number
  /** `delay`, `paused`: when it is over. */
  readonly until?: number
  /** `approval`, `input`: when it expires. */
  readonly expiresAt?: number
  readonly approvalId?: string
  readonly callId?: string
  readonly tool?: string
  readonly queue?: string
  readonly effectId?: string
  readonly attempt?: number
  /** `tool`: the worker that executes it. */
  readonly owner?: string
  /** `child`: the run that was started; `thread`: the run that is before it. */
  readonly runId?: string
  /** `thread`: the human act that the run before it waits for. */
  readonly runWaitsFor?: 'approval' | 'input'
  /** `lane`: the limits it waits for. */
  readonly lanes?: readonly string[]
  /** `paused`: of the pause. */
  readonly pauseId?: string
  readonly target?: NamedTarget
  readonly reason?: string
  /** Of a run that waits for nothing but humans, in runs below it: those runs, each with what it waits for. */
  readonly below?: readonly WaitsBelow[]
}

/** A run below that waits for a human. */
export interface WaitsBelow extends WaitsFor {
  readonly runId: string
  readonly threadId: string
  readonly agent: string
}

const ms = (column: string): RawBuilder<number> => sql`signalbox.to_ms(${sql.ref(column)})`

/** The run that has the slot of its thread; or else the first that is before it. */
const beforeIt = sql`coalesce((
    select o.id from signalbox.run o
    where o.tenant_id = r.tenant_id and o.thread_id = r.thread_id and o.admitted and o.status <> 'ended'
  ), (
    select o.id from signalbox.run o
    where o.tenant_id = r.tenant_id and o.thread_id = r.thread_id and o.status <> 'ended' and o.id <> r.id
      and (o.due_at, o.id) < (r.due_at, r.id)
    order by o.id limit 1))`

const ofQueued = sql`case
  when r.due_at > now() then jsonb_build_object('kind', 'delay', 'since', ${ms('r.created_at')}, 'until', ${ms('r.due_at')})
  else coalesce(
    (select jsonb_build_object('kind', 'paused') || ${pausedSince('r.due_at')} from ${pauseOfAgent} p),
    (select jsonb_build_object('kind', 'thread', 'since', ${ms('r.due_at')}, 'runId', o.id, 'runWaitsFor', case
        when exists (select from signalbox.approval a where a.run_id = o.id and a.waits) then 'approval'
        when exists (select from signalbox.question q where q.run_id = o.id and q.waits) then 'input' end)
      from (select ${beforeIt} as id) o where o.id is not null),
    (select jsonb_build_object('kind', 'lane', 'since', ${ms('r.due_at')}, 'lanes', jsonb_agg(l.key order by l.key))
      from signalbox.lane l where r.laned and l.run_id = r.id and l.admitted_at is null and not l.over
      having count(*) > 0),
    jsonb_build_object('kind', 'orchestrator', 'since', ${ms('r.due_at')})) end`

const ofApproval = sql`(
  select jsonb_build_object('kind', 'approval', 'since', ${ms('a.at')}, 'approvalId', a.id, 'callId', a.call_id,
    'tool', e.tool, 'expiresAt', (e.payload ->> 'expiresAt')::bigint)
  from signalbox.approval a join signalbox.event e on e.run_id = a.run_id and e.seq = a.seq
  where a.run_id = r.id and a.waits and not r.cancel_requested
  order by a.seq limit 1)`

const ofQuestion = sql`(
  select jsonb_build_object('kind', 'input', 'since', ${ms('q.at')}, 'callId', q.call_id, 'tool', e.tool,
    'expiresAt', (e.payload ->> 'expiresAt')::bigint)
  from signalbox.question q join signalbox.event e on e.run_id = q.run_id and e.seq = q.seq
  where q.run_id = r.id and q.waits and not r.cancel_requested
  order by q.seq limit 1)`

/** Of its open effects the first in the order of F2. What tells others of the run is nothing it waits for. */
const ofEffects = sql`(
  select jsonb_build_object('kind', w.kind, 'since', case
      when w.kind = 'unknown' then coalesce((
        select ${ms('u.at')} from signalbox.event u
        where u.run_id = r.id and u.type = 'tool.unknown' and u.payload ->> 'effectId' = w.id
        order by u.seq desc limit 1), ${ms('w.due')})
      when w.kind = 'delay' then ${ms('r.updated_at')} else ${ms('w.due')} end,
    'until', case when w.kind = 'delay' then ${ms('w.due')} end,
    'effectId', w.id, 'callId', w.spec ->> 'callId', 'tool', w.tool, 'attempt', nullif(w.attempt, 0),
    'queue', case when w.kind in ('worker', 'tool') or w.kind = 'paused' and w.is_call then w.queue end,
    'owner', case when w.kind = 'tool' then w.owner end,
    'runId', case when w.kind = 'child' then (
      select c.id from signalbox.run c where c.parent_id = r.id and c.parent_effect = w.id
      order by c.id desc limit 1) end) || coalesce(w.pause, '{}')
  from (
    select e.id, coalesce(e.held, e.due) as due, e.spec, e.tool, e.attempt, e.queue, e.owner, p.pause,
      e.kind = 'tool.call' as is_call, case
      when e.status = 'unknown' then 'unknown'
      when e.status = 'pending' and coalesce(e.held, e.due) > now() then 'delay'
      when p.pause is not null then 'paused'
      when e.kind = 'tool.call' and e.status = 'pending' then 'worker'
      when e.kind = 'tool.call' then 'tool'
      when e.kind = 'run.start' and e.status = 'started' then 'child'
      when e.kind in ('model.call', 'context.compact') then 'model'
      when e.kind = 'policy.evaluate' then 'policy'
      else 'orchestrator' end as kind
    from signalbox.effect e left join lateral (
      select ${pausedSince('coalesce(e.held, e.due)')} as pause from ${pauseOfEffect} p
      where e.status = 'pending') p on true
    where e.run_id = r.id and e.status in ('pending', 'started', 'unknown') and e.kind not in (${outliving})
  ) w
  order by array_position(array['unknown', 'paused', 'worker', 'child', 'tool', 'model', 'policy', 'delay', 'orchestrator'], w.kind),
    w.due, w.id
  limit 1)`

/** The thing that a run waits for by itself. */
const ofItself: RawBuilder<unknown> = sql`case
  when r.status = 'ended' then null
  when not r.admitted then jsonb_strip_nulls(${ofQueued})
  else jsonb_strip_nulls(coalesce(${ofApproval}, ${ofQuestion}, ${ofEffects},
    jsonb_build_object('kind', 'orchestrator', 'since', ${ms('r.updated_at')}))) end`

/** The answer as JSON, null for a run that has ended. */
export const waitsFor: RawBuilder<WaitsFor | null> = sql<WaitsFor | null>`case when ${waitsBelow}
  then ${ofItself} || jsonb_build_object('below', ${heldBelow(ofItself)}) else ${ofItself} end`
