/**
 * What somebody with all rights on the database can do to the log, and what `audit verify` says of it: of the database, and of
 * an export that was made afterwards. Would catch: a change that passes, one that is named wrongly, and an export that proves less
 * than the documentation says.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findEmbedded } from '../src/local/embedded-place.ts'
import { signalbox } from './support/command.ts'
import { startServer, type TestServer } from './support/server.ts'

let box: TestServer
let admin: pg.Client
let dir: string
const runs: string[] = []
const hashes: string[] = []
const tables = ['event', 'run', 'definition', 'blob', 'thread'] as const
/** Longer than an event may hold: it is stored beside the log. */
const long = 'A long story. '.repeat(5_000)

async function ask(assistant_id: string, input: string): Promise<void> {
  const response = await fetch(`${box.url}/runs/wait`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ assistant_id, input }),
  })
  const { run } = await response.json()
  runs.push(run.run_id)
  hashes.push(run.definition_hash)
}

beforeAll(async () => {
  box = await startServer({}, { embedded: true })
  const { url } = await findEmbedded({ cwd: box.dir, env: {}, finish: () => {} })
  admin = new pg.Client(url ?? '')
  await admin.connect()
  await ask('clerk', 'One.')
  await ask('clerk', long)
  await ask('censored', 'Three.')
  // Everything that a change may touch, to be put back.
  await admin.query('create schema kept')
  for (const table of tables)
    await admin.query(`create table kept.${table} as select * from signalbox.${table}`)
  dir = await mkdtemp(join(tmpdir(), 'signalbox-tampering-'))
})
afterAll(async () => {
  await admin?.end()
  await box?.stop()
  if (dir) await rm(dir, { recursive: true, force: true })
})

async function putBack(): Promise<void> {
  await admin.query('begin')
  await admin.query('set local session_replication_role = replica')
  for (const table of tables) {
    await admin.query(`delete from signalbox.${table}`)
    await admin.query(`insert into signalbox.${table} select * from kept.${table}`)
  }
  await admin.query('commit')
}

interface Verified {
  readonly code: number | null
  readonly ok: boolean
  readonly broken: readonly {
    readonly run_id: string | null
    readonly part: string
    readonly seq: number
  }[]
}

const read = ({ code, stdout }: { code: number | null; stdout: string }): Verified => ({
  code,
  ...JSON.parse(stdout),
})

/** What both say while the change stands. */
async function verified(
  change: string,
): Promise<{ database: Verified; file: Verified; text: string }> {
  await admin.query('begin')
  await admin.query('set local session_replication_role = replica')
  await admin.query(change)
  await admin.query('commit')
  try {
    const database = read(await box.run('audit', 'verify', '--json'))
    const { stdout: text } = await box.run('audit', 'export')
    await writeFile(join(dir, 'log'), text)
    const file = read(await signalbox(['audit', 'verify', '--json', '--file', 'log'], { cwd: dir }))
    return { database, file, text }
  } finally {
    await putBack()
  }
}

const of = (n: number, seq: number | string) => `where run_id = '${runs[n]}' and seq = ${seq}`
const last = (n: number) => `(select max(seq) from signalbox.event where run_id = '${runs[n]}')`
const set = (columns: string, n: number, seq: number | string) =>
  `update signalbox.event set ${columns} ${of(n, seq)}`

/** Two events change places: the second takes the columns of the first, and the other way round. */
const swap = (columns: readonly string[]) =>
  `update signalbox.event e set ${columns.map((name) => `${name} = o.${name}`).join(', ')}
   from (select * from signalbox.event where run_id = '${runs[0]}' and seq in (3, 4)) o
   where e.run_id = o.run_id and e.seq + o.seq = 7 and e.seq in (3, 4)`

/** The change, what is broken first, and of which run and event; `file`: what an export shows of it, where that is another thing. */
interface Case {
  readonly change: () => string
  readonly part: string
  readonly run?: number
  readonly seq?: number
  readonly file?: 'nothing'
}

