/** Many writers at once: what holds of the log whoever wins (I1, I4, I5, I6), and that nobody harms a neighbour. */
import type { AppendItem, AppendResult, Register, StoredEvent } from '@signalbox/engine'
import pg from 'pg'
import { expect, it } from 'vitest'
import { verifyChain } from '../src/chain.ts'
import { createRegister } from '../src/register/register.ts'
import {
  about,
  admission,
  creation,
  decision,
  fact,
  finalDecision,
  newRun,
  type RunIds,
} from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()

/** The intervals (from, through] of the decisions, in order. */
function folded(events: readonly StoredEvent[]): [number, number][] {
  return events
    .filter((one) => one.type === 'run.transitioned')
    .map((one) => [Number(one.payload['from']), Number(one.payload['through'])])
}

async function expectSound(run: RunIds, acknowledged: number): Promise<void> {
  const events = await bench.register.events(run.runId, {})
  const head = await bench.register.head(run.runId)
  expect(events.map((one) => one.seq)).toEqual(events.map((_, n) => n + 1))
  const facts = events.filter((one) => one.key !== null)
  expect(facts).toHaveLength(acknowledged)
  const intervals = folded(events)
  let cursor = 0
  for (const [from, through] of intervals) {
    expect(from).toBe(cursor)
    cursor = through
  }
  expect(cursor).toBe(facts.at(-1)?.seq)
  expect(head).toMatchObject({ status: 'ended', decided: cursor, seq: events.length })
  expect(events.at(-1)?.type).toBe('run.transitioned')
  expect(verifyChain(events, { seq: events.length, hash: head?.headHash ?? '' }).ok).toBe(true)
}

it('16 writers of facts against 4 deciders on one run', async () => {
  const run = newRun()
  await bench.register.append(admission(run))
  const registers = Array.from({ length: 4 }, () =>
    createRegister({ engineUrl: bench.database.engineUrl, maxConnections: 4 }),
  )
  const pick = (n: number): Register => registers[n % 4] ?? bench.register
  let acknowledged = 2
  let writing = 16
  const write = async (n: number): Promise<void> => {
    for (let k = 0; k < 15; k += 1) {
      const result = await pick(n).append({ ...about(run), facts: [fact('x.done', `${n}-${k}`)] })
      if (result.factCodes[0] === 'ok') acknowledged += 1
    }
    writing -= 1
  }
  const decide = async (n: number): Promise<void> => {
    for (;;) {
      const head = await pick(n).head(run.runId)
      if (head === null || head.status === 'ended') return
      if (head.facts === head.decided && writing > 0) continue
      if (head.facts === head.decided) {
        await pick(n)
          .append({ ...about(run), facts: [fact('x.done', 'last')] })
          .then((result) => {
            if (result.factCodes[0] === 'ok') acknowledged += 1
          })
        continue
      }
      const make = writing > 0 ? decision : finalDecision
      await pick(n).append({ ...about(run), decision: make(head.decided, head.facts) })
    }
  }
  await Promise.all([
    ...Array.from({ length: 16 }, (_, n) => write(n)),
    ...Array.from({ length: 4 }, (_, n) => decide(n)),
  ])
  await expectSound(run, acknowledged)
  await Promise.all(registers.map((register) => register.close()))
})

it('200 batches over the same runs, in any order, never deadlock', async () => {
  const runs = Array.from({ length: 40 }, () => newRun())
  await bench.register.appendMany(runs.map((run) => admission(run)))
  // Short batches from several registers at once: locks overlap as much as they can.
  const registers = Array.from({ length: 4 }, () =>
    createRegister({ engineUrl: bench.database.engineUrl, maxConnections: 4 }),
  )
  const seen: AppendResult[] = []
  await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      const some = runs.toSorted(() => Math.random() - 0.5).slice(0, 20)
      const items = some.map((run): AppendItem => ({
        ...about(run),
        facts: [fact('x.done', `b${n}`)],
      }))
      seen.push(...((await registers[n % 4]?.appendMany(items)) ?? []))
    }),
  )
  expect(seen).toHaveLength(4000)
  expect(seen.every((result) => result.code === 'ok' && result.factCodes[0] === 'ok')).toBe(true)
  await Promise.all(registers.map((register) => register.close()))
})

