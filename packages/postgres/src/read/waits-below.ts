/**
 * Runs that wait for humans in the runs that they have started, as SQL over `run as r`. Nothing is recorded of it: it is so as long as the runs below
 * say so, whatever was lost meanwhile.
 *
 * B1 A run waits so if each of its open calls waits for a human, itself or by the run that does its work, and so on down. One that has anything else
 *    under way does not, nor does one whose facts are not decided about.
 * B2 Only of agents that say which runs they may start (`waitsBelow` of the effect): others read as before.
 */
import { EffectKind, outlivesRun } from '@signalbox/core'
import { type RawBuilder, sql } from 'kysely'

/** No run waits for what outlives it. */
export const outliving = sql.join(
  EffectKind.options.filter(outlivesRun).map((kind) => sql.lit(kind)),
)

/** The run, and all open ones below it. As deep as runs may be started. */
const tree = sql`
  with recursive tree as (
    select o.id, o.thread_id, o.agent, o.status, o.state_name, o.decided < o.facts as undecided, o.cancel_requested
    from signalbox.run o where o.id = r.id
    union all
    select o.id, o.thread_id, o.agent, o.status, o.state_name, o.decided < o.facts, o.cancel_requested
    from tree t join signalbox.run o on o.parent_id = t.id and o.status <> 'ended'
  )`

/** The run that does the work of an effect, while it is open. */
const openChild = sql`select from signalbox.run c
  where c.parent_id = x.id and c.parent_effect = e.id and c.status <> 'ended'`

/** Does something of the run `x` go on without a human? */
const moves = sql`(x.undecided or x.cancel_requested
  or x.status <> 'waiting' and (x.status <> 'running'
    or not exists (select from signalbox.run c where c.parent_id = x.id and c.status <> 'ended')
    or exists (
      select from signalbox.effect e
      where e.run_id = x.id and e.status in ('pending', 'started') and e.kind not in (${outliving})
        and not (e.kind = 'run.start' and e.status = 'started' and exists (${openChild})))))`

/** Does the run wait so? Almost all runs are told from it by their row. */
export const waitsBelow: RawBuilder<boolean> = sql<boolean>`(
  r.status = 'running' and r.state_name in ('tools', 'approval', 'input')
  and exists (
    select from signalbox.effect e
    where e.run_id = r.id and e.kind = 'run.start' and e.status = 'started' and e.spec ? 'waitsBelow')
  and not exists (${tree} select from tree x where ${moves}))`

/** The runs below that wait, each with what it waits for, as `waitsFor` of a run `r` says it: the oldest first. */
export const heldBelow = (waitsFor: RawBuilder<unknown>): RawBuilder<unknown> => sql`(
  ${tree}
  select jsonb_agg(w.held || jsonb_build_object('runId', w.id, 'threadId', w.thread_id, 'agent', w.agent) order by w.id)
  from (
    select x.id, x.thread_id, x.agent, (select ${waitsFor} from signalbox.run r where r.id = x.id) as held
    from tree x where x.id <> r.id
  ) w
  where w.held ->> 'kind' in ('approval', 'input', 'unknown'))`
