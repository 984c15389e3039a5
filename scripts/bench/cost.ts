/** What work costs beside time: CPU of the servers, and what Postgres wrote. */
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'

/** Linux counts CPU time for user space in hundredths of a second, whatever the kernel's own tick. */
const msPerTick = 10

/** CPU milliseconds a process and its children have used, the ended ones included. Null where there is no /proc. */
export async function cpuMsOf(pid: number): Promise<number | null> {
  try {
    for (;;) {
      const own = await readStat(pid)
      const ofChildren = await ticksOfChildren(pid)
      // A child that ended meanwhile would count twice or not at all.
      const { ticksOfEnded } = await readStat(pid)
      if (ticksOfEnded === own.ticksOfEnded)
        return (own.ticks + ticksOfEnded + ofChildren) * msPerTick
    }
  } catch {
    return null
  }
}

async function ticksOfChildren(pid: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const stats = await Promise.all(pids.map((each) => readStat(each).catch(() => null)))
  return stats.reduce((sum, stat) => sum + (stat?.parent === pid ? stat.ticks : 0), 0)
}

/** Fields 4 and 14 to 17 of /proc/<pid>/stat; the name before them is in brackets and may hold anything. */
async function readStat(pid: number) {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const at = (field: number): number => Number(fields[field - 3])
  return { parent: at(4), ticks: at(14) + at(15), ticksOfEnded: at(16) + at(17) }
}

/** What Postgres has done so far. Differences count. */
export interface Written {
  /** Position in the write-ahead log, in bytes. */
  readonly walBytes: number
  /** Transactions that wrote something. */
  readonly writes: number
  /** All transactions of the database, reads included, as far as their backends have reported them. */
  readonly transactions: number
  readonly rows: Readonly<Record<(typeof tables)[number], number>>
}

const tables = ['event', 'effect', 'run', 'timer'] as const

/** Reads the counters of Postgres, as a superuser. */
export class Counters {
  readonly #client: pg.Client

  private constructor(client: pg.Client) {
    this.#client = client
  }

  static async connect(adminUrl: string): Promise<Counters> {
    const client = new pg.Client(adminUrl)
    await client.connect()
    return new Counters(client)
  }

  async read(): Promise<Written> {
    const counts = tables.map((table) => `'${table}', (select count(*) from signalbox.${table})`)
    const { rows } = await this.#client.query<{ written: Written }>(`
      select json_build_object(
        'walBytes', pg_current_wal_insert_lsn() - '0/0',
        'writes', pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
        'transactions', (select xact_commit from pg_stat_database where datname = current_database()),
        'rows', json_build_object(${counts.join(', ')})) as written`)
    const [row] = rows
    if (row === undefined) throw new Error('the counters of Postgres did not answer')
    return row.written
  }

  async query<Row extends pg.QueryResultRow>(text: string): Promise<readonly Row[]> {
    return (await this.#client.query<Row>(text)).rows
  }

  async close(): Promise<void> {
    await this.#client.end()
  }
}

/** The difference of two readings, per run. */
export function perRun(before: Written, after: Written, runs: number): Written {
  const share = (pick: (written: Written) => number): number =>
    round((pick(after) - pick(before)) / runs)
  return {
    walBytes: Math.round(share((written) => written.walBytes)),
    writes: share((written) => written.writes),
    transactions: share((written) => written.transactions),
    rows: {
      event: share(({ rows }) => rows.event),
      effect: share(({ rows }) => rows.effect),
      run: share(({ rows }) => rows.run),
      timer: share(({ rows }) => rows.timer),
    },
  }
}

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits))

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]]
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2
}
