/** Children and their parents, written by many at once: nobody waits for ever, and no child comes after the cancel (I14). */
import type { AppendItem } from '@signalbox/engine'
import pg from 'pg'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createRegister } from '../src/register/register.ts'
import { about, birth, fact, newRun, type RunIds } from './support/drafts.ts'
import { useRegister } from './support/register.ts'
import { running, withStart } from './support/stories.ts'

const bench = useRegister()
const clients: pg.Client[] = []

beforeAll(async () => {
  for (let n = 0; n < 12; n += 1) {
    const client = new pg.Client(bench.database.engineUrl)
    await client.connect()
    clients.push(client)
  }
})
afterAll(() => Promise.all(clients.map((client) => client.end())))

const cancel = fact('cancel.requested', 'cancel')

function shuffled<T>(all: readonly T[]): T[] {
  return all
    .map((one) => ({ one, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one)
}

/** Sends a batch past the batcher, which would hide a deadlock: it repeats what failed. */
async function send(client: pg.Client | undefined, items: readonly AppendItem[]) {
  const sorted = items.toSorted((a, b) => (a.runId < b.runId ? -1 : 1))
  const result = await client?.query<{ answers: { code: string }[] }>(
    'select signalbox.append($1) as answers',
    [JSON.stringify(sorted)],
  )
  return result?.rows[0]?.answers ?? []
}

it('batches of births and appends to their parents, crosswise, never deadlock', async () => {
  // Half of the children have ids smaller than their parents’: clocks of those who mint them differ.
  const elders = Array.from({ length: 600 }, () => newRun())
  const parents: RunIds[] = []
  for (let n = 0; n < 24; n += 1) parents.push(await running(bench))
  const codes: string[] = []
  const failures: string[] = []
  const write = async (client: pg.Client): Promise<void> => {
    for (let n = 0; n < 25; n += 1) {
      const [some, others] = [shuffled(parents).slice(0, 6), shuffled(parents).slice(0, 6)]
      const births = some.map((parent, k) =>
        birth((k % 2 === 0 ? elders.pop() : undefined) ?? newRun(), parent),
      )
      const appends = others.map((run) => ({ ...about(run), facts: [fact('x.done')] }))
      // Every third batch names no parent, and locks its runs one after the other.
      await send(client, n % 3 === 0 ? appends : [...births, ...appends]).then(
        (answers) => codes.push(...answers.map(({ code }) => code)),
        (error: unknown) =>
          failures.push(error instanceof pg.DatabaseError ? `${error.code}` : String(error)),
      )
    }
  }
  await Promise.all(clients.map(write))
  expect(failures).toEqual([])
  expect(codes).toHaveLength(12 * (9 * 6 + 16 * 12))
  expect(new Set(codes)).toEqual(new Set(['ok']))
})

async function waits(): Promise<void> {
  await vi.waitFor(async () => {
    const { rowCount } =
      (await clients[11]?.query(
        `select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      )) ?? {}
    expect(rowCount).toBe(1)
  }, 30_000)
}

it('a birth waits for a cancel that is being written, and is refused', async () => {
  const [writer, other] = clients
  const { run } = await withStart(bench)
  await writer?.query('begin')
  await send(writer, [{ ...about(run), facts: [cancel] }])
  const child = newRun()
  const answers = send(other, [birth(child, run)])
  await waits()
  await writer?.query('commit')
  expect(await answers).toMatchObject([{ code: 'no_parent' }])
  expect(await bench.register.children(run.runId)).toEqual([])
})

it('a cancel waits for a birth that is being written, and leaves an orphan', async () => {
  const [writer, other] = clients
  const { run } = await withStart(bench)
  const child = newRun()
  await writer?.query('begin')
  await send(writer, [birth(child, run)])
  const answers = send(other, [{ ...about(run), facts: [cancel] }])
  await waits()
  await writer?.query('commit')
  expect(await answers).toMatchObject([{ code: 'ok', factCodes: ['ok'] }])
  const orphans = await bench.register.orphans(1000)
  expect(orphans.some(({ runId }) => runId === child.runId)).toBe(true)
})

it('no child appears after the cancel of its parent was acknowledged, in any race', async () => {
  const registers = Array.from({ length: 6 }, () =>
    createRegister({ engineUrl: bench.database.engineUrl, batch: { maxItems: 1 } }),
  )
  const seen = new Set<string>()
  for (let round = 0; round < 40; round += 1) {
    const { run } = await withStart(bench)
    const births = [...registers, ...registers].map((register) =>
      register.append(birth(newRun(), run)),
    )
    await bench.register.append({ ...about(run), facts: [cancel] })
    const before = await bench.register.children(run.runId)
    const results = await Promise.all(births)
    for (const { code } of results) seen.add(code)
    expect(await bench.register.children(run.runId)).toEqual(before)
    expect(results.filter(({ code }) => code === 'ok')).toHaveLength(before.length)
  }
  expect(seen).toEqual(new Set(['ok', 'no_parent']))
  await Promise.all(registers.map((register) => register.close()))
})
