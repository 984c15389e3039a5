/**
 * The restore of docs/operations.md, against a database in the state that a dump leaves in a younger cluster. Would catch:
 * a feed that stays empty, or one that comes back in another order.
 */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openSandbox, type Sandbox } from './sandbox.ts'

const Feed = z.object({ events: z.array(z.object({ run_id: z.string(), seq: z.number() })) })

let sandbox: Sandbox
let admin: pg.Client

beforeAll(async () => {
  sandbox = await openSandbox({ server: 'assistant.config.ts', database: true })
  admin = new pg.Client(sandbox.databaseUrl ?? '')
  await admin.connect()
}, 180_000)

afterAll(async () => {
  await admin?.end()
  await sandbox?.close()
}, 60_000)

const feed = async () => Feed.parse(await (await fetch(`${sandbox.url}/events`)).json()).events

const invisible = async (): Promise<number> => {
  const { rows } = await admin.query<{ invisible: string }>(
    'select count(*) as invisible from signalbox.event where xid >= pg_snapshot_xmin(pg_current_snapshot())',
  )
  return Number(rows[0]?.invisible)
}

/** The feed waits for whoever writes at the moment, such as the reconciler. */
const allVisible = async (): Promise<void> => {
  await expect.poll(invisible, { timeout: 30_000 }).toBe(0)
}

describe('a dump restored into a younger cluster', () => {
  it('has a feed that shows nothing, until the page has been followed', async () => {
    for (const input of ['one', 'two']) {
      const body = JSON.stringify({ assistant_id: 'assistant', input })
      const headers = { 'content-type': 'application/json' }
      await (await fetch(`${sandbox.url}/runs/wait`, { method: 'POST', body, headers })).text()
    }
    await allVisible()
    const before = await feed()
    expect(before.length).toBeGreaterThanOrEqual(24)

    // The older cluster had counted much further.
    await admin.query(`update signalbox.event set xid = (xid::text::bigint + 1000000)::text::xid8`)
    expect(await feed()).toEqual([])
    expect(await invisible()).toBe(before.length)

    const repaired = await sandbox.shell.run('npx signalbox migrate --restored')
    expect(repaired).toMatchObject({ exit: 0 })
    await allVisible()
    expect(await feed()).toEqual(before)
    const verified = await sandbox.shell.run('npx signalbox audit verify')
    expect(verified).toMatchObject({ exit: 0 })
  })
})
