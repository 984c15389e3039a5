/**
 * Fills a register with events. A month is filled as a table of its own and then attached, so that its indexes are built
 * once and not row by row; everything else is as migrations and appends leave it.
 */
import pg from 'pg'
import { round } from '../../cost.ts'
import { eventsPerRun, eventsSql, runsSql } from './events-sql.ts'

export interface Generated {
  readonly events: number
  readonly seconds: number
  readonly gigabytes: number
  readonly partitions: number
}

/** Each event takes about this much, with its indexes. */
export const bytesPerEvent = 1_100

/** Transactions the events are spread over. */
const transactions = 200_000

interface Month {
  readonly name: string
  readonly from: string
  readonly to: string
  /** Places in the feed, the last included: of whole blocks, some runs of which may be of another month. */
  readonly first: string
  readonly last: string
}

/** Makes about `events` of them, in a register that has none yet: one that is kept is filled already. */
export async function generateEvents(adminUrl: string, events: number): Promise<Generated> {
  const began = performance.now()
  const client = new pg.Client(adminUrl)
  await client.connect()
  try {
    const filled = await client.query('select from signalbox.run limit 1')
    if (filled.rowCount === 1) {
      await survey(client)
      return await sizeOf(client, began)
    }
    await client.query(
      "set maintenance_work_mem = '512MB'; set work_mem = '256MB'; set synchronous_commit = off; set timezone = 'UTC'",
    )
    // Whole blocks of eight runs, which take turns in the feed.
    const runs = Math.ceil(events / eventsPerRun / 8) * 8
    const first = await burnTransactions(client)
    for (const text of runsSql(runs)) await client.query(text)
    const months = await monthsOf(client)
    const made = runs * eventsPerRun
    const perTransaction = Math.ceil(made / transactions)
    for (const month of months) await fill(client, month, [first, perTransaction])
    await client.query('drop table public.made, public.said')
    await client.query("select setval('signalbox.event_gpos', $1)", [made + 1])
    // As autovacuum does it: the partitions, never the table they make up.
    const tables = [...months.map(({ name }) => name), 'run', 'effect', 'end_user_run']
    for (const name of tables) await client.query(`vacuum (analyze) signalbox.${name}`)
    await survey(client)
    await client.query('checkpoint')
    return await sizeOf(client, began)
  } finally {
    await client.end()
  }
}

/** As orchestrators do it every ten seconds; here there is none. */
async function survey(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ made: number }>(
      'select signalbox.survey_feed(100) as made',
    )
    if (!rows[0]?.made) break
  }
  await client.query('vacuum (analyze) signalbox.feed_stretch')
}

async function sizeOf(client: pg.Client, began: number): Promise<Generated> {
  const { rows } = await client.query<{ events: number; bytes: number; partitions: number }>(
    `select sum(events)::float8 as events, count(*)::int as partitions,
       pg_database_size(current_database())::float8 as bytes
     from (select count(*) as events from signalbox.event group by tableoid) e`,
  )
  const { events = 0, bytes = 0, partitions = 0 } = rows[0] ?? {}
  return {
    events,
    seconds: round((performance.now() - began) / 1000, 1),
    gigabytes: round(bytes / 1e9),
    partitions,
  }
}

/** Uses up numbers of transactions, for the feed shows what is below every running one. Answers the first. */
async function burnTransactions(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ first: string }>(
    'select pg_current_xact_id()::text as first',
  )
  await client.query(
    `do $$ begin for n in 1 .. ${transactions + 10} loop perform pg_current_xact_id(); commit; end loop; end $$`,
  )
  return rows[0]?.first ?? '3'
}

async function monthsOf(client: pg.Client): Promise<readonly Month[]> {
  const { rows } = await client.query<Month>(
    `select 'event_' || to_char(month, 'YYYY_MM') as name,
       signalbox.uuid_bound(month)::text as from, signalbox.uuid_bound(month + interval '1 month')::text as to,
       (min(r) / 8 * 160)::text as first, (max(r) / 8 * 160 + 159)::text as last
     from (select r, date_trunc('month', at) as month from public.made) m
     group by month order by month`,
  )
  return rows
}

async function fill(
  client: pg.Client,
  { name, from, to, first, last }: Month,
  [xid, perTransaction]: readonly [string, number],
): Promise<void> {
  await client.query(
    `drop table if exists signalbox.${name};
     set role signalbox_owner;
     begin;
     create table signalbox.${name} (like signalbox.event including defaults including constraints
       including storage including compression)`,
  )
  await client.query(`reset role`)
  await client.query(eventsSql(name), [first, last, xid, perTransaction, from, to])
  await client.query(
    `commit;
     alter table signalbox.event attach partition signalbox.${name} for values from ('${from}') to ('${to}')`,
  )
}
