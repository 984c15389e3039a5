/** Commands that read the register themselves: audit, replay, migrate, doctor. Tampering is real, by the superuser. */
import { createHash, createHmac } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { findEmbedded } from '../src/local/embedded-place.ts'
import { signalbox } from './support/command.ts'
import { startServer, type TestServer } from './support/server.ts'

let box: TestServer
let admin: pg.Client
let adminUrl: string
const runs: string[] = []
const Answer = z.object({ run: z.object({ run_id: z.string() }) })

beforeAll(async () => {
  box = await startServer({}, { embedded: true })
  const { url } = await findEmbedded({ cwd: box.dir, env: {}, finish: () => {} })
  adminUrl = url ?? ''
  admin = new pg.Client(adminUrl)
  await admin.connect()
  for (const input of ['One.', 'Two.', 'Three.']) {
    const response = await fetch(`${box.url}/runs/wait`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `key-${runs.length}` },
      body: JSON.stringify({ assistant_id: 'clerk', input }),
    })
    runs.push(Answer.parse(await response.json()).run.run_id)
  }
})
afterAll(async () => {
  await admin?.end()
  await box?.stop()
})

/** Changes the register, asks, and changes it back. */
async function tampered<T>(change: string, back: string, ask: () => Promise<T>): Promise<T> {
  await admin.query(change)
  try {
    return await ask()
  } finally {
    await admin.query(back)
  }
}

const verify = async (...args: readonly string[]) => {
  const { code, stdout } = await box.run('audit', 'verify', '--json', ...args)
  return { code, ...JSON.parse(stdout) }
}

describe('audit digest', () => {
  it('is what runs of the tenant know arguments by, and no other tenant has it', async () => {
    const { rows } = await admin.query<{ key: Buffer }>(
      "select key from signalbox.digest_key where tenant_id = 'default'",
    )
    const sha256 = createHash('sha256').update('{"amount":2000,"to":"Ada"}').digest('hex')
    const keyed = createHmac('sha256', rows[0]?.key ?? '')
      .update(sha256)
      .digest('hex')
    const said = await box.run('audit', 'digest', '{ "to": "Ada", "amount": 2e3 }', '--json')
    expect(said.code).toBe(0)
    expect(JSON.parse(said.stdout)).toEqual({
      tenant: 'default',
      args_hash: `hk1:${keyed}`,
      sha256,
    })
    const none = await box.run('audit', 'digest', '{}', '--tenant', 'nobody')
    expect(none).toMatchObject({ code: 4, stderr: expect.stringContaining('[no_digest_key]') })
    const { rows: keys } = await admin.query('select from signalbox.digest_key')
    expect(keys).toHaveLength(1)
  })

  it.each(['[1]', '{', '{"a":1,"a":2}'])('takes no %s', async (written) => {
    const said = await box.run('audit', 'digest', written)
    expect(said).toMatchObject({ code: 2, stderr: expect.stringContaining('object of JSON') })
  })
})

