import { Pool } from 'pg'
import { readMigrations } from './migrate/files.ts'
import { newestVersion } from './migrate/standing.ts'
import { only } from './query.ts'

/** The result of a look at the register. */
export interface RegisterLook {
  /** A replica, or a database that was set read-only. */
  readonly readOnly: boolean
  /** The reason that keeps this build from the schema; null if nothing does. */
  readonly schemaTrouble: string | null
  /** It was restored from another cluster, and its feed is not repaired. */
  readonly feedIsAhead: boolean
}

/** Looks at the register for a health check: over a connection of its own, each call within `timeoutMs`. */
export interface RegisterProbe {
  /** Rejects if Postgres does not answer in time. */
  look(): Promise<RegisterLook>
  /** Writes a little, as an append would. Rejects with what Postgres said, or if it does not answer in time. */
  write(): Promise<void>
  close(): Promise<void>
}

interface Row {
  readonly readOnly: boolean
  readonly feedIsAhead: boolean
  readonly version: number
  readonly needsCode: number
}

const look = `select current_setting('transaction_read_only') = 'on' as "readOnly",
    signalbox.feed_is_ahead() as "feedIsAhead",
    max(version)::int as version, max(coalesce(needs_code, version))::int as "needsCode"
  from signalbox.migration`

const ignore = (): void => {
  // A connection was lost: the next call says so.
}

/** Opens a probe, as `signalbox_engine`. Connects with the first call. */
export async function createRegisterProbe(options: {
  readonly engineUrl: string
  readonly timeoutMs: number
}): Promise<RegisterProbe> {
  const known = newestVersion(await readMigrations())
  const pool = new Pool({
    connectionString: options.engineUrl,
    // One that hangs must not keep the next call waiting.
    max: 2,
    application_name: 'signalbox-health',
    connectionTimeoutMillis: options.timeoutMs,
    query_timeout: options.timeoutMs,
    keepAlive: true,
  })
  pool.on('error', ignore)
  pool.on('connect', (client) => void client.on('error', ignore))
  return {
    async look() {
      const row = only((await pool.query<Row>(look)).rows)
      const { readOnly, feedIsAhead } = row
      return { readOnly, feedIsAhead, schemaTrouble: schemaTrouble(row, known) }
    },
    async write() {
      await pool.query('select signalbox.probe_write()')
    },
    close: () => pool.end(),
  }
}

function schemaTrouble({ version, needsCode }: Row, known: number): string | null {
  if (version < known) return `the schema has version ${version}, and this build needs ${known}`
  if (needsCode > known)
    return `the schema needs a build that knows migration ${needsCode}, and this one knows ${known}`
  return null
}
