/**
 * Where in the feed a filter can find anything, asked before the question itself: times become transactions, and runs become
 * their ids if they are few. Without it, what began late is looked for among all that came before.
 *
 * A1 A scope leaves out nothing that its filter finds below its horizon, and nothing above the horizon is answered. So a page is
 *    the page of that moment: what was written since cannot be missed between two events of it (I17).
 * A2 A stretch that another cluster noted, and that a restore brought along, is not believed: this cluster may still write events
 *    with its numbers. What is not believed counts as not surveyed.
 * A3 It only narrows: the conditions of the filter hold as well. Clocks may differ as they like.
 */
import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { compile } from '../query.ts'
import { among, type AuditFilter } from './audit-filter.ts'

/** Numbers of transactions, as texts: those of an event are what the feed is ordered by first. */
export interface AuditScope {
  /** The first that is not told of: it ran when the scope was made. */
  readonly horizon: string
  /** The first that anything is found of; null: that is not known. */
  readonly first: string | null
  /** The last that anything is found of; null: that is not known. */
  readonly last: string | null
  /** All runs that events are found of, if they are `runsMax` at most. */
  readonly runs: readonly string[] | null
  /** Between these ids are the runs, both included; null where there is none, or the filter is about no runs. */
  readonly firstRun: string | null
  readonly lastRun: string | null
}

/** So many runs are read one by one, for that is quicker than to look for them in the feed. */
const runsMax = 1000
/** Events behind the last stretch that are looked at. With more, the end of a time is not known. */
const tailMax = 20_000

/** Has the filter something that a scope narrows? */
export function isScoped({ since, until, threadId, agent, outcome }: AuditFilter): boolean {
  return [since, until, threadId, agent, outcome].some((one) => one !== undefined)
}

/** The scope of a filter. */
export function scopeQuery(filter: AuditFilter): CompiledQuery<AuditScope> {
  const { since, until } = filter
  const columns = runColumns(filter)
  const ofRuns = columns.length === 0 ? noRuns : runsOf(columns)
  return compile(sql<AuditScope>`
    with surveyed as (
      select xid, gpos from signalbox.feed_stretch where ${believed} order by xid desc, gpos desc limit 1
    )
    select pg_snapshot_xmin(pg_current_snapshot())::text as horizon,
      ${since === undefined ? sql`null` : beginOf(since)} as first,
      ${until === undefined ? sql`null` : endOf(until)} as last,
      ${ofRuns}`)
}

type Fragment = RawBuilder<unknown>

/** Noted in this cluster after all that the stretch covers was over (F2 of the migration). */
const believed: Fragment = sql`xid < noted_by`

/** The first stretch that reaches into the time may begin with it. Of what is not surveyed yet, nothing is known. */
const beginOf = (since: number): Fragment => sql`coalesce(
  (select first_xid::text from signalbox.feed_stretch
    where ${believed} and at_max >= signalbox.from_ms(${since}) order by xid, gpos limit 1),
  (select xid::text from surveyed))`

/** The last stretch that reaches into the time ends it, if nothing of it came since the survey. */
const endOf = (until: number): Fragment => sql`
  case when exists (select from surveyed) and not (
    select count(*) = ${tailMax} or coalesce(bool_or(at < signalbox.from_ms(${until})), false)
    from (
      select e.at from signalbox.event e
      where (e.xid, e.gpos) > ((select xid from surveyed), (select gpos from surveyed))
        and e.xid < pg_snapshot_xmin(pg_current_snapshot())
      order by e.xid, e.gpos
      limit ${tailMax}
    ) tail)
  then coalesce(
    (select xid::text from signalbox.feed_stretch
      where ${believed} and at_min < signalbox.from_ms(${until}) order by xid desc, gpos desc limit 1),
    '0')
  end`

/** The columns of runs that a filter may be about; each has an index that ends with the id. */
function runColumns(filter: AuditFilter): readonly RunColumn[] {
  return [
    { column: 'r.thread_id', values: filter.threadId },
    { column: 'r.agent', values: filter.agent },
    { column: 'r.outcome', values: filter.outcome },
  ].flatMap(({ column, values }) =>
    values === undefined ? [] : [{ column, values: [values].flat() }],
  )
}

interface RunColumn {
  readonly column: string
  readonly values: readonly string[]
}

function runsOf(columns: readonly RunColumn[]): Fragment {
  const wanted = columns.flatMap(({ column, values }) => among(column, values))
  const ends = (direction: Fragment) => sql.join(columns.map((one) => endOfRuns(one, direction)))
  return sql`
    (select case when cardinality(ids) <= ${runsMax} then ids end
      from (select array(select r.id::text from signalbox.run r
        where ${sql.join(wanted, sql` and `)} limit ${runsMax + 1}) as ids) r) as runs,
    greatest(${ends(sql`asc`)})::text as "firstRun",
    least(${ends(sql`desc`)})::text as "lastRun"`
}

/** Value by value, as an index finds it: however many runs there are, one of each is read. */
const endOfRuns = ({ column, values }: RunColumn, direction: Fragment): Fragment => sql`
  (select ends.id from unnest(${[...values]}::text[]) v, lateral (
      select r.id from signalbox.run r where ${sql.ref(column)} = v order by r.id ${direction} limit 1
    ) ends
    order by ends.id ${direction} limit 1)`

const noRuns = sql`null::text[] as runs, null::text as "firstRun", null::text as "lastRun"`
