/**
 * The leak hunt through conversations that are summed up (context systems §19 "canary", C6 to C9, C12): two hundred runs (a part of them with a commit) of two tenants, on threads of
 * the same names, in windows that they fill, whose model says, calls and reads what guardrails take out, is cut in the middle of words and of
 * arguments, and in each summary repeats whatever it was shown. Would catch: a summary of what was stopped, a summary that no guardrail has read, a secret that
 * goes from a result into a request, a request or a summary with words of two tenants.
 */
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '@signalbox/engine'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@signalbox/embedded'
import type { ConfigInput } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from '../../packages/postgres/test/support/ask.ts'
import { placeReadyCluster } from '../../packages/server/test/support/ready-cluster.ts'
import {
  type RecordedProvider,
  recordedProvider,
} from '../../packages/server/test/support/recorded-provider.ts'
import { findIn, type Flock, newCards, newFlock } from './canary.ts'
import { type Collector, startCollector } from './collector.ts'
import { type HuntedRedis, missingRedis, startHuntedRedis } from './hunted-redis.ts'
import { Database, type Remains } from './remains.ts'
import { roomConfig, roomScripts, summaryTask, titleTask } from './room.ts'
import { newTenant, type Played, playThreads, roomThreads, type Tenant } from './room-scene.ts'
import { type Processes, startProcesses } from './scene.ts'

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
const flocks = {
  tokens: newFlock(),
  cards: newCards(),
  suppressed: newFlock(),
  stopped: newFlock(),
  results: newFlock(),
}
/** The key that the provider is shown. */
const keys = newFlock()
/** None of them is found anywhere. */
const hiding = [flocks.tokens, flocks.cards, flocks.suppressed, keys]
const marks = [newFlock(), newFlock()] as const
const given = [newFlock(), newFlock()] as const
const written: string[] = []

let dir: string
let provider: RecordedProvider
let postgres: EmbeddedPostgres
let collector: Collector

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'signalbox-room-leaks-'))
  // As root, Postgres runs as another user, who must get through here.
  await chmod(dir, 0o755)
  provider = await recordedProvider(roomScripts(flocks))
  collector = await startCollector()
  await placeReadyCluster(join(dir, 'postgres'))
  postgres = await startEmbeddedPostgres({ dataDir: join(dir, 'postgres'), log: silent })
}, 300_000)

afterAll(async () => {
  await postgres?.stop()
  await provider?.close()
  await collector?.close()
  await rm(dir, { recursive: true, force: true })
})

const config = (): ConfigInput => ({
  ...roomConfig(provider.url, flocks, written),
  server: { graceMs: 1000, auth: 'keys' },
})

const start = (redisUrl?: string): Promise<Processes> =>
  startProcesses(config(), {
    databaseUrl: postgres.url,
    dir,
    otlpUrl: collector.url,
    hookSecret: `whsec_${randomBytes(32).toString('base64')}`,
    apiKey: keys.next(),
    ...(redisUrl === undefined ? {} : { redisUrl }),
  })

const leaks = (remains: readonly Remains[], flock: Flock): readonly string[] =>
  remains.flatMap(({ where, bytes }) => findIn(bytes, flock).map((spelt) => `${where}: ${spelt}`))

/** Does it stand there as it is? */
const holds = ({ bytes }: Remains, { marker }: Flock): boolean => bytes.includes(marker)

/** The requests that the provider was sent from a place on. */
const asked = (from = 0): readonly Remains[] =>
  provider.bodies
    .slice(from)
    .map((body, n) => ({ where: `request ${from + n}`, bytes: Buffer.from(body) }))

const countOf = (played: readonly Played[], type: string): number =>
  played.flatMap(({ types }) => types).filter((each) => each === type).length

const metrics = async ({ health }: Processes): Promise<Remains> => {
  const answer = await fetch(`${health}/metrics`)
  return { where: 'metrics of the worker', bytes: Buffer.from(await answer.arrayBuffer()) }
}

/** The threads of a commit, or of all: then two hundred runs. */
const starts = process.env['SIGNALBOX_FULL'] === '1' ? [1, 2, 4] : [1, 4]

