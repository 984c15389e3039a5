/** The pauses that stand, as SQL: over `run as r`, and over `effect as e` joined with it. */
import { type RawBuilder, sql } from 'kysely'

const stands = sql`p.tenant_id = r.tenant_id and coalesce(p.until > now(), true)`

const first = (aims: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  select p.* from signalbox.pause p where ${stands} and ${aims} order by p.set_at, p.id limit 1)`

/** The first pause of the run's agent. */
export const pauseOfAgent = first(sql`p.target = 'agent' and p.name = r.agent`)

const aimsAtEffect = sql`signalbox.is_aimed_at(p.target, p.name, r.agent, e.kind, e.tool, e.queue)`

/** The first pause that refuses the effect. */
export const pauseOfEffect = first(aimsAtEffect)

/** Is a pause in the way of the effect? */
export const isEffectPaused = sql<boolean>`exists (select from signalbox.pause p where ${stands} and ${aimsAtEffect})`

/** Of the pause `p`, the fields of what waits for it since it could have gone on, or since it was set. */
export const pausedSince = (due: string): RawBuilder<unknown> => sql`jsonb_build_object(
  'since', signalbox.to_ms(greatest(p.set_at, ${sql.raw(due)})), 'until', signalbox.to_ms(p.until), 'pauseId', p.id,
  'target', jsonb_build_object('kind', p.target, 'name', p.name), 'reason', p.reason)`
