/**
 * Dumps by `pg_dump`, restored by `pg_restore` into other clusters, of more events than a stretch of the survey has.
 * Would catch: audits that answer nothing for a time after a restore, a feed in another order, a repair that cannot be repeated.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { migrate } from '../src/migrate/migrate.ts'
import { restoreFeed } from '../src/migrate/restored.ts'
import { openPool } from '../src/pool.ts'
import { auditReader } from '../src/read/audit-reader.ts'
import type { AuditFilter } from '../src/read/audit-filter.ts'
import { scopeQuery } from '../src/read/audit-scope.ts'
import { fetchRows } from '../src/query.ts'
import { tenantSession } from '../src/read/tenant-session.ts'
import { createRegister } from '../src/register/register.ts'
import { createUpkeep } from '../src/resources/upkeep.ts'
import { migrateAsBefore } from './support/before.ts'
import { DebianCluster, installedPostgres } from './support/debian-cluster.ts'
import { about, admission, event, newRun } from './support/drafts.ts'

const bin = await installedPostgres()
const skip = bin === null && process.env['SIGNALBOX_REQUIRE_ALL'] !== '1'
const why = bin === null ? ' (skipped: no PostgreSQL with pg_dump below /usr/lib/postgresql)' : ''

const runs = 1300
const events = runs * 10
const begin = Date.parse('2026-01-01T00:00:00Z')
/** Ten events of each run, a second per run, a transaction per ten runs. */
const seed = `
  do $$ begin
    for batch in 0..${runs / 10 - 1} loop
      insert into signalbox.event (run_id, seq, gpos, xid, at, tenant_id, thread_id, type, type_version, actor,
        payload, payload_sha256, digest, hash)
      select ('019ac000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, s, nextval('signalbox.event_gpos'), pg_current_xact_id(),
        timestamptz '2026-01-01' + n * interval '1 s', 'acme', 't', 'x.y', 1, 'test', '{}', '\\x00', '\\x00', '\\x00'
      from generate_series(batch * 10, batch * 10 + 9) n, generate_series(1, 10) s order by n, s;
      commit;
    end loop;
  end $$`

const clusters: DebianCluster[] = []
const newCluster = async (): Promise<DebianCluster> => {
  const cluster = await DebianCluster.start(bin ?? '')
  clusters.push(cluster)
  // Roles belong to the cluster: migrating an empty database makes them.
  await migrate(await cluster.createDatabase('roles'))
  return cluster
}

/** A register of `database`, as a process of Signalbox uses it. */
function open(cluster: DebianCluster, database: string) {
  const engineUrl = cluster.url(database, 'signalbox_engine')
  const register = createRegister({ engineUrl })
  const upkeep = createUpkeep({ engineUrl })
  const pool = openPool(cluster.url(database, 'signalbox_app'), {
    max: 2,
    pipeline: true,
    name: 'restore',
  })
  const reader = auditReader(tenantSession(pool))
  onTestFinished(
    async () => void (await Promise.all([register.close(), upkeep.close(), pool.end()])),
  )
  return {
    survey: async () => void (await upkeep.surveyFeed()),
    /** A new run; answers how many events it has now. */
    write: async () => {
      const run = newRun({ tenantId: 'acme' })
      await register.append(admission(run))
      await register.append({ ...about(run), notes: [event('x.new')] })
      return 4
    },
    /** All events a filter finds, page by page, as `<run>/<seq>`. */
    feed: async (filter: AuditFilter = {}) => {
      const found: string[] = []
      for (let after: string | null | undefined; after !== null;) {
        const page = await reader.audit('acme', {
          ...filter,
          ...(after === undefined ? {} : { after }),
          limit: 1000,
        })
        found.push(...page.events.map(({ runId, seq }) => `${runId}/${seq}`))
        after = page.next
      }
      return found
    },
    /** Is the time looked for in a part of the feed only? */
    narrows: async (filter: AuditFilter) => {
      const [scope] = await fetchRows(pool, scopeQuery(filter))
      return scope?.first != null && Number(scope.first) > 3
    },
  }
}

let old: DebianCluster
/** Counts from a few hundred; the tests that let it count on come last. */
let young: DebianCluster
let dump: string
/** The feed as it was when the dump was made. */
let before: readonly string[]