describe('with all of it in Postgres', () => {
  const threads = roomThreads(starts)
  /** Twice each, of two tenants: fewer, and there was nothing to hunt in. */
  const summedUp = 2 * 2 * threads.length
  let database: Database
  let processes: Processes
  let tenants: readonly Tenant[]
  let played: readonly Played[]
  let remains: readonly Remains[]

  beforeAll(async () => {
    database = await Database.connect(postgres.url)
    processes = await start()
    tenants = await Promise.all(
      marks.map((mark, n) =>
        newTenant(postgres.url, `tenant-${n}`, { marks: mark, files: given[n] ?? given[0] }),
      ),
    )
    played = await playThreads(processes, tenants, threads)
    remains = [
      ...played.flatMap((each) => each.remains),
      processes.logged(),
      await metrics(processes),
      database.announced,
    ]
    await processes.stop()
  }, 600_000)
  afterAll(() => database?.close())

  it(`${7 * 2 * threads.length} runs end as they must, and are summed up in every way`, () => {
    const outcomes = played.flatMap((each) => each.outcomes)
    expect(outcomes).toHaveLength(7 * 2 * threads.length)
    const count = (outcome: string): number => outcomes.filter((each) => each === outcome).length
    expect(count('safety_stopped')).toBe(2 * 2 * threads.length)
    expect(count('completed')).toBe(5 * 2 * threads.length)
    for (const how of ['shared', 'serialised'])
      expect(countOf(played, `context.compacted ${how}`), how).toBeGreaterThan(threads.length)
    // Shared up to a turn that was stopped, and written out from there.
    const inParts = provider.bodies.filter((body) =>
      body.includes('What was said after that, written'),
    )
    expect(inParts.length).toBeGreaterThan(threads.length)
    expect(countOf(played, 'context.pruned')).toBeGreaterThan(0)
    // The arguments of a call lose what is to be taken out before it is executed.
    expect(written.length).toBeGreaterThan(50)
    expect(written.filter((args) => !args.includes('[redacted:'))).toEqual([])
  })

  it('commands read the file of their thread, and what they are given has lost what was to be taken out', async () => {
    const results = await ask<{ payload: string }>(
      postgres.url,
      `select payload::text as payload from signalbox.event where type = 'tool.completed' and tool = 'bash'`,
    )
    expect(results.length).toBeGreaterThan(2 * threads.length)
    const odd = results.filter(
      ({ payload }) =>
        !payload.includes('[redacted:') || !given.some(({ marker }) => payload.includes(marker)),
    )
    expect(odd).toEqual([])
  })

  it('titles are made of the words and the answer of a run that completed, and of nothing else', async () => {
    const requests = asked().filter(({ bytes }) => bytes.includes(titleTask))
    expect(requests.length).toBeGreaterThanOrEqual(2 * threads.length)
    const rows = await ask<{ where: string; said: string; by: string }>(
      postgres.url,
      `select 'the note ' || run_id || ' ' || seq as where, payload ->> 'title' as said, verdict as by
         from signalbox.event where type = 'thread.titled'
       union all select 'the thread ' || thread_id, title, title_by from signalbox.thread`,
    )
    const titles = rows.map(({ where, said }) => ({ where, bytes: Buffer.from(said) }))
    for (const flock of [flocks.stopped, flocks.results, ...given])
      expect(leaks([...requests, ...titles], flock)).toEqual([])
    // The model named each thread by what it was shown: so the hunt would have found it.
    const named = rows.filter(({ where, by }) => where.startsWith('the thread') && by === 'model')
    expect(named).toHaveLength(2 * threads.length)
    expect(named.every(({ said }) => marks.some(({ marker }) => said.includes(marker)))).toBe(true)
    // Threads that began with a cut were called so until one completed.
    expect(rows.filter(({ said }) => said === 'New conversation')).toHaveLength(
      2 * threads.filter((each) => each.start % 2 === 0).length,
    )
  })

  it('what was redacted, a secret, and suppressed arguments are in no request, stream, answer, log, span or metric', () => {
    const all = [
      ...remains,
      ...asked(),
      { where: 'spans', bytes: Buffer.concat(collector.received) },
    ]
    for (const flock of hiding) expect(leaks(all, flock)).toEqual([])
    expect(holds({ where: '', bytes: Buffer.from(provider.bodies.join('')) }, marks[0])).toBe(true)
    expect(provider.bodies.filter((body) => body.includes('[redacted:')).length).toBeGreaterThan(
      100,
    )
    expect(Buffer.concat(collector.received).includes('keeps-some')).toBe(true)
  })

  it('what was stopped stays where it was said, and is in no summary, and in no request for one', async () => {
    const requests = asked()
    const summaries = requests.filter(({ bytes }) => bytes.includes(summaryTask))
    expect(summaries.length).toBeGreaterThan(summedUp)
    expect(leaks(summaries, flocks.stopped)).toEqual([])
    // By design, the model reads what it said before.
    const turns = requests.filter(({ bytes }) => !bytes.includes(summaryTask))
    expect(turns.some((request) => holds(request, flocks.stopped))).toBe(true)
    const facts = await ask<{ run_id: string; seq: number; payload: string }>(
      postgres.url,
      `select run_id, seq, payload::text as payload from signalbox.event where type = 'context.compacted'`,
    )
    expect(facts.length).toBeGreaterThan(summedUp)
    const told = facts.map(({ run_id: runId, seq, payload }) => ({
      where: `the summary ${runId} ${seq}`,
      bytes: Buffer.from(payload),
    }))
    expect(leaks(told, flocks.stopped)).toEqual([])
    // The model repeated what it was shown: so the hunt would have found it.
    expect(told.filter((each) => marks.some((mark) => holds(each, mark))).length).toBeGreaterThan(
      summedUp,
    )
  })

  it('tenants are apart: in no request, no summary, and nothing that either is shown, are words of the other', async () => {
    for (const [one, other] of [marks, given]) {
      const mixed = asked().filter((each) => holds(each, one) && holds(each, other))
      expect(mixed.map(({ where }) => where)).toEqual([])
    }
    for (const [n, tenant] of tenants.entries()) {
      const own = remains.filter(({ where }) => where.startsWith(`${tenant.name}: `))
      const foreign = [marks, given].map((pair) => pair[1 - n] ?? pair[0])
      expect(own.length).toBeGreaterThan(40 * threads.length)
      for (const flock of foreign) expect(leaks(own, flock)).toEqual([])
      for (const flock of [tenant.marks, tenant.files])
        expect(own.some((each) => holds(each, flock))).toBe(true)
      const rows = await ask<{ text: string }>(
        postgres.url,
        `select payload::text as text from signalbox.event where tenant_id = '${tenant.name}'
         union all select encode(bytes, 'escape') from signalbox.blob where tenant_id = '${tenant.name}'
         union all select title from signalbox.thread where tenant_id = '${tenant.name}'`,
      )
      const kept = [{ where: 'rows', bytes: Buffer.from(rows.map(({ text }) => text).join('\n')) }]
      for (const flock of foreign) expect(leaks(kept, flock)).toEqual([])
      expect(kept.some((each) => holds(each, tenant.marks))).toBe(true)
    }
  })

  it('nothing of it is in a table, nor in the data directory with its write-ahead log', async () => {
    const files = [
      ...(await database.files({ written: false })),
      ...(await database.tables(join(dir, 'copied'))),
      ...(await database.files({ written: true })),
    ]
    for (const flock of hiding) expect(leaks(files, flock)).toEqual([])
    const places = files.filter((each) => holds(each, marks[0])).map(({ where }) => where)
    expect(places.some((place) => /copied\/signalbox\.event/.test(place))).toBe(true)
    expect(places.some((place) => place.includes('/pg_wal/'))).toBe(true)
    const stopped = files.filter((each) => holds(each, flocks.stopped)).map(({ where }) => where)
    expect(stopped.some((place) => /copied\/signalbox\.event/.test(place))).toBe(true)
  })
})

