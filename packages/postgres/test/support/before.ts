/** The register as the build before made it, from the steps that it shipped: `test/before`. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import type { Migration } from '../../src/migrate/files.ts'

const folder = new URL('../before/', import.meta.url)

/** The last schema before `0001_register.sql` made new databases. */
export const versionBefore = 25

/** The steps of that build. */
export async function readBefore(): Promise<Migration[]> {
  const names = (await readdir(folder)).sort()
  return Promise.all(
    names.map(async (name, n) => {
      const sql = await readFile(new URL(name, folder), 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex')
      const [, needsCode = n + 1] = /^-- needs_code: (\d+)/.exec(sql) ?? []
      return { version: n + 1, name, sql, checksum, needsCode: Number(needsCode) }
    }),
  )
}

/** Makes the schema that the build before had after its step `through`, and records it as that build did. */
export async function migrateAsBefore(adminUrl: string, through = versionBefore): Promise<void> {
  const steps = (await readBefore()).slice(0, through)
  const client = new pg.Client(adminUrl)
  await client.connect()
  try {
    for (const { sql, version, name, checksum, needsCode } of steps) {
      await client.query('begin')
      await client.query(sql)
      await client.query('set local role signalbox_owner')
      // The column `needs_code` is younger than the table: rows before it have none.
      await client.query(
        `insert into signalbox.migration select (jsonb_populate_record(null::signalbox.migration,
           $1::jsonb || jsonb_build_object('applied_at', now()))).*`,
        [JSON.stringify({ version, name, checksum, needs_code: needsCode })],
      )
      await client.query('commit')
    }
    await client.query('set role signalbox_owner')
    await client.query('select signalbox.ensure_partitions()')
  } finally {
    await client.end()
  }
}