const cases: Readonly<Record<string, Case>> = {
  'payload nulled': { change: () => set('payload = null', 0, 4), part: 'payload', seq: 4 },
  'salt nulled': { change: () => set('salt = null', 0, 4), part: 'payload', seq: 4 },
  'payload and salt nulled': {
    change: () => set('payload = null, salt = null', 0, 4),
    part: 'content_missing',
    seq: 4,
  },
  'payload emptied, salt nulled': {
    change: () => set(`payload = '{}', salt = null`, 0, 4),
    part: 'content_missing',
    seq: 4,
  },
  'payload emptied': { change: () => set(`payload = '{}'`, 0, 4), part: 'payload', seq: 4 },
  'payload edited': {
    change: () => set(`payload = payload || '{"agent": "somebody else"}'`, 0, 1),
    part: 'payload',
    seq: 1,
  },
  'column edited': { change: () => set(`actor = 'mallory'`, 0, 4), part: 'digest', seq: 4 },
  'time edited': { change: () => set(`at = at - interval '1 day'`, 0, 4), part: 'digest', seq: 4 },
  'version edited': { change: () => set('type_version = 2', 0, 4), part: 'digest', seq: 4 },
  'tenant edited': { change: () => set(`tenant_id = 'other'`, 0, 4), part: 'identity', seq: 4 },
  'event deleted': {
    change: () => `delete from signalbox.event ${of(0, 4)}`,
    part: 'sequence',
    seq: 4,
  },
  'events swapped': {
    change: () =>
      swap(
        'at type type_version actor tool verdict key payload salt payload_sha256 digest hash'.split(
          ' ',
        ),
      ),
    part: 'link',
    seq: 3,
  },
  'contents of events swapped': {
    change: () => swap(['payload', 'salt', 'payload_sha256']),
    part: 'digest',
    seq: 3,
  },
  'end cut off': { change: () => `delete from signalbox.event ${of(0, last(0))}`, part: 'head' },
  'all events deleted': {
    change: () => `delete from signalbox.event where run_id = '${runs[0]}'`,
    part: 'head',
    seq: 0,
  },
  'end cut off, and the row told so': {
    change: () => `delete from signalbox.event ${of(0, last(0))};
      update signalbox.run set seq = seq - 1 where id = '${runs[0]}'`,
    part: 'head',
  },
  'row of the run deleted': {
    change: () => `delete from signalbox.run where id = '${runs[0]}'`,
    part: 'run_row',
    seq: 0,
  },
  'definition edited': {
    change: () =>
      `update signalbox.definition set body = jsonb_set(body, '{limits,maxTurns}', '9999') where hash = '${hashes[2]}'`,
    part: 'definition',
    run: 2,
    seq: 1,
  },
  'definition swapped with another': {
    change: () => `update signalbox.definition d set body = o.body from kept.definition o
      where d.hash = '${hashes[2]}' and o.hash = '${hashes[0]}'`,
    part: 'definition',
    run: 2,
    seq: 1,
  },
  'definition deleted': {
    change: () => `delete from signalbox.definition where hash = '${hashes[2]}'`,
    part: 'definition',
    run: 2,
    seq: 1,
  },
  'row pinned to another definition': {
    change: () =>
      `update signalbox.run set definition_hash = '${hashes[0]}' where id = '${runs[2]}'`,
    part: 'definition',
    run: 2,
    seq: 1,
  },
  'row pinned to another version of the machine': {
    change: () => `update signalbox.run set machine_version = 2 where id = '${runs[2]}'`,
    part: 'run_row',
    run: 2,
    seq: 1,
    file: 'nothing',
  },
  'blob edited': {
    change: () =>
      `update signalbox.blob set bytes = 'another story' where octet_length(bytes) > 1000`,
    part: 'blob',
    run: 1,
    seq: 1,
  },
  'blob deleted': {
    change: () => `delete from signalbox.blob where octet_length(bytes) > 1000`,
    part: 'blob',
    run: 1,
    seq: 1,
  },
  'key of the thread replaced': {
    change: () => `update signalbox.thread set content_key = decode(repeat('ab', 32), 'hex')`,
    part: 'blob',
    run: 1,
    seq: 1,
  },
  'key of the thread deleted': {
    change: () => `delete from signalbox.thread`,
    part: 'thread_key',
    run: 1,
    seq: 1,
  },
}

it('nothing is broken in an untouched log, and the export holds what is needed to see that', async () => {
  const { database, file, text } = await verified('select 1')
  expect(database).toMatchObject({ code: 0, ok: true, runs: 4, broken: [] })
  expect(file).toMatchObject({ code: 0, ok: true, runs: 4, without_head: 0, without_contents: 0 })
  // The long story is in it, so that its digest can be computed elsewhere.
  expect(text).toContain(Buffer.from(long).toString('base64').slice(0, 60))
})

it.each(Object.entries(cases))(
  '%s: it is named, in the database and in an export',
  async (_, each) => {
    const { change, part, run = 0, seq, file: shown } = each
    const { database, file } = await verified(change())
    const broken = { run_id: runs[run], part, ...(seq === undefined ? {} : { seq }) }
    expect(database).toMatchObject({ code: 1, ok: false })
    expect(database.broken[0]).toMatchObject(broken)
    const inFile = shown === 'nothing' ? [] : [broken]
    expect(file).toMatchObject({ code: inFile.length, ok: inFile.length === 0 })
    expect(file.broken.slice(0, 1)).toMatchObject(inFile)
  },
)