beforeAll(async () => {
  if (skip) return
  ;[old, young] = await Promise.all([newCluster(), newCluster()])
  await migrate(await old.createDatabase('register'))
  await old.countTo(20_000)
  await old.query('register', seed)
  const upkeep = createUpkeep({ engineUrl: old.url('register', 'signalbox_engine') })
  await upkeep.surveyFeed()
  await upkeep.close()
  dump = await old.dump('register')
  const rows = await old.query<{ event: string }>(
    'register',
    `select run_id || '/' || seq as event from signalbox.event order by xid, gpos`,
  )
  before = rows.map((row) => row.event)
}, 120_000)
afterAll(async () => {
  for (const cluster of clusters) await cluster.stop()
})

describe.skipIf(skip)(`a dump in a younger cluster${why}`, () => {
  it('has the same feed after the repair, and finds times in it quickly', async () => {
    const url = await young.restore(dump, 'restored')
    expect(await restoreFeed(url)).toEqual({ moved: events, stretches: 3 })
    const box = open(young, 'restored')
    expect(await box.feed()).toEqual(before)
    const since = Date.now() - 60_000
    const written = await box.write()
    expect(await box.feed({ since })).toHaveLength(written)
    const late = { since: begin + 1250_000, until: since }
    expect(await box.feed(late)).toEqual(before.slice(12_500))
    expect(await box.narrows(late)).toBe(true)
    expect(await restoreFeed(url)).toEqual({ moved: 0, stretches: 3 })
    expect(await box.feed({ until: since })).toEqual(before)
  })

  it('of an older schema is migrated, then repaired', async () => {
    const url = await old.createDatabase('older')
    await migrateAsBefore(url)
    await old.query('older', seed)
    const restored = await young.restore(await old.dump('older'), 'older')
    expect((await migrate(restored)).applied.length).toBeGreaterThan(0)
    const box = open(young, 'older')
    const since = Date.now() - 60_000
    const written = await box.write()
    expect(await box.feed({ since })).toHaveLength(written)
    expect((await restoreFeed(restored)).moved).toBe(events + written)
    expect(await box.feed({ until: since })).toEqual(before)
  })

  it('is repaired after it has been used, and when it is dumped and restored once more', async () => {
    await young.countTo(5_000)
    const url = await young.restore(dump, 'second')
    const box = open(young, 'second')
    const since = Date.now() - 60_000
    let written = await box.write()
    expect((await restoreFeed(url)).moved).toBe(events + written)
    written += await box.write()
    await box.survey()
    const feed = await box.feed()
    expect(feed).toHaveLength(events + written)

    const third = await newCluster()
    const again = await third.restore(await young.dump('second'), 'third')
    const last = open(third, 'third')
    expect(await last.feed({ since: begin, until: begin + 10_000 })).toEqual(before.slice(0, 100))
    await restoreFeed(again)
    expect(await last.feed()).toEqual(feed)
    written += await last.write()
    expect(await last.feed({ since })).toHaveLength(written)
  })

  it('answers for times before it is repaired, and after its counter has passed the restored numbers', async () => {
    await young.restore(dump, 'unrepaired')
    const box = open(young, 'unrepaired')
    const since = Date.now() - 60_000
    let written = await box.write()
    expect(await box.feed({ since })).toHaveLength(written)
    expect(await box.feed({ since: begin, until: since })).toEqual([])
    written += await box.write()
    // Just beyond the numbers of the restored events, with nothing surveyed here yet, and far beyond.
    for (const xid of [20_150, 25_000]) {
      await young.countTo(xid)
      written += await box.write()
      expect(await box.feed({ since })).toHaveLength(written)
      await box.survey()
      expect(await box.feed({ since })).toHaveLength(written)
    }
    expect(await box.feed({ until: since })).toEqual(before)
  })
})

describe.skipIf(skip)(`other restores${why}`, () => {
  it('in a cluster that has counted further: nothing is moved, and times are found at once', async () => {
    const url = await old.restore(dump, 'copy')
    const box = open(old, 'copy')
    const written = await box.write()
    const since = Date.now() - 60_000
    expect(await box.feed({ since })).toHaveLength(written)
    const late = { since: begin + 1250_000, until: since }
    expect(await box.narrows(late)).toBe(true)
    expect(await box.feed(late)).toEqual(before.slice(12_500))
    expect(await restoreFeed(url)).toEqual({ moved: 0, stretches: 3 })
  })

  it('renumbered by hand, as older instructions said, has no stale survey', async () => {
    await old.restore(dump, 'by_hand')
    const client = new pg.Client(old.url('by_hand'))
    await client.connect()
    await client.query(`update signalbox.event set xid = '3'`)
    await client.end()
    const box = open(old, 'by_hand')
    expect(await box.feed({ since: begin + 1250_000 })).toEqual(before.slice(12_500))
  })
})