describe('audit verify', () => {
  it('finds an untouched log whole, in the database that a server runs', async () => {
    const { code, stdout } = await box.run('audit', 'verify')
    expect(code).toBe(0)
    expect(stdout).toContain(`on the server of process ${process.pid}`)
    // Three runs, and the ledger of the month.
    expect(stdout).toMatch(/\nRuns: 4, events: \d+\.\nEvery chain holds\.\n$/)
  })

  it('checks one run, by its id or its key, and says if there is none', async () => {
    const [one, none] = await Promise.all([
      verify('--run', 'key-1'),
      box.run('audit', 'verify', '--run', 'no-such-run'),
    ])
    expect(one).toMatchObject({ code: 0, ok: true, runs: 1, broken: [] })
    expect(none).toMatchObject({ code: 4, stderr: expect.stringContaining('[unknown_run]') })
  })

  it('names the run, the event and the part that was changed', async () => {
    const at = `where run_id = '${runs[1]}' and seq = 4`
    const edited = await tampered(
      `update signalbox.event set actor = 'mallory' ${at}`,
      `update signalbox.event set actor = (select actor from signalbox.event where run_id = '${runs[0]}' and seq = 4) ${at}`,
      () => box.run('audit', 'verify'),
    )
    expect(edited.code).toBe(1)
    expect(edited.stdout).toContain(`broken  ${runs[1]}  #4  digest: a column is not`)
  })

  it('finds content that is gone without a record, in the database and in an export', async () => {
    const at = `where run_id = '${runs[0]}' and seq = 1`
    const dir = await mkdtemp(join(tmpdir(), 'signalbox-gone-'))
    await admin.query(`create table content as select * from signalbox.event ${at}`)
    const [stored, exported] = await tampered(
      `update signalbox.event set payload = null, salt = null ${at}`,
      `update signalbox.event e set payload = c.payload, salt = c.salt from content c where e.run_id = c.run_id and e.seq = c.seq`,
      async () => [await verify(), await box.run('audit', 'export')] as const,
    )
    const broken = [{ run_id: runs[0], seq: 1, part: 'content_missing' }]
    expect(stored).toMatchObject({ code: 1, ok: false, broken })
    await writeFile(join(dir, 'log'), exported.stdout)
    const file = await signalbox(['audit', 'verify', '--json', '--file', 'log'], { cwd: dir })
    await rm(dir, { recursive: true, force: true })
    expect(file.code).toBe(1)
    expect(JSON.parse(file.stdout)).toMatchObject({ ok: false, broken })
  })

  it('finds a changed content, a run cut short and a run whose row is gone', async () => {
    const last = `(select max(seq) from signalbox.event where run_id = '${runs[2]}')`
    const content = await tampered(
      `update signalbox.event set payload = payload || '{"x":1}' where run_id = '${runs[0]}' and seq = 1`,
      `update signalbox.event set payload = payload - 'x' where run_id = '${runs[0]}' and seq = 1`,
      verify,
    )
    expect(content.broken).toEqual([{ run_id: runs[0], seq: 1, part: 'payload' }])
    await admin.query(
      `create table kept as select * from signalbox.event where run_id = '${runs[2]}' and seq = ${last}`,
    )
    const cut = await tampered(
      `delete from signalbox.event where run_id = '${runs[2]}' and seq = ${last}`,
      'insert into signalbox.event select * from kept',
      verify,
    )
    expect(cut.broken).toMatchObject([{ run_id: runs[2], part: 'head' }])
    const row = await tampered(
      `create table gone as select * from signalbox.run where id = '${runs[0]}'; delete from signalbox.run where id = '${runs[0]}'`,
      'insert into signalbox.run select * from gone',
      verify,
    )
    expect(row.broken).toEqual([{ run_id: runs[0], seq: 0, part: 'run_row' }])
    expect((await verify()).ok).toBe(true)
  })

  it('verifies an export elsewhere, and finds what was changed in it', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'signalbox-export-'))
    try {
      const { stdout } = await box.run('audit', 'export')
      const events = stdout.split('\n')
      const files: Readonly<Record<string, string>> = {
        whole: stdout,
        edited: stdout.replace('"text":"One."', '"text":"Won."'),
        shortened: events
          .filter((line) => !line.includes(`"${runs[1]}"`) || !line.includes('"seq":3,'))
          .join('\n'),
        foreign: '{"run_id":"x","seq":1}\n',
      }
      for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text)
      const ask = (name: string) =>
        signalbox(['audit', 'verify', '--json', '--file', name], { cwd: dir })
      const [whole, edited, shortened, foreign, missing] = await Promise.all(
        ['whole', 'edited', 'shortened', 'foreign', 'missing'].map(ask),
      )
      expect(JSON.parse(whole?.stdout ?? '')).toMatchObject({ ok: true, runs: 4, without_head: 0 })
      expect(JSON.parse(edited?.stdout ?? '')).toMatchObject({
        broken: [{ run_id: runs[0], seq: 1, part: 'payload' }],
      })
      expect(edited?.code).toBe(1)
      expect(JSON.parse(shortened?.stdout ?? '')).toMatchObject({
        broken: [{ run_id: runs[1], seq: 3, part: 'sequence' }],
      })
      expect(foreign).toMatchObject({ code: 2, stderr: expect.stringContaining('audit export') })
      expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be read') })
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  })
})

describe('replay', () => {
  it('decides a run again, to the same end, and shows its states', async () => {
    const { code, stdout } = await box.run('replay', 'key-0')
    expect(code).toBe(0)
    expect(stdout).toContain(
      'queued → model → safety → guardrail → tools → loop → model → safety → completed',
    )
    expect(stdout).toContain("Today's code decides the same.")
  })

  it('says what was decided differently, and of a cached state that is not the log', async () => {
    const where = `where run_id = '${runs[0]}' and type = 'run.transitioned' and payload ->> 'outcome' = 'completed'`
    const differs = await tampered(
      `update signalbox.event set payload = jsonb_set(payload, '{outcome}', '"refused"') ${where}`,
      `update signalbox.event set payload = jsonb_set(payload, '{outcome}', '"completed"') ${where.replace("'completed'", "'refused'")}`,
      () => box.run('replay', runs[0] ?? ''),
    )
    expect(differs.code).toBe(1)
    expect(differs.stdout).toContain('outcome: stored "refused", today "completed"')
    const state = `update signalbox.run set state = jsonb_set(state, '{name}', `
    const cached = await tampered(
      `${state}'"failed"') where id = '${runs[0]}'`,
      `${state}'"completed"') where id = '${runs[0]}'`,
      () => box.json('replay', runs[0] ?? ''),
    )
    expect(cached).toMatchObject({ ok: false, cached_state_holds: false, differences: [] })
  })

  it('decides by the version the run is pinned to, and says so where the build does not know it', async () => {
    const known = await box.json('replay', runs[0] ?? '')
    expect(known).toMatchObject({ ok: true, machine_version: 1 })
    const pinned = (version: number) =>
      `update signalbox.run set machine_version = ${version} where id = '${runs[0]}'`
    const { code, stderr } = await tampered(pinned(9), pinned(1), () =>
      box.run('replay', runs[0] ?? ''),
    )
    expect(code).toBe(1)
    expect(stderr).toContain('unknown_machine')
    expect(stderr).toContain('version 9 of the machine; this build knows 1')
  })
})

