/** What Postgres has kept: every table as COPY writes it, the files of its data directory, and what it announced. */
import { chmod, mkdir, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'

/** Bytes, and where they were found. */
export interface Remains {
  readonly where: string
  readonly bytes: Buffer
}

export class Database {
  readonly #client: pg.Client
  readonly #announced: string[] = []
  /** When files had changed last that were read. */
  readonly #read = new Map<string, number>()

  private constructor(client: pg.Client) {
    this.#client = client
    client.on('notification', ({ payload }) => void this.#announced.push(payload ?? ''))
  }

  /** As a superuser. Listens to the wakes from now on, which are kept nowhere. */
  static async connect(adminUrl: string): Promise<Database> {
    const client = new pg.Client(adminUrl)
    await client.connect()
    await client.query('listen signalbox_wake')
    return new Database(client)
  }

  /** Payloads of all wakes so far: the deltas of text among them. */
  get announced(): Remains {
    return { where: 'NOTIFY', bytes: Buffer.from(this.#announced.join('\n')) }
  }

  /** Every table of every schema, the system's too, in rows of text. `folder` is made; Postgres writes into it. */
  async tables(folder: string): Promise<readonly Remains[]> {
    await mkdir(folder)
    // Run by root, Postgres is another user.
    await chmod(folder, 0o777)
    await this.#client.query(`
      do $$
      declare it record;
      begin
        for it in select n.nspname, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
                   where c.relkind in ('r', 'm')
        loop
          execute format('copy (select * from %I.%I) to %L', it.nspname, it.relname,
                         ${pg.escapeLiteral(folder)} || '/' || it.nspname || '.' || it.relname);
        end loop;
      end $$`)
    return readFolder(folder)
  }

  /**
   * Every file below the data directory, the write-ahead log among them, but for those that are as they were when they were read
   * last. `written`: what is in memory is written first.
   */
  async files(options: { readonly written: boolean }): Promise<readonly Remains[]> {
    if (options.written) await this.#client.query('checkpoint')
    const { rows } = await this.#client.query<{ data_directory: string }>('show data_directory')
    const root = rows[0]?.data_directory ?? ''
    return readFolder(root, this.#read)
  }

  async close(): Promise<void> {
    await this.#client.end()
  }
}

/** So long after a change a file system shows the next one by another time. */
const tickMs = 1_000

/**
 * Every file below a folder, but for those of `read` that have not changed since. A file that is gone when its turn comes has nothing
 * to hide: the server removed it.
 */
export async function readFolder(
  root: string,
  read: Map<string, number> = new Map(),
): Promise<readonly Remains[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const found: Remains[] = []
  for (const entry of entries) {
    if (!entry.isFile()) continue
    const where = join(entry.parentPath, entry.name)
    const { mtimeMs } = (await ifThere(stat(where))) ?? { mtimeMs: 0 }
    if (read.get(where) === mtimeMs) continue
    const bytes = await ifThere(readFile(where))
    if (!bytes) continue
    found.push({ where, bytes })
    if (mtimeMs < Date.now() - tickMs) read.set(where, mtimeMs)
  }
  return found
}

async function ifThere<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}
