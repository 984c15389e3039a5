import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

/** One forward-only step of the schema. */
export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  /** sha256 of the file, hex: an applied migration may never change. */
  readonly checksum: string
  /**
   * The newest migration that a build must know at least to work with a schema that has this one: the `-- needs_code: N` of its
   * first line. Left out: the migration itself, which nothing older works with.
   */
  readonly needsCode?: number
}

/** Where the migrations of this package stand: `migrations/` at the root of the repository. */
export const migrationsFolder = new URL('../../../../migrations/', import.meta.url)

/** Reads `NNNN_name.sql`, in order. Throws if a number is missing or taken twice, or a `needs_code` is none. */
export async function readMigrations(folder: URL = migrationsFolder): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name, n) => {
      const version = Number(name.slice(0, 4))
      if (version !== n + 1) throw new Error(`migration ${name}: expected number ${n + 1}`)
      const sql = await readFile(new URL(name, folder), 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { version, name, sql, checksum, ...needsCodeIn(name, version, sql) }
    }),
  )
}

function needsCodeIn(name: string, version: number, sql: string): { readonly needsCode?: number } {
  const [, said] = /^-- needs_code:(.*)/.exec(sql) ?? []
  if (said === undefined) return {}
  const needsCode = /^ \d{1,4}$/.test(said) ? Number(said) : Number.NaN
  if (needsCode >= 1 && needsCode <= version) return { needsCode }
  throw new Error(`migration ${name}: needs_code must be a number from 1 to ${version}`)
}
