import type { Pool } from 'pg'

export interface RunsSelection {
  /** A run id, or a client's own id of it. */
  readonly run: string | undefined
  /** Runs that changed from this time on, ISO 8601. */
  readonly since: string | undefined
}

const pageRows = 500

/** Ids of the runs that are meant, oldest first, page by page. */
export async function* selectRuns(pool: Pool, selection: RunsSelection): AsyncGenerator<string> {
  const { run = null, since = null } = selection
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const { rows } = await pool.query<{ id: string }>(
      `select id::text as id from signalbox.run
       where id > $1 and ($2::timestamptz is null or updated_at >= $2)
         and ($3::text is null or id::text = lower($3)
           or id in (select run_id from signalbox.alias where key = $3))
       order by id limit $4`,
      [after, since, run, pageRows],
    )
    for (const { id } of rows) yield id
    if (rows.length < pageRows) return
    after = rows.at(-1)?.id ?? after
  }
}

/** Runs that have events but no row: the row was deleted, and with it what the chain must end in. */
export async function selectOrphans(pool: Pool, limit: number): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `select distinct e.run_id::text as id from signalbox.event e
     where not exists (select from signalbox.run r where r.id = e.run_id)
     order by 1 limit $1`,
    [limit],
  )
  return rows.map(({ id }) => id)
}

/**
 * The first event of a run behind the last one that its row knows; null if there is none. Row and events are seen at one moment: what
 * appends an event changes both.
 */
export async function eventBehind(pool: Pool, runId: string): Promise<number | null> {
  const { rows } = await pool.query<{ seq: number }>(
    `select e.seq from signalbox.event e join signalbox.run r on r.id = e.run_id
     where r.id = $1 and e.seq > r.seq order by e.seq limit 1`,
    [runId],
  )
  return rows[0]?.seq ?? null
}