it('creates that race for crossing aliases never deadlock', async () => {
  const registers = Array.from({ length: 4 }, () =>
    createRegister({ engineUrl: bench.database.engineUrl, maxConnections: 4 }),
  )
  for (let round = 0; round < 10; round += 1) {
    const results = await Promise.all(
      registers.map((register) =>
        register.appendMany(
          ['a', 'b', 'c', 'd']
            .toSorted(() => Math.random() - 0.5)
            .map((name) =>
              creation(newRun(), { alias: { key: `${name}${round}`, bodyHash: 'same' } }),
            ),
        ),
      ),
    )
    const codes = results.flat().map((result) => result.code)
    expect(codes.filter((code) => code === 'ok')).toHaveLength(4)
    expect(codes.filter((code) => code === 'exists')).toHaveLength(12)
  }
  await Promise.all(registers.map((register) => register.close()))
})

it('a poisoned item harms only itself', async () => {
  const runs = Array.from({ length: 12 }, () => newRun())
  await bench.register.appendMany(runs.map((run) => admission(run)))
  // One statement at a time, so that all of these but the first travel together.
  const register = createRegister({
    engineUrl: bench.database.engineUrl,
    batch: { maxInFlight: 1 },
  })
  const results = await register.appendMany(
    runs.map((run, n) => {
      const one = fact('x.done', 'k')
      return { ...about(run), facts: [n % 4 === 3 ? { ...one, payload: { t: '\0' } } : one] }
    }),
  )
  expect(results.map((result) => result.code)).toEqual(
    runs.map((_, n) => (n % 4 === 3 ? 'rejected' : 'ok')),
  )
  for (const [n, run] of runs.entries()) {
    expect((await register.head(run.runId))?.seq).toBe(n % 4 === 3 ? 3 : 4)
  }
  await register.close()
})

it('a lost connection is thrown, and a repetition shows what had happened (I3)', async () => {
  const run = newRun()
  await bench.register.append(admission(run))
  const pool = new pg.Pool({ connectionString: bench.database.engineUrl, max: 1 })
  pool.on('error', () => {})
  const register = createRegister({ pool })
  const repeated = { ...about(run), facts: [fact('x.done', 'once')] }
  const blocker = new pg.Client(bench.database.adminUrl)
  await blocker.connect()
  await blocker.query('begin')
  await blocker.query('select from signalbox.run where id = $1 for update', [run.runId])
  const lost = register.append(repeated).catch((error: unknown) => String(error))
  // Its own connection: within a transaction the view of the activity does not change.
  const killer = new pg.Client(bench.database.adminUrl)
  await killer.connect()
  let killed = 0
  while (killed === 0) {
    const result = await killer.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and usename = 'signalbox_engine' and wait_event_type = 'Lock'`,
    )
    killed = result.rowCount ?? 0
  }
  expect(await lost).toMatch(/terminat/)
  await blocker.query('rollback')
  await blocker.end()
  await killer.end()
  expect((await register.append(repeated)).factCodes).toEqual(['ok'])
  expect((await register.append(repeated)).factCodes).toEqual(['duplicate'])
  await pool.end()
})

const item = (run: RunIds) => ({ ...about(run), facts: [fact('x.done')] })

it('the function itself refuses a list that is unsorted, repeats a run, or is too long', async () => {
  const client = new pg.Client(bench.database.engineUrl)
  await client.connect()
  const [first, second] = [newRun(), newRun()]
  const lists = [
    [item(second), item(first)],
    [item(first), item(first)],
    [],
    Array.from({ length: 65 }, () => item(newRun())),
  ]
  for (const list of lists) {
    const call = client.query('select signalbox.append($1)', [JSON.stringify(list)])
    await expect(call).rejects.toMatchObject({ code: '22023' })
  }
  await client.end()
})
