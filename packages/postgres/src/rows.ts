/** Selections and shapes of what reads answer: one place says how a column becomes a field of a port. */
import type { ToolCallPart } from '@signalbox/core'
import type { RunHead, StoredEvent } from '@signalbox/engine'
import { type Expression, sql, type RawBuilder } from 'kysely'
import { build, inHex, inMs } from './query.ts'

/** The columns of `StoredEvent`, for a query over `event as e`. An erased payload reads as `{}`, its salt as `''`. */
export const eventColumns = [
  'e.run_id as runId',
  'e.seq',
  'e.tenant_id as tenantId',
  'e.thread_id as threadId',
  'e.type',
  'e.type_version as version',
  inMs('e.at').as('at'),
  'e.actor',
  'e.tool',
  'e.verdict',
  'e.key',
  sql<StoredEvent['payload']>`coalesce(e.payload, '{}')`.as('payload'),
  sql<string>`coalesce(encode(e.salt, 'hex'), '')`.as('salt'),
  inHex('e.payload_sha256').as('payloadHash'),
  inHex('e.digest').as('digest'),
  inHex('e.hash').as('hash'),
] as const

/** Of a run of a lineage `l`, the first `most` events that are seen and of which the condition holds: to be joined laterally. */
export const saidWhere = (condition: RawBuilder<boolean>, most: number | Expression<number>) =>
  build
    .selectFrom('event as e')
    .select(eventColumns)
    .where(sql<boolean>`e.run_id = l.run_id`)
    .where(condition)
    .where(sql<boolean>`(l.through is null or e.seq <= l.through)`)
    .orderBy('e.seq')
    .limit(most)
    .as('said')

/** The columns of `RunHead`, for a query over `run as r`. */
export const runColumns = [
  'r.id as runId',
  'r.tenant_id as tenantId',
  'r.thread_id as threadId',
  'r.agent',
  'r.definition_hash as definitionHash',
  'r.machine',
  'r.machine_version as machineVersion',
  'r.status',
  'r.state_name as stateName',
  'r.outcome',
  'r.seq',
  'r.facts',
  'r.decided',
  'r.state',
  inHex('r.head_hash').as('headHash'),
  'r.cancel_requested as cancelRequested',
  'r.metadata',
  parentRef().as('parent'),
  inMs('r.due_at').as('dueAt'),
  'r.place',
  'r.multitask',
  'r.priority',
  'r.laned',
  baseRef().as('base'),
  inMs('r.created_at').as('createdAt'),
  inMs('r.updated_at').as('updatedAt'),
] as const

/** The columns of `EffectRow`, for a query over `effect as e` joined with `run as r`. */
export const effectColumns = [
  'e.id as effectId',
  'e.tenant_id as tenantId',
  'r.thread_id as threadId',
  'e.run_id as runId',
  'r.definition_hash as definitionHash',
  'r.machine_version as machineVersion',
  'r.root_id as rootId',
  'e.kind',
  'e.queue',
  'e.mode',
  'e.status',
  'e.attempt',
  'e.owner',
  inMs('e.lease_until').$castTo<number | null>().as('leaseUntil'),
  'e.dispatches',
  'e.spec',
  askedCall().as('call'),
  'r.cancel_requested as cancelRequested',
] as const

function parentRef(): RawBuilder<RunHead['parent']> {
  return sql<RunHead['parent']>`case when r.parent_id is not null then json_build_object(
    'runId', r.parent_id, 'effectId', r.parent_effect, 'rootId', r.root_id) end`
}

function baseRef(): RawBuilder<RunHead['base']> {
  return sql<RunHead['base']>`case when r.base_run is not null then json_build_object(
    'runId', r.base_run, 'seq', r.base_seq) end`
}

/** The call as the model asked for it: the fact of the model call that is the effect's source holds it, under its key. */
export function askedCall(): RawBuilder<ToolCallPart | null> {
  return sql<ToolCallPart | null>`(
    select part from signalbox.event m
      cross join lateral jsonb_array_elements(m.payload #> '{turn,message,parts}') part
    where e.spec ? 'callId' and m.run_id = e.run_id and m.key = e.spec ->> 'source'
      and m.type = 'model.completed' and part ->> 'type' = 'tool_call'
      and part ->> 'id' = e.spec ->> 'callId'
    limit 1)`
}

/** A selection `a.b as c` as raw SQL. */
export function asSql(column: (typeof effectColumns)[number]) {
  if (typeof column !== 'string') return column
  const [reference = '', alias] = column.split(' as ')
  return alias === undefined ? sql.ref(reference) : sql`${sql.ref(reference)} as ${sql.ref(alias)}`
}
