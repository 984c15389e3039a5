/** The pauses of a tenant that stand, and what there is to pause. */
import type { NamedTarget, Pause } from '@signalbox/engine'
import { type CompiledQuery, sql } from 'kysely'
import { compile } from '../query.ts'

/** A pause as people see it. Times in milliseconds since the epoch. */
export interface ListedPause extends Pause {
  readonly since: number
  /** The actor who set it, or changed it last. */
  readonly by: string
}

/** In the order in which they were set. The tenant stands here too, for the engine, whom row-level security shows all. */
export const pausesQuery = (tenantId: string): CompiledQuery<ListedPause> =>
  compile(sql<ListedPause>`
    select id as "pauseId", tenant_id as "tenantId", jsonb_build_object('kind', target, 'name', name) as target, reason,
      set_by as by, signalbox.to_ms(set_at)::float8 as since, signalbox.to_ms(until)::float8 as until
    from signalbox.pause where tenant_id = ${tenantId} and coalesce(until > clock_timestamp(), true)
    order by set_at, id`)

/** The agents, tools and queues of the definitions that the tenant has used. */
export const pausableQuery = (tenantId: string): CompiledQuery<NamedTarget> =>
  compile(sql<NamedTarget>`
    select target as kind, name from signalbox.pausable(${tenantId}) order by target, name`)