describe('migrate', () => {
  it('makes the schema in an empty database, once', async () => {
    await admin.query('create database fresh')
    const env = { DATABASE_URL: adminUrl.replace(/postgres$/, 'fresh') }
    const ask = () => signalbox(['migrate', '--json'], { cwd: box.dir, env })
    const first = JSON.parse((await ask()).stdout)
    expect(first.applied).toEqual(['0001_register.sql'])
    expect(JSON.parse((await ask()).stdout)).toEqual({
      version: first.version,
      applied: [],
      unknown: [],
      feedIsAhead: false,
    })
    const none = await signalbox(['audit', 'verify'], { cwd: box.dir, env })
    expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining('Runs: 0, events: 0') })
  })
})

describe('a register that was restored into a younger cluster', () => {
  it('is found by doctor, and repaired by migrate --restored, as often as one likes', async () => {
    const audited = async () =>
      JSON.parse(await (await fetch(`${box.url}/events?type=run.created`)).text()).events.length
    const doctor = async () => {
      const { findings } = JSON.parse((await box.run('doctor', '--json')).stdout)
      return findings.find((each: { check: string }) => each.check === 'feed')
    }
    expect(await doctor()).toMatchObject({ status: 'ok' })
    await admin.query('update signalbox.event set xid = (xid::text::bigint + 1000000)::text::xid8')
    expect(await audited()).toBe(0)
    expect(await doctor()).toMatchObject({
      status: 'fail',
      fix: expect.stringContaining('signalbox migrate --restored'),
    })
    const repair = () =>
      signalbox(['migrate', '--restored', '--json'], { cwd: box.dir, env: box.env })
    const first = await repair()
    expect(first).toMatchObject({ code: 0 })
    expect(JSON.parse(first.stdout)).toMatchObject({
      feedIsAhead: false,
      restored: { stretches: 0 },
    })
    expect(JSON.parse(first.stdout).restored.moved).toBeGreaterThan(0)
    expect(await audited()).toBeGreaterThan(0)
    expect(JSON.parse((await repair()).stdout)).toMatchObject({ restored: { moved: 0 } })
    expect(await doctor()).toMatchObject({ status: 'ok' })
    expect((await box.run('audit', 'verify')).code).toBe(0)
  })
})

describe('doctor', () => {
  it('finds everything where a server runs, and names what is missing', async () => {
    await writeFile(
      join(box.dir, 'signalbox.config.json'),
      JSON.stringify({
        agents: { writer: { model: { provider: 'openai', model: 'gpt' } } },
        mcpServers: { gone: { command: 'no-such-program' } },
      }),
    )
    const { code, stdout } = await box.run('doctor', '--json')
    const { findings } = JSON.parse(stdout)
    const of = (check: string) => findings.find((each: { check: string }) => each.check === check)
    expect(code).toBe(1)
    const fix = 'export OPENAI_API_KEY=…, or put that into the file .env'
    expect(of('agent writer')).toMatchObject({ status: 'fail', fix })
    expect(of('mcp gone')).toMatchObject({ status: 'fail' })
    expect(of('data')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining(`${process.pid}`),
    })
    expect(of('postgres')).toMatchObject({ status: 'ok', message: expect.stringMatching(/^18/) })
    for (const check of ['schema', 'writes', 'feed'])
      expect(of(check)).toMatchObject({ status: 'ok' })
    expect(of('server')).toMatchObject({ status: 'ok', message: expect.stringContaining(box.url) })
  })

  it('says what is not there', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'signalbox-doctor-'))
    const env = {
      DATABASE_URL: 'postgresql://me:secret@127.0.0.1:9/none',
      REDIS_URL: 'redis://127.0.0.1:9',
      SIGNALBOX_URL: 'http://127.0.0.1:9',
    }
    const { code, stdout } = await signalbox(['doctor'], { cwd: dir, env })
    await rm(dir, { recursive: true })
    expect(code).toBe(1)
    for (const check of ['configuration', 'postgres', 'redis', 'server'])
      expect(stdout).toMatch(new RegExp(`^fail  ${check} `, 'm'))
    expect(stdout).toContain('→ npx signalbox init')
    expect(stdout).not.toContain('secret')
  })
})
