/**
 * The costs, as Postgres counts them itself, of runs whose agents configure nothing of their context: statements, rows and bytes of WAL. `node
 * test/contract/run-costs.ts` prints it as JSON. It uses nothing that the build before conversations had marks did not have, so that it can be
 * played there: that is where `without-context.json` is from.
 */
import type { Model, Register } from '@signalbox/engine'
import { createRegister } from '@signalbox/postgres'
import { withAppend } from '../../packages/engine/test/support/faulty.ts'
import { begin } from '../../packages/engine/test/support/governed.ts'
import { silentLog, world } from '../../packages/engine/test/support/world.ts'
import { Counters } from '../../scripts/bench/cost.ts'
import { startMachine } from '../../scripts/bench/machine.ts'
import { agentOf, answerOf, instantTools } from '../../scripts/bench/world.ts'

/** All runs of a play together. */
export interface RunCosts {
  /** By the beginnings of the statements: how often each was asked, and the rows that it told or wrote. */
  readonly statements: Readonly<Record<string, readonly [calls: number, rows: number]>>
  /** By table. */
  readonly rows: Readonly<Record<string, number>>
  readonly walRecords: number
  readonly walBytes: number
}

interface Play {
  readonly runs: number
  readonly turns: number
  /** Are they runs of one thread? */
  readonly oneThread: boolean
}

const plays: Readonly<Record<string, Play>> = {
  'each of its own thread': { runs: 40, turns: 10, oneThread: false },
  'of one thread': { runs: 40, turns: 2, oneThread: true },
}

/** Long enough that nothing is looked for, renewed or checked while it is counted. */
const never = 600_000
const settings = { pollMs: never, leaseMs: never, renewMs: never / 2, verifyEvery: 0 }

/** Queries that depend on the clock alone: is the breaker of a model open, once per second; and when is the next look due? */
const byTime = ['%signalbox.admit_call%', '%from next.due - now()%']

/** Plays the turns of a run by their numbers, whatever its thread has heard before. */
const byOwnTurn = (turns: number): Model => ({
  call: async (request) => {
    const turn = Number(request.callIdPrefix.split('_').at(-1))
    return answerOf(request, turn - 1, turn >= turns)
  },
})

/** Resolves when a run has ended, without asking the register. */
function watchingEnds(truth: Register) {
  let tell: ((runId: string) => void) | null = null
  const register = withAppend(truth, async (item, next) => {
    const result = await next(item)
    if (item.decision?.status === 'ended' && result.decisionCode === 'ok') tell?.(item.runId)
    return result
  })
  return {
    register,
    next: () =>
      new Promise<string>((resolve) => {
        tell = resolve
      }),
  }
}

/** Of threads: as long for each. */
let threads = 10_000
const newThread = (): string => `thread-${(threads += 1)}`

async function playAll(engineUrl: string, { runs, turns, oneThread }: Play): Promise<void> {
  const truth = createRegister({ engineUrl })
  const { register, next } = watchingEnds(truth)
  const model = byOwnTurn(turns)
  const { engine } = world({ model, tools: instantTools(silentLog), register, settings })
  await engine.start()
  const agent = agentOf(turns)
  const thread = newThread()
  for (let n = 0; n < runs; n += 1) {
    const ended = next()
    await begin(engine, agent, { threadId: oneThread ? thread : newThread() })
    await ended
    // The queries that follow an end, such as which run is next in the thread, take a moment.
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await engine.stop(1_000)
  await truth.close()
}

interface Counted {
  readonly query: string
  readonly calls: number
  readonly rows: number
  readonly walRecords: number
  readonly walBytes: number
}

async function count(counters: Counters, play: () => Promise<void>): Promise<RunCosts> {
  const before = await rowsOf(counters)
  await counters.query('select pg_stat_statements_reset()')
  await play()
  const counted = await counters.query<Counted>(`
    select left(regexp_replace(query, '\\s+', ' ', 'g'), 100) as query, sum(calls)::int as calls, sum(rows)::int as rows,
      sum(wal_records)::int as "walRecords", sum(wal_bytes)::int as "walBytes"
    from pg_stat_statements s join pg_roles r on r.oid = s.userid
    where toplevel and r.rolname = 'signalbox_engine' and query not like all (array['${byTime.join("', '")}']) group by 1 order by 1`)
  const after = await rowsOf(counters)
  const sum = (pick: (each: Counted) => number): number =>
    counted.reduce((total, each) => total + pick(each), 0)
  return {
    statements: Object.fromEntries(counted.map(({ query, calls, rows }) => [query, [calls, rows]])),
    rows: Object.fromEntries(
      Object.entries(after).flatMap(([table, rows]) => {
        const more = rows - (before[table] ?? 0)
        return more === 0 ? [] : [[table, more]]
      }),
    ),
    walRecords: sum((each) => each.walRecords),
    walBytes: sum((each) => each.walBytes),
  }
}

/** The rows of all tables of the register. */
async function rowsOf(counters: Counters): Promise<Readonly<Record<string, number>>> {
  const tables = await counters.query<{ name: string }>(`
    select relname as name from pg_class where relnamespace = 'signalbox'::regnamespace and relkind in ('r', 'p')
    order by 1`)
  const rows: Record<string, number> = {}
  for (const { name } of tables) {
    const [found] = await counters.query<{ rows: number }>(
      `select count(*)::int as rows from signalbox."${name}"`,
    )
    rows[name] = found?.rows ?? 0
  }
  return rows
}

const machine = await startMachine({ log: silentLog, tracked: true })
try {
  const counters = await Counters.connect(machine.postgres.adminUrl)
  await counters.query('create extension if not exists pg_stat_statements')
  // Whole pages, and what a vacuum finds, are a matter of when it is played.
  await counters.query('alter system set full_page_writes = off')
  await counters.query('alter system set autovacuum = off')
  await counters.query('select pg_reload_conf()')
  const found: Record<string, RunCosts> = {}
  for (const [name, play] of Object.entries(plays)) {
    // The queries that are made once for each process, and once for each definition, are made before.
    await playAll(machine.postgres.engineUrl, { ...play, runs: 2, oneThread: false })
    found[name] = await count(counters, () => playAll(machine.postgres.engineUrl, play))
  }
  await counters.close()
  process.stdout.write(`${JSON.stringify(found, null, 2)}\n`)
} finally {
  await machine.stop()
}
