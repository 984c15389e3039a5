/**
 * The rows beside the events of a run, changed by somebody with all rights on the database: the row of the run, which says whose it
 * is and how it ended, and events behind the one that the row says is the last. Would catch: a run that is shown to another tenant or as
 * another end, and an event that the API shows and no verification looks at.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { findEmbedded } from '../src/local/embedded-place.ts'
import { startServer, type TestServer } from './support/server.ts'

let box: TestServer
let admin: pg.Client
const runs: string[] = []
const tables = ['event', 'run'] as const
const Answer = z.object({ run: z.object({ run_id: z.string() }) })
const Verified = z.object({
  ok: z.boolean(),
  runs: z.number(),
  broken: z.array(
    z.object({ run_id: z.string().nullable(), seq: z.number(), part: z.string() }).loose(),
  ),
})

async function ask(assistant_id: string): Promise<void> {
  const response = await fetch(`${box.url}/runs/wait`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ assistant_id, input: 'Go.' }),
  })
  runs.push(Answer.parse(await response.json()).run.run_id)
}

beforeAll(async () => {
  box = await startServer({}, { embedded: true })
  const { url } = await findEmbedded({ cwd: box.dir, env: {}, finish: () => {} })
  admin = new pg.Client(url ?? '')
  await admin.connect()
  await ask('clerk')
  await ask('censored')
  await ask('boss')
  await admin.query('create schema kept')
  for (const table of tables)
    await admin.query(`create table kept.${table} as select * from signalbox.${table}`)
})
afterAll(async () => {
  await admin?.end()
  await box?.stop()
})

/** The words of the check while the change stands. */
async function verified(change: string) {
  await admin.query(`begin; set local session_replication_role = replica; ${change}; commit`)
  try {
    const { code, stdout } = await box.run('audit', 'verify', '--json')
    const exported = await box.run('audit', 'export')
    await writeFile(join(box.dir, 'log'), exported.stdout)
    const file = await box.run('audit', 'verify', '--json', '--file', 'log')
    return {
      code,
      ...Verified.parse(JSON.parse(stdout)),
      file: { code: file.code, ...Verified.parse(JSON.parse(file.stdout)) },
    }
  } finally {
    const back = tables.map(
      (table) =>
        `delete from signalbox.${table}; insert into signalbox.${table} select * from kept.${table}`,
    )
    await admin.query(
      `begin; set local session_replication_role = replica; ${back.join(';')}; commit`,
    )
  }
}

const set = (columns: string, n: number) =>
  `update signalbox.run set ${columns} where id = '${runs[n]}'`

it('nothing is broken in an untouched log with a run that was started by another', async () => {
  // Three that were asked for, the one that the boss started, and the ledger.
  expect(await verified('select 1')).toMatchObject({ code: 0, ok: true, runs: 5, broken: [] })
})

const rows: Readonly<Record<string, () => string>> = {
  'to another tenant': () => set(`tenant_id = 'mallory'`, 0),
  'to another thread': () => set(`thread_id = 'another'`, 0),
  'another end': () => set(`outcome = 'completed'`, 1),
  'another agent': () => set(`agent = 'asker'`, 0),
  'another kind of machine': () => set(`machine = 'ledger'`, 0),
  'a parent': () =>
    set(`parent_id = '${runs[1]}', parent_effect = '${runs[1]}.1', root_id = '${runs[1]}'`, 0),
  'another moment to go on from': () => set(`base_run = '${runs[1]}', base_seq = 3`, 0),
}

it.each(Object.entries(rows))('a row that gives a run %s is named', async (_, change) => {
  const { code, ok, broken } = await verified(change())
  expect({ code, ok }).toEqual({ code: 1, ok: false })
  expect(broken.map(({ part }) => part)).toContain('run_row')
  expect(broken[0]?.run_id).toBe(_ === 'another end' ? runs[1] : runs[0])
})

it('a child that is given to nobody, and an end that was taken away, are named', async () => {
  const orphan = await verified(
    `update signalbox.run set parent_id = null, parent_effect = null, root_id = null where parent_id is not null`,
  )
  expect(orphan).toMatchObject({ code: 1, broken: [{ part: 'run_row' }] })
  const open = await verified(set(`outcome = null, status = 'running', state_name = 'model'`, 0))
  expect(open).toMatchObject({ code: 1, broken: [{ run_id: runs[0], part: 'run_row' }] })
})

it('an event behind the last one that the row knows is named, in the database and in an export', async () => {
  const columns =
    'at, tenant_id, thread_id, type_version, tool, verdict, salt, payload_sha256, digest, hash'
  const stray = `insert into signalbox.event (run_id, seq, gpos, xid, type, actor, key, payload, ${columns})
    select run_id, seq + 1, gpos + 100000, xid, 'approval.answered', 'user:mallory', null, '{}', ${columns}
    from signalbox.event where run_id = '${runs[0]}' order by seq desc limit 1`
  const { rows: last } = await admin.query<{ seq: number }>(
    `select max(seq) as seq from signalbox.event where run_id = '${runs[0]}'`,
  )
  const seq = Number(last[0]?.seq)
  const found = await verified(stray)
  expect(found).toMatchObject({ code: 1, ok: false, broken: [{ run_id: runs[0], seq: seq + 1 }] })
  expect(found.file).toMatchObject({ code: 1, ok: false, broken: [{ run_id: runs[0] }] })
})
