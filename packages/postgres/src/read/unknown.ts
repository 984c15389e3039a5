/** Calls whose outcome nobody knows, with all that the log says of them: for whoever must find out what became of them. */
import { type JsonObject, limits } from '@signalbox/core'
import type { EffectRow } from '@signalbox/engine'
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { build } from '../query.ts'
import { askedCall, effectColumns } from '../rows.ts'

/** An effect of a living run whose outcome is unknown. Its `owner` is the worker that had it. Times in milliseconds since the epoch. */
export interface UnknownEffect extends EffectRow {
  /** Why nobody knows; null if the event was erased. */
  readonly reason: 'worker_lost' | 'not_settled' | null
  /** Since when it is known that nobody knows. */
  readonly unknownAt: number
  /** When the last attempt began; null if the event was erased. */
  readonly startedAt: number | null
  /** The arguments that it was executed with; null if they were erased. */
  readonly args: JsonObject | null
}

/** As the model asked for the call, or as a human changed it. */
const args: RawBuilder<JsonObject | null> = sql<JsonObject | null>`case
  when (e.spec ->> 'edited')::boolean then (
    select h.payload #> '{edited,args}' from signalbox.event h
    where h.run_id = e.run_id and h.seq = (e.spec ->> 'approval')::int)
  else to_jsonb(${askedCall()}) -> 'args' end`

/** The last event of a type about the effect: such a one stands near the end of its run. */
const lastOf = <Value>(type: string, value: RawBuilder<Value>): RawBuilder<Value | null> =>
  sql<Value | null>`(
    select ${value} from signalbox.event u
    where u.run_id = e.run_id and u.type = ${sql.lit(type)} and u.payload ->> 'effectId' = e.id
    order by u.seq desc limit 1)`

const at = sql<number>`signalbox.to_ms(u.at)::float8`

/** Effects of living runs whose outcome is unknown, oldest run first. */
export function unknownEffectsQuery(): CompiledQuery<UnknownEffect> {
  return build
    .selectFrom('effect as e')
    .innerJoin('run as r', 'r.id', 'e.run_id')
    .select(effectColumns)
    .select([
      lastOf('tool.unknown', sql<UnknownEffect['reason']>`u.payload ->> 'reason'`).as('reason'),
      sql<number>`coalesce(${lastOf('tool.unknown', at)}, signalbox.to_ms(r.updated_at)::float8)`.as(
        'unknownAt',
      ),
      lastOf('effect.started', at).as('startedAt'),
      args.as('args'),
    ])
    .where('e.status', '=', 'unknown')
    .where('r.status', '<>', 'ended')
    .orderBy('e.run_id')
    .orderBy('e.id')
    .limit(limits.pageMax)
    .compile()
}
