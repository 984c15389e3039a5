/** Budgets of trees, as far as only this register can show them: what is refused, locks, commits. */
import type { Reservation, TreeBudget } from '@signalbox/engine'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fact, about, fence, finalDecision, type RunIds } from './support/drafts.ts'
import { useRegister } from './support/register.ts'
import { claimOf, type Subject, withEffect } from './support/stories.ts'

const bench = useRegister()
const clients: pg.Client[] = []
let admin: pg.Client

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  clients.push(client)
  return client
}

beforeAll(async () => {
  admin = await connect(bench.database.adminUrl)
})
afterAll(() => Promise.all(clients.map((client) => client.end())))

async function tree(over: Partial<TreeBudget> = {}): Promise<Subject & { share: Reservation }> {
  const subject = await withEffect(bench)
  const { runId, tenantId } = subject.run
  const budget = { rootId: runId, tenantId, turns: 10, calls: 10, tokens: 1000, cost: null }
  await bench.register.openBudget({ ...budget, ...over })
  const what = { turns: 1, calls: 0, tokens: 100, cost: 0 } as const
  return { ...subject, share: { rootId: runId, runId, effectId: subject.id, ...what } }
}

async function rows(run: RunIds) {
  const budget = await admin.query('select * from signalbox.budget where root_id = $1', [run.runId])
  const held = await admin.query(
    'select effect_id, tokens, open from signalbox.reservation where root_id = $1 order by 1',
    [run.runId],
  )
  return { budget: budget.rows[0], reservations: held.rows }
}

/** For an effect that is not there. */
const gone = (share: Reservation) => ({ ...share, effectId: `${share.rootId}.99` })

const root = '019ac000-0000-7000-8000-000000000001'

describe('what is no number and no id', () => {
  it.each([
    `open_budget(null, 't', 1, 1, 1, 1)`,
    `open_budget('${root}', '', 1, 1, 1, 1)`,
    `open_budget('${root}', repeat('t', 201), 1, 1, 1, 1)`,
    `open_budget('${root}', null, 1, 1, 1, 1)`,
    `open_budget('${root}', 't', -1, 1, 1, 1)`,
    `open_budget('${root}', 't', 1, -1, 1, 1)`,
    `open_budget('${root}', 't', 1, 1, -1, 1)`,
    `open_budget('${root}', 't', 1, 1, 1, -1)`,
    `open_budget('${root}', 't', null, 1, 1, 1)`,
    `open_budget('${root}', 't', 1, null, 1, 1)`,
    `open_budget('${root}', 't', 1, 1, null, 1)`,
    `open_budget('${root}', 't', 1, 1, 9007199254740992, 1)`,
    `reserve_budget(null, '${root}', 'e', 1, 0, 1, 1)`,
    `reserve_budget('${root}', null, 'e', 1, 0, 1, 1)`,
    `reserve_budget('${root}', '${root}', '', 1, 0, 1, 1)`,
    `reserve_budget('${root}', '${root}', 'e e', 1, 0, 1, 1)`,
    `reserve_budget('${root}', '${root}', repeat('e', 201), 1, 0, 1, 1)`,
    `reserve_budget('${root}', '${root}', null, 1, 0, 1, 1)`,
    `reserve_budget('${root}', '${root}', 'e', 2, 0, 1, 1)`,
    `reserve_budget('${root}', '${root}', 'e', -1, 0, 1, 1)`,
    `reserve_budget('${root}', '${root}', 'e', 0, 2, 1, 1)`,
    `reserve_budget('${root}', '${root}', 'e', 0, null, 1, 1)`,
    `reserve_budget('${root}', '${root}', 'e', 0, 0, -1, 1)`,
    `reserve_budget('${root}', '${root}', 'e', 0, 0, 1, -1)`,
    `reserve_budget('${root}', '${root}', 'e', 0, 0, 1, null)`,
    `reserve_budget('${root}', '${root}', 'e', 0, 0, 9007199254740992, 1)`,
    `spend_budget(null, 'e', 1, 1)`,
    `spend_budget('${root}', '', 1, 1)`,
    `spend_budget('${root}', 'e', -1, 1)`,
    `spend_budget('${root}', 'e', 1, -1)`,
    `spend_budget('${root}', 'e', null, 1)`,
  ])('is refused: %s', async (call) => {
    await expect(admin.query(`select signalbox.${call}`)).rejects.toMatchObject({ code: '22023' })
  })

  it('is refused by the adapter’s functions as well', async () => {
    const bad = { rootId: 'x', tenantId: 't', turns: 1, calls: 1, tokens: 1, cost: null }
    await expect(bench.register.openBudget(bad)).rejects.toMatchObject({ code: '22P02' })
    const half = { ...bad, rootId: root, tokens: 0.5 }
    await expect(bench.register.openBudget(half)).rejects.toMatchObject({ code: '22P02' })
  })

  it('is not a limit of zero, nor the largest there is', async () => {
    const { run } = await withEffect(bench)
    const budget = { rootId: run.runId, tenantId: 't', turns: 0, calls: 0, tokens: 0 }
    await bench.register.openBudget({ ...budget, cost: Number.MAX_SAFE_INTEGER })
    const most = { rootId: run.runId, runId: run.runId, effectId: 'e', tokens: 0 }
    const cost = Number.MAX_SAFE_INTEGER
    expect(await bench.register.reserve({ ...most, turns: 0, calls: 0, cost })).toEqual({
      code: 'ok',
    })
    const other = { ...most, effectId: 'f', turns: 0, calls: 0, cost } as const
    expect(await bench.register.reserve(other)).toEqual({
      code: 'refused',
      budget: 'money',
      used: cost,
      limit: cost,
    })
  })
})

