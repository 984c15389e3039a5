/** Tool calls that wait for a worker: how many, whose turn it is, and which to announce again. */
import { limits } from '@signalbox/core'
import type { EffectRow, Register } from '@signalbox/engine'
import { type RawBuilder, sql } from 'kysely'
import type { Pool } from 'pg'
import { build, compile, fetchRows, pageSize, statement } from '../query.ts'
import { asSql, effectColumns } from '../rows.ts'

const countMax = 100_000

/** Queues are found one behind the other, without reading what waits in them. */
const selectWaitingCalls = statement(
  'waiting_calls',
  sql<{ queue: string; calls: number }>`
    with recursive place as (
      (select queue from signalbox.effect where status = 'pending' order by queue limit 1)
      union all
      select n.queue from place p cross join lateral (
        select e.queue from signalbox.effect e
        where e.status = 'pending' and e.queue > p.queue order by e.queue limit 1) n
    )
    select p.queue, n.calls from place p cross join lateral (
      select count(*)::int as calls from (
        select from signalbox.effect e
        where e.status = 'pending' and e.queue = p.queue and e.kind = 'tool.call' and e.due <= now()
        limit ${countMax}) w) n
    where n.calls > 0`.compile(build),
)

/** The oldest that waits in a queue, of the first tenant behind another that has something there. Round it goes. */
const selectNextWaiting = statement(
  'next_waiting',
  sql<EffectRow>`
    select ${sql.join(effectColumns.map(asSql))}
    from (
      (${waitingIn(sql`tenant_id > ${''}`)}) union all (${waitingIn(sql`true`)})
      limit 1
    ) e
    join signalbox.run r on r.id = e.run_id`.compile(build),
)

function waitingIn(tenants: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select * from signalbox.effect
    where status = 'pending' and queue = ${''} and kind = 'tool.call' and due <= now() and ${tenants}
    order by tenant_id, due limit 1`
}

type WaitingPort = Pick<Register, 'waitingCalls' | 'takeWaiting' | 'nextWaiting'>

export function waitingOf(pool: Pool): WaitingPort {
  return {
    waitingCalls: () => selectWaitingCalls(pool, [countMax]),
    async takeWaiting(queue, waitMs, limit) {
      const max = pageSize(limit, limits.pageMax)
      const taken = sql<EffectRow>`
        select ${sql.join(effectColumns.map(asSql))}
        from signalbox.take_waiting(${queue}, ${waitMs}, ${max}) e
        join signalbox.run r on r.id = e.run_id
        order by e.due, e.id`
      return fetchRows(pool, compile(taken), 'take_waiting')
    },
    nextWaiting: async (queue, afterTenant) =>
      (await selectNextWaiting(pool, [queue, afterTenant, queue]))[0] ?? null,
  }
}
