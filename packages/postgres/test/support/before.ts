/** The register as the build before made it, from the steps that it shipped: `test/before`. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'

const folder = new URL('../before/', import.meta.url)

/** The last schema before `0001_register.sql` made new databases. */
export const versionBefore = 25

/** Makes the schema that the build before had after its step `through`, and records it as that build did. */
export async function migrateAsBefore(adminUrl: string, through = versionBefore): Promise<void> {
  const names = (await readdir(folder)).sort().slice(0, through)
  const client = new pg.Client(adminUrl)
  await client.connect()
  try {
    for (const [n, name] of names.entries()) {
      const sql = await readFile(new URL(name, folder), 'utf8')
      const version = n + 1
      const [, needsCode = version] = /^-- needs_code: (\d+)/.exec(sql) ?? []
      const checksum = createHash('sha256').update(sql).digest('hex')
      await client.query('begin')
      await client.query(sql)
      await client.query('set local role signalbox_owner')
      // The column `needs_code` is younger than the table: rows before it have none.
      await client.query(
        `insert into signalbox.migration select (jsonb_populate_record(null::signalbox.migration,
           $1::jsonb || jsonb_build_object('applied_at', now()))).*`,
        [JSON.stringify({ version, name, checksum, needs_code: Number(needsCode) })],
      )
      await client.query('commit')
    }
    await client.query('set role signalbox_owner')
    await client.query('select signalbox.ensure_partitions()')
  } finally {
    await client.end()
  }
}
