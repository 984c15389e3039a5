/**
 * The files of `migrations/`.
 *
 * D1 A new database is made by `0001_register.sql` alone, which names its tables and functions, each in a file that says how it is
 *    now. One that is there gets the numbered steps it lacks. Both ways end in the same schema, `schema.sql`.
 * D2 A line `\ir <file>` stands for the text of that file. A step that changes a function names its file, instead of repeating it,
 *    with the first 16 digits of the text's sha256: so the step's own checksum covers the text, and a text that changes needs a step.
 * D3 A file that several steps name is brought by the last of them: what the earlier ones brought is not there any more.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

/** One forward-only step of the schema. */
export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
  /** sha256 of its own file, hex: an applied migration may never change. */
  readonly checksum: string
  /**
   * The newest migration that a build must know at least to work with a schema that has this one: the `-- needs_code: N` of its
   * first line. Left out: the migration itself, which nothing older works with.
   */
  readonly needsCode?: number
}

/** Where the migrations of this package stand: `migrations/` at the root of the repository. */
export const migrationsFolder = new URL('../../../../migrations/', import.meta.url)

const registerName = '0001_register.sql'

/**
 * Reads the steps `NNNN_name.sql` behind the register, in order. Throws if a number is missing or taken twice, a `needs_code` is
 * none, or a file that is named is not there, or has another text.
 */
export async function readMigrations(folder: URL = migrationsFolder): Promise<Migration[]> {
  const names = (await readdir(folder))
    .filter((name) => /^\d{4}_\w+\.sql$/.test(name) && name !== registerName)
    .sort()
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, folder), 'utf8')))
  const first = Number(names[0]?.slice(0, 4))
  return Promise.all(
    names.map(async (name, n) => {
      const version = Number(name.slice(0, 4))
      if (version !== first + n) throw new Error(`migration ${name}: expected number ${first + n}`)
      const text = texts[n] ?? ''
      const later = new Set(texts.slice(n + 1).flatMap(filesNamedIn))
      const sql = await withFiles(text, (named) =>
        later.has(named.file) ? '' : readPinned(name, named, folder),
      )
      return { version, name, sql, checksum: sha256(text), ...needsCodeIn(name, version, text) }
    }),
  )
}

/** Reads what makes a new database: as the newest of the steps beside it leaves one. */
export async function readRegister(folder: URL = migrationsFolder): Promise<Migration> {
  const text = await readFile(new URL(registerName, folder), 'utf8')
  const sql = await withFiles(text, ({ file }) => readNamed(registerName, file, folder))
  return { version: 1, name: registerName, sql, checksum: sha256(sql) }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

interface Named {
  readonly file: string
  /** The rest of the line, behind the file. */
  readonly pin: string | undefined
}

function namedIn(line: string): Named | null {
  const [, file, pin] = /^\\ir (\S+)(?: (.*))?$/.exec(line) ?? []
  return file === undefined ? null : { file, pin }
}

/** The files that a text names, in order. */
export const filesNamedIn = (text: string): string[] =>
  text.split('\n').flatMap((line) => namedIn(line)?.file ?? [])

async function withFiles(
  text: string,
  read: (named: Named) => string | Promise<string>,
): Promise<string> {
  const lines = text.split('\n').map(async (line) => {
    const named = namedIn(line)
    return named ? read(named) : line
  })
  return (await Promise.all(lines)).join('\n')
}

async function readPinned(name: string, { file, pin }: Named, folder: URL): Promise<string> {
  const text = await readNamed(name, file, folder)
  const now = `sha256:${sha256(text).slice(0, 16)}`
  if (pin === now) return text
  throw new Error(
    `migration ${name}: ${file} has another text than this step brings. A step that no database has yet must say: \\ir ${file} ${now}`,
  )
}

async function readNamed(name: string, file: string, folder: URL): Promise<string> {
  if (!/^([a-z]+\/)?[a-z_]+\.sql$/.test(file))
    throw new Error(`migration ${name}: \\ir takes a file like functions/append.sql, not "${file}"`)
  try {
    return await readFile(new URL(file, folder), 'utf8')
  } catch (error) {
    throw new Error(`migration ${name}: it names ${file}, which cannot be read`, { cause: error })
  }
}

function needsCodeIn(name: string, version: number, sql: string): { readonly needsCode?: number } {
  const [, said] = /^-- needs_code:(.*)/.exec(sql) ?? []
  if (said === undefined) return {}
  const needsCode = /^ \d{1,4}$/.test(said) ? Number(said) : Number.NaN
  if (needsCode >= 1 && needsCode <= version) return { needsCode }
  throw new Error(`migration ${name}: needs_code must be a number from 1 to ${version}`)
}
