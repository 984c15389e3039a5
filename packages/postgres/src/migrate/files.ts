import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

/** One forward-only step of the schema. */
export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  /** sha256 of the file, hex: an applied migration may never change. */
  readonly checksum: string
}

/** Where the migrations of this package stand: `migrations/` at the root of the repository. */
export const migrationsFolder = new URL('../../../../migrations/', import.meta.url)

/** Reads `NNNN_name.sql`, in order. Throws if a number is missing or taken twice. */
export async function readMigrations(folder: URL = migrationsFolder): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name, n) => {
      const version = Number(name.slice(0, 4))
      if (version !== n + 1) throw new Error(`migration ${name}: expected number ${n + 1}`)
      const sql = await readFile(new URL(name, folder), 'utf8')
      return { version, name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}
