/** The questions of governance before and after a step: grants, safety stops, circuits. */
import { limits } from '@signalbox/core'
import type { Admission, Register } from '@signalbox/engine'
import { type CompiledQuery, sql } from 'kysely'
import type { Pool } from 'pg'
import { compile, fetchRows, only, pageSize } from '../query.ts'

type GovernancePort = Pick<Register, 'grants' | 'safetyStops' | 'admitCall' | 'reportCall'>

export function governanceOf(pool: Pool): GovernancePort {
  return {
    async grants(agent, calls) {
      if (calls.length === 0) return []
      const rows = await fetchRows(pool, grantsQuery(agent, calls), 'grants')
      return rows.map((row) => row.granted)
    },
    async safetyStops(user, since, limit) {
      const rows = await fetchRows(pool, safetyStopsQuery(user, since, limit), 'safety_stops')
      return rows.map((row) => row.at)
    },
    async admitCall(model, { openMs }) {
      const admission = sql<Admission>`
        select state, failures, wait_ms::float8 as "waitMs" from signalbox.admit_call(${model}, ${openMs})`
      return only(await fetchRows(pool, compile(admission), 'admit_call'))
    },
    async reportCall(model, outcome, { threshold }) {
      const report = sql<object>`select signalbox.report_call(${model}, ${outcome}, ${threshold})`
      await fetchRows(pool, compile(report), 'report_call')
    },
  }
}

/**
 * A row per call, in order. The table finds the answer; that approves, as far as it says so: one that was erased, or that the machine
 * ignored as it came too late, grants nothing, nor does a row that says what no answer does.
 */
export function grantsQuery(
  { tenantId, agent }: Parameters<Register['grants']>[0],
  calls: Parameters<Register['grants']>[1],
): CompiledQuery<{ granted: boolean }> {
  const tools = calls.map((call) => call.tool)
  const hashes = calls.map((call) => call.argsHash)
  return compile(sql<{ granted: boolean }>`
    select coalesce((
      select true from signalbox.approval_grant g
        join signalbox.event e on e.run_id = g.run_id and e.seq = g.seq
        join signalbox.run r on r.id = g.run_id
      where g.tenant_id = ${tenantId} and g.agent = ${agent}
        and g.tool = asked.tool and g.args_hash = asked.args_hash
        and e.type = 'approval.answered' and e.tenant_id = g.tenant_id and r.agent = g.agent
        and e.tool = g.tool and e.payload ->> 'argsHash' = g.args_hash
        and e.payload ->> 'decision' = 'approve' and e.payload ->> 'scope' = 'always'
        and not exists (
          select from signalbox.event i
          where i.run_id = e.run_id and i.seq > e.seq and i.type = 'event.ignored'
            and i.payload ->> 'seq' = e.seq::text)
      limit 1
    ), false) as granted
    from unnest(${tools}::text[], ${hashes}::text[]) with ordinality as asked (tool, args_hash, n)
    order by asked.n`)
}

/** The end user stands in the first event of a run, and nowhere else. */
export function safetyStopsQuery(
  { tenantId, endUser }: Parameters<Register['safetyStops']>[0],
  since: number,
  limit: number,
): CompiledQuery<{ at: number }> {
  return compile(sql<{ at: number }>`
    select signalbox.to_ms(e.at)::float8 as at
    from signalbox.event e join signalbox.event first on first.run_id = e.run_id and first.seq = 1
    where e.tenant_id = ${tenantId} and e.type = 'safety.suppressed'
      and e.at >= signalbox.from_ms(${since}) and first.payload ->> 'endUser' = ${endUser}
    order by e.at desc
    limit ${pageSize(limit, limits.pageMax)}`)
}
