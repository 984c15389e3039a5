/**
 * Bad input on uploads (issue 12; context-systems §6). Would catch: half of a request that is there, a refusal that its client never hears of, a
 * form of a foreign page that is let in.
 */
import { connect } from 'node:net'
import type { Script } from '@signalbox/models'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import { type Answer, call, eventually } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const says: Script = () => ({ text: 'Yes.' })
const mib = 1024 * 1024

let database: TestDatabase
let box: TestSignalbox
let sql: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  box = await startTest(
    { agents: { clerk: { model: { provider: 'scripted', model: 'says' } } }, scripts: { says } },
    { env: { DATABASE_URL: database.adminUrl } },
  )
  sql = new pg.Client({ connectionString: database.adminUrl })
  await sql.connect()
  await call(box.api, 'POST', '/threads', { body: { thread_id: 'bad' } })
})

afterAll(async () => {
  await sql?.end()
  await box?.stop()
  await database?.drop()
})

/** A body that is made while it is sent. */
interface Made {
  readonly parts: readonly (readonly [disposition: string, bytes: number])[]
  readonly end?: string
}

async function* bodyOf({ parts, end = '\r\n--B--\r\n' }: Made): AsyncGenerator<Uint8Array> {
  for (const [disposition, bytes] of parts) {
    yield Buffer.from(`\r\n--B\r\nContent-Disposition: ${disposition}\r\n\r\n`)
    const piece = Buffer.alloc(64 * 1024, 0x61)
    for (let left = bytes; left > 0; left -= piece.length)
      yield piece.subarray(0, Math.min(left, piece.length))
  }
  yield Buffer.from(end)
}

const file = (name: string): string => `form-data; name="files"; filename="${name}"`

async function send(made: Made, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const pieces = bodyOf(made)
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const next = await pieces.next()
      if (next.done === true) controller.close()
      else controller.enqueue(new Uint8Array(next.value))
    },
  })
  const type = { 'content-type': 'multipart/form-data; boundary=B' }
  const init = { method: 'POST', headers: { ...type, ...headers }, body, duplex: 'half' }
  const sent = await fetch(`${box.api}/threads/bad/uploads`, init)
  return { status: sent.status, headers: sent.headers, body: await sent.json() }
}

/** The answer to a client that reads nothing before it has sent a whole body of this many bytes. */
async function sendFirst(
  request: string,
  headers: Readonly<Record<string, string>>,
  bytes: number,
): Promise<string> {
  const { port, hostname } = new URL(box.api)
  const socket = connect({ port: Number(port), host: hostname })
  socket.pause()
  const chunked = 'transfer-encoding' in headers
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const write = (data: string | Uint8Array) =>
    new Promise<void>((resolve, reject) =>
      socket.write(data, (error) => (error ? reject(error) : resolve())),
    )
  await write([`${request} HTTP/1.1`, `host: ${hostname}:${port}`, ...lines, '', ''].join('\r\n'))
  const piece = Buffer.alloc(64 * 1024, 0x61)
  for (let sent = 0; sent < bytes; sent += piece.length) {
    if (chunked) await write(`${piece.length.toString(16)}\r\n`)
    await write(piece)
    if (chunked) await write('\r\n')
  }
  if (chunked) await write('0\r\n\r\n')
  const answered: Buffer[] = []
  for await (const chunk of socket) answered.push(chunk)
  return Buffer.concat(answered).toString()
}

const left = async (): Promise<unknown> => {
  const { rows } = await sql.query(
    'select (select count(*)::int from signalbox.upload) as uploads, (select count(*)::int from signalbox.upload_part) as parts',
  )
  return rows[0]
}

const nothing = { uploads: 0, parts: 0 }

