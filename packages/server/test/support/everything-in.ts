/** Everything that a database holds, as texts to search: each row of each table, bytes as texts as well. */
import pg from 'pg'

/** The tables whose rows hold a text, each with how often; in hex, as bytes are shown, or as it is. */
export async function tablesWith(url: string, text: string): Promise<readonly string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const found: string[] = []
    const hex = Buffer.from(text).toString('hex')
    for (const { name } of tables) {
      const query = `select count(*)::int as count from ${name} t where t::text like $1 or t::text like $2`
      const { rows } = await client.query<{ count: number }>(query, [`%${text}%`, `%${hex}%`])
      if ((rows[0]?.count ?? 0) > 0) found.push(name)
    }
    return found.toSorted()
  } finally {
    await client.end()
  }
}
