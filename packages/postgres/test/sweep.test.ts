/** Retention: what runs that ended long ago have left beside their log. */
import pg from 'pg'
import { expect, it } from 'vitest'
import {
  about,
  admission,
  creation,
  event,
  fact,
  finalDecision,
  newRun,
  type RunIds,
  toolEffect,
  uuid7,
  webhookEffect,
} from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()

async function ask<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

const sweep = async (days: number, most = 1000): Promise<number | undefined> => {
  const call = `select signalbox.sweep_ended(interval '${days} days', ${most}) as gone`
  const [row] = await ask<{ gone: number }>(bench.database.maintenanceUrl, call)
  return row?.gone
}

/** The same id, from forty days before. */
const oldRun = (): RunIds => {
  const id = uuid7()
  const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) - 40 * 86_400_000
  const hex = ms.toString(16).padStart(12, '0')
  return newRun({ runId: `${hex.slice(0, 8)}-${hex.slice(8)}${id.slice(13)}` })
}

/** A run with a call, an approval, a webhook and an alias, its last word so many days ago. */
async function storied(run: RunIds, { ended, days }: { ended: boolean; days: number }) {
  const { register } = bench
  const alias = { key: `key-${run.runId}`, bodyHash: 'b' }
  const asked = event('approval.requested', { payload: { approvalId: 'a', callId: 'c' } })
  const item = admission(run, { effects: [toolEffect(run, 1), webhookEffect(run, 2)] })
  const create = creation(run, { alias }).create
  if (!item.decision || !create) throw new Error('no decision')
  const events = [...item.decision.events, asked]
  await register.append({ ...item, create, decision: { ...item.decision, events } })
  await register.append({ ...about(run), facts: [fact('a.done')] })
  if (ended) await register.append({ ...about(run), decision: finalDecision(2, 5) })
  const aged = `update signalbox.run set updated_at = now() - interval '${days} days' where id = '${run.runId}'`
  await ask(bench.database.adminUrl, aged)
}

it('removes what runs that ended long ago have left, and nothing else', async () => {
  const [old, recent, open, young] = [oldRun(), oldRun(), oldRun(), newRun()]
  await storied(old, { ended: true, days: 35 })
  await storied(recent, { ended: true, days: 3 })
  await storied(open, { ended: false, days: 35 })
  await storied(young, { ended: true, days: 0 })
  // The call, the approval and the alias; the webhook is not delivered yet.
  expect(await sweep(30)).toBe(3)
  expect(await sweep(30)).toBe(0)
  const { register } = bench
  expect(await register.effect(`${old.runId}.1`)).toBeNull()
  expect((await register.effect(`${old.runId}.2`))?.status).toBe('pending')
  expect((await register.events(old.runId, {})).length).toBe(6)
  expect((await register.head(old.runId))?.outcome).toBe('completed')
  for (const run of [recent, open, young])
    expect(await register.effect(`${run.runId}.1`)).not.toBeNull()
  // A key that is known still answers its run; one that is gone makes a new one.
  const again = (run: RunIds) =>
    register.append(creation(newRun(), { alias: { key: `key-${run.runId}`, bodyHash: 'b' } }))
  expect(await again(recent)).toMatchObject({ code: 'exists', runId: recent.runId })
  expect((await again(old)).code).toBe('ok')
})

it('takes at least a day, a number of rows, and only the role for it', async () => {
  await expect(sweep(0)).rejects.toThrow(/at least a day/)
  await expect(sweep(1, 0)).rejects.toThrow(/1 to 100000 rows/)
  const call = "select signalbox.sweep_ended(interval '30 days', 1)"
  for (const url of [bench.database.appUrl, bench.database.engineUrl])
    await expect(ask(url, call)).rejects.toThrow(/permission denied/)
})