describe('an upload that cannot be taken leaves nothing (all or none)', () => {
  it.each([
    [
      'a name with a control character',
      {
        parts: [
          [file('a.txt'), 3],
          [file('b\u0001'), 3],
        ],
      },
      422,
      'bad_file_name',
      'files[1].filename',
    ],
    [
      'the name of a device',
      { parts: [[file('CON'), 3]] },
      422,
      'bad_file_name',
      'files[0].filename',
    ],
    [
      'a name of 300 characters',
      { parts: [[file('n'.repeat(300)), 3]] },
      422,
      'bad_file_name',
      'files[0].filename',
    ],
    [
      'a right-to-left mark',
      { parts: [[file('a\u202etxt.exe'), 3]] },
      422,
      'bad_file_name',
      'files[0].filename',
    ],
    [
      'a part that is no file',
      {
        parts: [
          [file('a.txt'), 3],
          ['form-data; name="x"', 3],
        ],
      },
      422,
      'bad_file_name',
      'files[1].filename',
    ],
    [
      '20 files',
      { parts: Array.from({ length: 20 }, (_, n) => [file(`${n}.txt`), 3]) },
      422,
      'invalid_request',
      'files',
    ],
    ['no file', { parts: [], end: '\r\n--B--' }, 422, 'invalid_request', 'files'],
    [
      'a file over 16 MiB',
      {
        parts: [
          [file('a.txt'), 3],
          [file('b.txt'), 16 * mib + 1],
        ],
      },
      413,
      'file_too_large',
      'files[1]',
    ],
    [
      'more than 100 MiB',
      { parts: Array.from({ length: 7 }, (_, n) => [file(`${n}.txt`), 15 * mib]) },
      413,
      'file_too_large',
      'files[6]',
    ],
    [
      'a body that ends in the middle',
      {
        parts: [
          [file('a.txt'), 3],
          [file('b.txt'), mib],
        ],
        end: '',
      },
      400,
      'malformed_multipart',
      undefined,
    ],
    [
      'a part without a disposition',
      { parts: [['attachment', 3]] },
      400,
      'malformed_multipart',
      undefined,
    ],
  ] satisfies readonly (readonly [string, Made, number, string, string | undefined])[])(
    '%s',
    async (_, made, status, code, field) => {
      const answer = await send(made)
      expect(answer).toMatchObject({ status, body: { code, ...(field ? { field } : {}) } })
      expect(await left()).toEqual(nothing)
    },
  )

  it.each([
    ['that says so', { 'content-length': String(40 * mib) }],
    ['that does not say how long it is', { 'transfer-encoding': 'chunked' }],
  ])('a file over 16 MiB by PUT, %s: a client that listens last hears it', async (_, length) => {
    const answer = await sendFirst('PUT /threads/bad/files/big.bin', length, 40 * mib)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
    expect(answer).toContain('"code":"file_too_large"')
    expect(await left()).toEqual(nothing)
  })

  it('a connection that breaks', async () => {
    const { port, hostname } = new URL(box.api)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    const head = ['POST /threads/bad/uploads HTTP/1.1', `host: ${hostname}:${port}`]
    const rest = ['content-type: multipart/form-data; boundary=B', `content-length: ${4 * mib}`]
    socket.write([...head, ...rest, '', ''].join('\r\n'))
    socket.write(`--B\r\nContent-Disposition: ${file('a.txt')}\r\n\r\n`)
    socket.write(Buffer.alloc(mib))
    await eventually(async () => JSON.stringify(await left()) !== JSON.stringify(nothing))
    socket.destroy()
    await eventually(async () => JSON.stringify(await left()) === JSON.stringify(nothing))
    expect(await left()).toEqual(nothing)
  })

  it.each([
    ['no multipart', { 'content-type': 'application/json' }, 415, 'unsupported_media_type'],
    ['no boundary', { 'content-type': 'multipart/form-data' }, 415, 'unsupported_media_type'],
    ['a compressed body', { 'content-encoding': 'gzip' }, 415, 'unsupported_encoding'],
    ['a page of another origin', { origin: 'https://evil.example' }, 403, 'foreign_origin'],
  ])('%s', async (_, headers, status, code) => {
    const answer = await send({ parts: [[file('a.txt'), 3]] }, headers)
    expect(answer).toMatchObject({ status, body: { code } })
    expect(await left()).toEqual(nothing)
  })

  it('a thread that is not there', async () => {
    const sent = await fetch(`${box.api}/threads/nowhere/uploads`, {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=B' },
      body: `--B\r\nContent-Disposition: ${file('a.txt')}\r\n\r\nx\r\n--B--`,
    })
    expect([sent.status, await sent.json()]).toMatchObject([404, { code: 'unknown_thread' }])
  })
})

it('are counted by what became of them, and their bytes', async () => {
  const told = async (name: string): Promise<number> => {
    const page = String((await call(box.api, 'GET', '/metrics')).body)
    const line = page.split('\n').find((each) => each.startsWith(`signalbox_${name} `))
    return Number(line?.split(' ').at(-1) ?? 0)
  }
  const names = ['taken', 'named', 'dropped'].map((what) => `uploads_total{outcome="${what}"}`)
  const all = () => Promise.all([...names, 'upload_bytes_total'].map(told))
  const before = await all()
  const taken = await send({
    parts: [
      [file('a.txt'), 5],
      [file('b.txt'), 7],
    ],
  })
  const input = { prompt: 'Look.', files: [taken.body[0].upload_id] }
  await call(box.api, 'POST', '/threads/bad/runs/wait', { body: { assistant_id: 'clerk', input } })
  await send({
    parts: [
      [file('c.txt'), 11],
      [file('CON'), 3],
    ],
  })
  const grown = (await all()).map((count, n) => count - (before[n] ?? 0))
  expect(grown).toEqual([2, 1, 1, 23])
  await sql.query('delete from signalbox.upload_part')
  await sql.query('delete from signalbox.upload')
})

it('at most so many uploads wait on a thread', async () => {
  for (let n = 0; n < 20; n += 1) {
    const parts = Array.from({ length: 10 }, (_, i) => [file(`${i}.txt`), 1] as const)
    expect((await send({ parts })).status).toBe(201)
  }
  const one = { parts: [[file('a.txt'), 1]] } as const
  expect(await send(one)).toMatchObject({ status: 409, body: { code: 'too_many_uploads' } })
  expect(await left()).toEqual({ uploads: 200, parts: 200 })
  // An upload that a run has named waits no more, and may still be named.
  const { rows } = await sql.query('select id from signalbox.upload limit 1')
  const input = { prompt: 'Look.', files: [rows[0].id] }
  await call(box.api, 'POST', '/threads/bad/runs/wait', { body: { assistant_id: 'clerk', input } })
  expect((await send(one)).status).toBe(201)
  expect(await send(one)).toMatchObject({ status: 409, body: { code: 'too_many_uploads' } })
  await sql.query('delete from signalbox.upload_part')
  await sql.query('delete from signalbox.upload')
  expect((await send(one)).status).toBe(201)
  await sql.query('delete from signalbox.upload_part')
  await sql.query('delete from signalbox.upload')
})
