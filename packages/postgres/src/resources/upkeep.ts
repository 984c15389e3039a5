/** The upkeep that orchestrators do for all tenants: crons that are due, what has expired, the survey of the feed. */
import { sql } from 'kysely'
import { openPool } from '../pool.ts'
import { compile, fetchRows, noneOf } from '../query.ts'
import { type Cron, cronColumns } from './cron.ts'

/** A cron whose time has come. Times in milliseconds since the epoch, by the clock of the database. */
export interface DueCron extends Cron {
  /** The time it is due for; null would not be due. */
  readonly nextAt: number
  readonly now: number
}

/** A thread whose ttl has passed, and its newest run; null where nobody has run. */
export interface ExpiredThread {
  readonly threadId: string
  readonly tenantId: string
  readonly lastRunId: string | null
}

/** The upkeep of a database, of all tenants. Every method may be called by any number of processes at once. */
export interface Upkeep {
  /** Crons that are due, of whatever tenant, the longest due first, but for those of `except`. They stay due until `advance`. */
  dueCrons(limit: number, except?: readonly string[]): Promise<readonly DueCron[]>
  /** Milliseconds until the next cron is due, null if none is. */
  nextCron(): Promise<number | null>
  /** The cron moves on from the time it was due for. False: somebody else moved it on, or its owner did. */
  advanceCron(
    cron: Pick<DueCron, 'cronId' | 'nextAt'>,
    fired: {
      readonly next: number | null
      readonly run: string | null
      readonly problem: string | null
    },
  ): Promise<boolean>
  /** Forgets items of the store that have expired. */
  sweepStore(): Promise<void>
  /** Removes some uploads that are older than `limits.uploadMsMax`, a hundred at most. Answers how many: 0 if there are none, or somebody else is at it. */
  sweepUploads(): Promise<number>
  /**
   * Threads to be deleted because their ttl has passed, for the caller alone: one that is still there is answered again a minute
   * later. Looks at no more than `limit`.
   */
  takeExpired(limit: number): Promise<readonly ExpiredThread[]>
  /**
   * Notes the times of what has come to the feed, so that audits find a time in it. Answers how many stretches were made; full
   * ones only, and none while another process is at it. Audits are right without it, and slower.
   */
  surveyFeed(): Promise<number>
  close(): Promise<void>
}

/** Stretches of one survey: what a transaction is kept open for. */
const stretchesMax = 100

/** Opens the upkeep, as `signalbox_engine`. Connects with the first call. */
export function createUpkeep(options: { readonly engineUrl: string }): Upkeep {
  const pool = openPool(options.engineUrl, { max: 2, name: 'signalbox-upkeep' })
  return {
    dueCrons: (limit, except = []) =>
      fetchRows(
        pool,
        compile(sql<DueCron>`
          select ${cronColumns}, signalbox.to_ms(now())::float8 as now from signalbox.cron c
          where c.next_at <= now() and ${noneOf('c.id', except)} order by c.next_at limit ${limit}`),
        'due_crons',
      ),
    async nextCron() {
      const next = sql<{ readonly ms: number | null }>`
        select (extract(epoch from min(next_at) - now()) * 1000)::float8 as ms from signalbox.cron`
      return (await fetchRows(pool, compile(next), 'next_cron'))[0]?.ms ?? null
    },
    async advanceCron({ cronId, nextAt }, { next, run, problem }) {
      const advance = sql<{ readonly done: boolean }>`
        select signalbox.advance_cron(${cronId}, ${nextAt}, ${next}, ${run}, ${problem}) as done`
      return (await fetchRows(pool, compile(advance), 'advance_cron'))[0]?.done ?? false
    },
    async sweepStore() {
      await fetchRows(pool, compile(sql<object>`select signalbox.sweep_store()`), 'sweep_store')
    },
    async sweepUploads() {
      const sweep = sql<{ readonly swept: number }>`select signalbox.sweep_uploads() as swept`
      const [row] = await fetchRows(pool, compile(sweep), 'sweep_uploads')
      return row?.swept ?? 0
    },
    takeExpired: (limit) =>
      fetchRows(
        pool,
        compile(sql<ExpiredThread>`
          select thread_id as "threadId", tenant_id as "tenantId", last_run as "lastRunId"
          from signalbox.take_expired(${limit})`),
        'take_expired',
      ),
    async surveyFeed() {
      const survey = sql<{ readonly made: number }>`
        select signalbox.survey_feed(${stretchesMax}) as made`
      return (await fetchRows(pool, compile(survey), 'survey_feed'))[0]?.made ?? 0
    },
    close: () => pool.end(),
  }
}