it('an erasure that the log records is accepted, in the database and in an export', async () => {
  const { rows } = await admin.query(`select * from signalbox.event ${of(0, last(0))}`)
  const [before] = rows
  const salt = Buffer.alloc(16, 7)
  const payload = { seq: 4, reason: 'a person asked for it' }
  const record = linked(before, { type: 'payload.erased', actor: 'user:admin', payload, salt })
  const columns = Object.keys(record).join(', ')
  const insert = `insert into signalbox.event (${columns}) select ${columns}
    from jsonb_populate_record(null::signalbox.event, '${JSON.stringify(record)}')`
  const { database, file } = await verified(`${insert};
    ${set('payload = null, salt = null', 0, 4)};
    update signalbox.run set seq = ${record.seq}, head_hash = '${record.hash}' where id = '${runs[0]}'`)
  expect(database).toMatchObject({ code: 0, ok: true, erased: 1, broken: [] })
  expect(file).toMatchObject({ code: 0, ok: true, erased: 1, broken: [] })
})

it('a run that was written anew with its head passes; an older export has other hashes', async () => {
  const older = (await box.run('audit', 'export')).stdout
  const { rows } = await admin.query(
    `select * from signalbox.event where run_id = '${runs[2]}' order by seq`,
  )
  const rewritten: Linked[] = []
  for (const event of rows) {
    const { type, actor, salt } = event
    const payload =
      event.seq === 1 ? { ...event.payload, metadata: { forged: true } } : event.payload
    rewritten.push(linked(rewritten.at(-1) ?? null, { type, actor, payload, salt }, event))
  }
  const updates = rewritten.map(
    ({ seq, payload, payload_sha256, digest, hash }) =>
      `update signalbox.event set payload = '${JSON.stringify(payload).replaceAll("'", "''")}',
         payload_sha256 = '${payload_sha256}', digest = '${digest}', hash = '${hash}' ${of(2, seq)}`,
  )
  const { database, file, text } = await verified(
    `${updates.join(';')}; update signalbox.run set head_hash = '${rewritten.at(-1)?.hash}' where id = '${runs[2]}'`,
  )
  expect(database).toMatchObject({ ok: true })
  expect(file).toMatchObject({ ok: true })
  const headIn = (log: string) =>
    log.split('\n').find((line) => line.includes('"head"') && line.includes(String(runs[2])))
  expect(headIn(older)).toBeDefined()
  expect(headIn(text)).not.toBe(headIn(older))
})

interface Linked extends Record<string, unknown> {
  readonly seq: number
  readonly payload: object
  readonly payload_sha256: string
  readonly digest: string
  readonly hash: string
}

const sha256 = (...parts: readonly (Buffer | string)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest()
const bytea = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`
const fromBytea = (text: unknown): Buffer =>
  Buffer.isBuffer(text) ? text : Buffer.from(String(text).slice(2), 'hex')

const netstring = (text: unknown): string =>
  typeof text === 'string' ? `${Buffer.byteLength(text)}:${text},` : '-,'

/** The chain by the words of docs/audit.md: an event behind another one, or, with `as`, in the place of a stored one. */
function linked(
  before: Readonly<Record<string, unknown>> | null,
  what: { type: string; actor: string; payload: object; salt: Buffer },
  as: Readonly<Record<string, unknown>> | null = null,
): Linked {
  const from = as ?? before ?? {}
  const seq = as ? Number(as['seq']) : Number(from['seq']) + 1
  const at = new Date(String(from['at'] instanceof Date ? from['at'].toISOString() : from['at']))
  const payload_sha256 = sha256(what.salt, canonicalize(what.payload) ?? '')
  const columns = [
    what.type,
    String(as ? Number(as['type_version']) : 1),
    String(at.getTime()),
    what.actor,
    as ? as['tool'] : null,
    as ? as['verdict'] : null,
    as ? as['key'] : null,
    from['thread_id'],
    payload_sha256.toString('hex'),
  ]
  const digest = sha256(columns.map(netstring).join(''))
  const position = Buffer.alloc(8)
  position.writeBigInt64BE(BigInt(seq))
  const tenant = String(from['tenant_id'])
  const previous = before
    ? fromBytea(before['hash'])
    : sha256(`signalbox.v1\0${tenant}\0${String(from['run_id'])}`)
  return {
    ...from,
    seq,
    gpos: Number(from['gpos']) + (as ? 0 : 1),
    at: at.toISOString(),
    type: what.type,
    type_version: as ? as['type_version'] : 1,
    actor: what.actor,
    tool: as ? as['tool'] : null,
    verdict: as ? as['verdict'] : null,
    key: as ? as['key'] : null,
    payload: what.payload,
    salt: bytea(what.salt),
    payload_sha256: bytea(payload_sha256),
    digest: bytea(digest),
    hash: bytea(sha256(previous, position, digest)),
  }
}