describe.skipIf(missingRedis.skip)(`with Redis${missingRedis.why}`, () => {
  let redis: HuntedRedis | undefined
  afterAll(() => redis?.stop())

  it('nothing of it is in a key, a command, or a file of Redis', async () => {
    const folder = join(dir, 'redis')
    await mkdir(folder)
    redis = await startHuntedRedis(folder)
    const processes = await start(redis.url)
    const from = provider.bodies.length
    try {
      const tenant = await newTenant(postgres.url, 'tenant-of-redis', {
        marks: marks[0],
        files: given[0],
      })
      const threads = roomThreads([2])
      const played = await playThreads(processes, [tenant], threads)
      expect(played.flatMap((each) => each.outcomes)).toHaveLength(7 * threads.length)
      expect(countOf(played, 'context.compacted shared')).toBeGreaterThan(0)
      const kept = await redis.remains()
      const remains = [...kept, ...played.flatMap((each) => each.remains), ...asked(from)]
      for (const flock of hiding) expect(leaks(remains, flock)).toEqual([])
      // Text that streams is published; a summary never is.
      const heard = kept.filter(({ where }) => where === 'MONITOR')
      expect(heard.some(({ bytes }) => bytes.includes('That was it for '))).toBe(true)
      expect(heard.some(({ bytes }) => bytes.includes('Up to page '))).toBe(false)
    } finally {
      await processes.stop()
    }
  }, 300_000)
})
