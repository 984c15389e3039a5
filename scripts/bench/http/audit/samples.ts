/** Values that the register has, to ask for: of the large tenant, spread over its time. */
import pg from 'pg'

type Span = readonly [since: string, until: string]

export interface Samples {
  /** The first and the last moment, ISO 8601. */
  readonly from: string
  readonly to: string
  /** A day before the last moment. */
  readonly newest: string
  readonly days: readonly Span[]
  readonly months: readonly Span[]
  readonly threads: readonly string[]
  readonly runs: readonly string[]
  readonly endUsers: readonly string[]
  readonly positions: readonly { position: string; xid: string; gpos: string }[]
}

const dayMs = 86_400_000

export async function readSamples(adminUrl: string): Promise<Samples> {
  const client = new pg.Client(adminUrl)
  await client.connect()
  const read = async <Row extends pg.QueryResultRow>(text: string): Promise<readonly Row[]> =>
    (await client.query<Row>(text)).rows
  try {
    const [span] = await read<{ from: Date; to: Date }>(
      'select min(created_at) as from, max(created_at) as to from signalbox.run',
    )
    if (!span) throw new Error('there are no runs')
    const runs = await read<{ id: string; thread: string }>(
      `select id, thread_id as thread from signalbox.run where tenant_id = 'default' order by md5(id::text) limit 500`,
    )
    const endUsers = await read<{ name: string }>(
      `select end_user as name from signalbox.end_user_run where tenant_id = 'default' order by md5(run_id::text) limit 500`,
    )
    const positions = await read<Samples['positions'][number]>(
      `select xid::text, gpos::text, lpad(xid::text, 20, '0') || '-' || lpad(gpos::text, 20, '0') as position
       from signalbox.event where run_id in (select id from signalbox.run order by md5(id::text) limit 200) and seq = 7`,
    )
    const [from, to] = [span.from.getTime(), span.to.getTime()]
    return {
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      newest: new Date(to - dayMs).toISOString(),
      days: spans(from, to, dayMs),
      months: spans(from, to, 30 * dayMs),
      threads: runs.map(({ thread }) => thread),
      runs: runs.map(({ id }) => id),
      endUsers: endUsers.map(({ name }) => name),
      positions,
    }
  } finally {
    await client.end()
  }
}

function spans(from: number, to: number, ms: number): readonly Span[] {
  const count = Math.floor((to - from) / ms)
  return Array.from({ length: count }, (_, n) => [
    new Date(from + n * ms).toISOString(),
    new Date(from + (n + 1) * ms).toISOString(),
  ])
}