describe('the budget of a tree', () => {
  it('holds what is reserved until it is spent', async () => {
    const { run, id, share } = await tree()
    await bench.register.reserve(share)
    expect(await rows(run)).toMatchObject({
      budget: { turns_spent: 1, tokens_spent: '0', tokens_held: '100', tenant_id: 'acme' },
      reservations: [{ effect_id: id, tokens: '100', open: true }],
    })
    for (let n = 0; n < 2; n += 1)
      await bench.register.spend({ rootId: run.runId, effectId: id }, { tokens: 70, cost: 3 })
    expect(await rows(run)).toMatchObject({
      budget: { turns_spent: 1, tokens_spent: '70', tokens_held: '0', cost_spent: '3' },
      reservations: [{ open: false }],
    })
  })

  it('is settled although another one cannot be, which is told', async () => {
    const [bad, good] = [await tree(), await tree()]
    for (const { run, id, share } of [bad, good]) {
      await bench.register.reserve(share)
      const done = fact('tool.completed', id, { fence: fence(id, 'started') })
      await claimOf(bench, { run, id })
      await bench.register.append({ ...about(run), facts: [done] })
    }
    // What it holds cannot be given back: the sum leaves the range of the column.
    await admin.query(
      'update signalbox.budget set tokens_held = -9223372036854775000 where root_id = $1',
      [bad.run.runId],
    )
    await admin.query(
      'update signalbox.reservation set tokens = 9223372036854775000 where root_id = $1',
      [bad.run.runId],
    )
    const problems = await bench.register.settleBudgets()
    expect(problems).toEqual([{ rootId: bad.run.runId, problem: expect.stringContaining('range') }])
    expect((await rows(good.run)).reservations).toMatchObject([{ open: false }])
    await admin.query('delete from signalbox.reservation where root_id = $1', [bad.run.runId])
    await admin.query('delete from signalbox.budget where root_id = $1', [bad.run.runId])
  })

  it('gets back what an effect that is over holds, and keeps what another holds', async () => {
    const { run, id, share } = await tree()
    const live = await withEffect(bench)
    await bench.register.reserve(share)
    await bench.register.reserve({ ...share, effectId: live.id, tokens: 30 })
    await bench.register.settleBudgets()
    expect((await rows(run)).budget).toMatchObject({ tokens_held: '130' })
    await claimOf(bench, { run, id })
    await bench.register.reserve({ ...gone(share), tokens: 5 })
    await bench.register.settleBudgets()
    expect((await rows(run)).budget).toMatchObject({ tokens_held: '130' })
    const done = fact('tool.completed', id, { fence: fence(id, 'started') })
    await bench.register.append({ ...about(run), facts: [done] })
    await bench.register.settleBudgets()
    const after = await rows(run)
    expect(after.budget).toMatchObject({ tokens_held: '30', tokens_spent: '0', turns_spent: 3 })
    expect(after.reservations).toHaveLength(3)
    // Too late: it holds nothing any more.
    await bench.register.spend({ rootId: run.runId, effectId: id }, { tokens: 70, cost: 0 })
    expect((await rows(run)).budget).toMatchObject({ tokens_held: '30', tokens_spent: '0' })
  })

  it('is forgotten when the run at the top has ended', async () => {
    const { run, share } = await tree()
    await bench.register.reserve(share)
    const end = { ...about(run), facts: [fact('x.done')], decision: finalDecision(2, 4) }
    await bench.register.append(end)
    await bench.register.settleBudgets()
    expect(await rows(run)).toEqual({ budget: undefined, reservations: [] })
    const child = { ...share, runId: root }
    expect(await bench.register.reserve(child)).toEqual({
      code: 'refused',
      budget: 'tokens',
      used: 0,
      limit: 0,
    })
  })

  it('is settled without waiting for one that is held, and without a commit if there is nothing', async () => {
    const [busy, free] = [await tree(), await tree()]
    for (const { share } of [busy, free]) await bench.register.reserve(gone(share))
    const holder = await connect(bench.database.adminUrl)
    await holder.query('begin')
    await holder.query('select from signalbox.budget where root_id = $1 for update', [
      busy.run.runId,
    ])
    await bench.register.settleBudgets()
    expect((await rows(free.run)).budget).toMatchObject({ tokens_held: '0' })
    expect((await rows(busy.run)).budget).toMatchObject({ tokens_held: '100' })
    await holder.query('rollback')
    await bench.register.settleBudgets()
    expect((await rows(busy.run)).budget).toMatchObject({ tokens_held: '0' })
    const engine = await connect(bench.database.engineUrl)
    await engine.query('begin')
    await engine.query('select signalbox.settle_budgets()')
    const wrote = await engine.query('select pg_current_xact_id_if_assigned() as xid')
    await engine.query('commit')
    expect(wrote.rows).toEqual([{ xid: null }])
  })

  it('adds up, and never deadlocks, whoever reserves, spends and settles the same at once', async () => {
    const { run, id, share } = await tree({ turns: 1000, tokens: 1_000_000 })
    const { rootId } = share
    const work = async (n: number): Promise<void> => {
      for (let k = 0; k < 40; k += 1) {
        const effectId = k % 4 === 0 ? gone(share).effectId : id
        if ((n + k) % 3 === 0)
          await bench.register.spend({ rootId, effectId }, { tokens: 1, cost: 1 })
        else await bench.register.reserve({ ...share, effectId, tokens: n, cost: k })
        if (k % 10 === n) await bench.register.settleBudgets()
      }
    }
    await Promise.all(Array.from({ length: 10 }, (_, n) => work(n)))
    const sums = await admin.query(
      `select tokens_held = h.tokens and cost_held = h.cost as adds_up
       from signalbox.budget b, (select coalesce(sum(tokens), 0) as tokens, coalesce(sum(cost), 0) as cost
         from signalbox.reservation where root_id = $1 and open) h where b.root_id = $1`,
      [run.runId],
    )
    expect(sums.rows).toEqual([{ adds_up: true }])
  })

  it('waits for no lock of a run or an effect', async () => {
    const { run, id, share } = await tree()
    const holder = await connect(bench.database.adminUrl)
    await holder.query('begin')
    await holder.query('select from signalbox.run where id = $1 for update', [run.runId])
    await holder.query('select from signalbox.effect where id = $1 for update', [id])
    expect(await bench.register.reserve(share)).toEqual({ code: 'ok' })
    await bench.register.spend({ rootId: run.runId, effectId: id }, { tokens: 1, cost: 0 })
    await bench.register.reserve({ ...share, effectId: `${run.runId}.9` })
    await bench.register.settleBudgets()
    expect((await rows(run)).budget).toMatchObject({ tokens_spent: '1', tokens_held: '0' })
    await holder.query('rollback')
  })
})
