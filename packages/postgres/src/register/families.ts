/** Reads of trees of runs. Literals, not parameters: the partial indexes must match in a generic plan. */
import { limits } from '@signalbox/core'
import type { ChildRef, Register, RunRef } from '@signalbox/engine'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { compile, isUuid, noneOf, pageSize, statement } from '../query.ts'

/** The runs a run has started, in the order of their ids. */
export const childrenQuery = (runId: string) =>
  compile(sql<ChildRef>`
    select tenant_id as "tenantId", id as "runId", parent_effect as "effectId",
      status = 'ended' as ended
    from signalbox.run where parent_id = ${runId} order by id limit ${limits.childrenMax}`)

const selectChildren = statement('children', childrenQuery(''))

/**
 * Found from the effects that wait, not from the runs that ended: there are few of those. The one that has waited longest
 * first, so that one that nobody can be told of does not hide the others.
 */
export const endedChildrenQuery = (limit: number, except: readonly string[] = []) =>
  compile(sql<RunRef>`
    select r.tenant_id as "tenantId", r.id as "runId"
    from signalbox.effect e
      join signalbox.run r on r.parent_id = e.run_id and r.parent_effect = e.id
    where e.kind = 'run.start' and e.status = 'started' and r.status = 'ended'
      and ${noneOf('r.id', except)}
    order by r.updated_at limit ${limit}`)

const selectEndedChildren = statement('ended_children', endedChildrenQuery(0))

/** Found from the children that live. */
export const orphansQuery = (limit: number, except: readonly string[] = []) =>
  compile(sql<RunRef>`
    select r.tenant_id as "tenantId", r.id as "runId"
    from signalbox.run r join signalbox.run p on p.id = r.parent_id
    where r.parent_id is not null and r.status <> 'ended' and not r.cancel_requested
      and (p.status = 'ended' or p.cancel_requested) and ${noneOf('r.id', except)}
    order by r.id limit ${limit}`)

const selectOrphans = statement('orphans', orphansQuery(0))

type FamilyPort = Pick<Register, 'children' | 'endedChildren' | 'orphans'>

export function familiesOf(pool: Pool): FamilyPort {
  return {
    children: async (runId) =>
      isUuid(runId) ? selectChildren(pool, [runId, limits.childrenMax]) : [],
    endedChildren: async (limit, except = []) =>
      selectEndedChildren(pool, [[...except], pageSize(limit, limits.pageMax)]),
    orphans: async (limit, except = []) =>
      selectOrphans(pool, [[...except], pageSize(limit, limits.pageMax)]),
  }
}
