/** Reads of effects and timers, and the two writes that need no event: a look of the reconciler, a longer lease. */
import { limits } from '@signalbox/core'
import type { EffectRow, Register } from '@signalbox/engine'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import { build, compile, fetchRows, inMs, noneOf, pageSize, statement } from '../query.ts'
import { asSql, effectColumns } from '../rows.ts'

const effects = build.selectFrom('effect as e').innerJoin('run as r', 'r.id', 'e.run_id')

const selectEffect = statement(
  'effect',
  effects.select(effectColumns).where('e.id', '=', '').compile(),
)

const selectOpenEffects = statement(
  'open_effects',
  effects
    .select(effectColumns)
    .where('e.run_id', '=', '')
    .where(sql<boolean>`e.status in ('pending', 'started', 'unknown')`)
    .orderBy('e.id')
    .compile(),
)

/** A busy server takes its time. Milliseconds. */
const renewMsMin = 2_000

type EffectPort = Pick<
  Register,
  'effect' | 'openEffects' | 'takeDue' | 'dueTimers' | 'nextDue' | 'renew'
>

/** `heartbeat`: where leases are renewed. */
export function effectsOf(pool: Pool, heartbeat: Pool): EffectPort {
  return {
    effect: async (effectId) => (await selectEffect(pool, [effectId]))[0] ?? null,

    openEffects: (runId) => selectOpenEffects(pool, [runId]),
    async takeDue(kinds, againMs, limit) {
      const max = pageSize(limit, limits.pageMax)
      const taken = sql<EffectRow>`
        select ${sql.join(effectColumns.map(asSql))}
        from signalbox.take_due(${[...kinds]}, ${againMs}, ${max}) e
        join signalbox.run r on r.id = e.run_id
        order by e.due, e.id`
      return fetchRows(pool, compile(taken), 'take_due')
    },
    async dueTimers(limit, except = []) {
      const query = build
        .selectFrom('timer')
        .select([
          'tenant_id as tenantId',
          'run_id as runId',
          'id as timerId',
          inMs('fire_at').as('fireAt'),
        ])
        .where(sql<boolean>`fire_at <= now()`)
        .where(noneOf('run_id', except))
        .orderBy('fire_at')
        .limit(pageSize(limit, limits.pageMax))
      return fetchRows(pool, query.compile(), 'due_timers')
    },
    async nextDue(kinds, lookedMs) {
      const since = sql`now() - interval '1 millisecond' * ${Math.round(lookedMs)}`
      // No row where nothing will be due: `greatest` passes nulls over.
      const next = sql<{ ms: number }>`
        select greatest(0, ceil(extract(epoch from next.due - now()) * 1000))::float8 as ms
        from (select least(
          (select min(next_look) from signalbox.effect
           where status in ('pending', 'started') and next_look > ${since} and next_look < 'infinity'
             and kind = any (${[...kinds]})),
          (select min(fire_at) from signalbox.timer where fire_at > ${since}),
          (select min(due_at) from signalbox.run
           where due_at > created_at and not admitted and status <> 'ended' and due_at > now())
        ) as due) next
        where next.due is not null`
      return (await fetchRows(pool, compile(next), 'next_due'))[0]?.ms ?? null
    },
    async renew(leases, leaseMs) {
      const renewed = sql<{ effectId: string; kept: boolean; cancel: boolean }>`
        select effect_id as "effectId", kept, cancel
        from signalbox.renew(${JSON.stringify(leases)}::jsonb, ${leaseMs})`
      // There is another one soon; an answer that comes when the lease is over is none.
      const msMax = Math.max(renewMsMin, leaseMs / 4)
      return fetchRows(heartbeat, compile(renewed), { name: 'renew', msMax })
    },
  }
}
