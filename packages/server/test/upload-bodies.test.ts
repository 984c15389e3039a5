/**
 * Bodies with files as strangers' clients send them, byte by byte over a socket (issue 12, bad input). Would catch: a part of a request that is
 * kept although the request broke off, a client that is refused before its body was read and never hears why, a length that is believed.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Script } from '@signalbox/models'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import { call, eventually } from './support/http.ts'
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
  await call(box.api, 'POST', '/threads', { body: { thread_id: 'wire' } })
})

afterAll(async () => {
  await sql?.end()
  await box?.stop()
  await database?.drop()
})

const left = async (): Promise<unknown> => {
  const { rows } = await sql.query(
    'select (select count(*)::int from signalbox.upload) as uploads, (select count(*)::int from signalbox.upload_part) as parts',
  )
  return rows[0]
}
const nothing = { uploads: 0, parts: 0 }

afterEach(async () => {
  await sql.query('delete from signalbox.upload_part')
  await sql.query('delete from signalbox.upload')
})

type Headers = Readonly<Record<string, string | number>>

async function open(): Promise<Socket> {
  const { port, hostname } = new URL(box.api)
  const socket = connect({ port: Number(port), host: hostname })
  await once(socket, 'connect')
  return socket
}

const headOf = (request: string, headers: Headers): string =>
  [
    `${request} HTTP/1.1`,
    `host: ${new URL(box.api).host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n')

/** Everything that is answered, until the other side closes. */
async function answerOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const part = (name: string, content: string): string =>
  `--B\r\nContent-Disposition: form-data; name="files"; filename="${name}"\r\nContent-Type: text/plain\r\n\r\n${content}\r\n`
const multipart = { 'content-type': 'multipart/form-data; boundary=B', connection: 'close' }
const uploads = 'POST /threads/wire/uploads'

/** Sends a request with this body as it stands, and returns the answer. */
async function post(body: string | Buffer, headers: Headers = {}): Promise<string> {
  const socket = await open()
  const length = { 'content-length': Buffer.byteLength(body) }
  socket.write(headOf(uploads, { ...multipart, ...length, ...headers }))
  socket.write(body)
  return answerOf(socket)
}

describe('a body that is broken off', () => {
  const body = Buffer.from(`${part('a.txt', 'one')}${part('b.txt', 'two')}--B--`)

  it('after any of its bytes leaves nothing, whether its client goes or closes its side', async () => {
    const cut = async (at: number): Promise<void> => {
      const socket = await open()
      socket.on('error', () => {})
      socket.write(headOf(uploads, { ...multipart, 'content-length': body.length }))
      socket.write(body.subarray(0, at))
      if (at % 2 === 0) {
        socket.end()
        socket.resume()
        await once(socket, 'close')
        return
      }
      // So that what was sent is read before the connection breaks.
      await setTimeout(5)
      socket.destroy()
    }
    for (let at = 0; at < body.length; at += 8)
      await Promise.all(
        Array.from({ length: Math.min(8, body.length - at) }, (_, n) => cut(at + n)),
      )
    expect(await post(body)).toMatch(/^HTTP\/1\.1 201 /)
    // The last of the others may still be at it when this one is answered.
    const whole = JSON.stringify({ uploads: 2, parts: 2 })
    await eventually(async () => JSON.stringify(await left()) === whole)
  })

  it('in chunks, in the middle of one, leaves nothing', async () => {
    const socket = await open()
    socket.on('error', () => {})
    socket.write(headOf(uploads, { ...multipart, 'transfer-encoding': 'chunked' }))
    const whole = body.subarray(0, 150).toString()
    socket.write(
      `${whole.length.toString(16)}\r\n${whole}\r\n40\r\n${body.subarray(150, 160).toString()}`,
    )
    await eventually(async () => JSON.stringify(await left()) !== JSON.stringify(nothing))
    socket.destroy()
    await eventually(async () => JSON.stringify(await left()) === JSON.stringify(nothing))
    expect(await left()).toEqual(nothing)
  })
})

describe('a body that is not what its headers say', () => {
  const body = `${part('a.txt', 'one')}--B--\r\n`

  it.each([
    ['another boundary', body.replaceAll('--B', '--C'), {}, 400, 'malformed_multipart'],
    [
      'a boundary that begins like it',
      body.replaceAll('--B', '--BB'),
      {},
      400,
      'malformed_multipart',
    ],
    ['no last boundary', part('a.txt', 'one'), {}, 400, 'malformed_multipart'],
    ['no body', '', {}, 400, 'malformed_multipart'],
    ['compressed', gzipSync(body), { 'content-encoding': 'gzip' }, 415, 'unsupported_encoding'],
    [
      'compressed twice',
      gzipSync(body),
      { 'content-encoding': 'gzip, br' },
      415,
      'unsupported_encoding',
    ],
    ['compressed without a word', gzipSync(body), {}, 400, 'malformed_multipart'],
    [
      'two boundaries',
      body,
      { 'content-type': 'multipart/form-data; boundary=B; boundary=C' },
      415,
      'unsupported_media_type',
    ],
    [
      'a boundary in another parameter',
      body,
      { 'content-type': 'multipart/form-data; x="; boundary=B"' },
      415,
      'unsupported_media_type',
    ],
  ] satisfies readonly (readonly [string, string | Buffer, Headers, number, string])[])(
    '(%s) is refused, and nothing is kept',
    async (_, sent, headers, status, code) => {
      const answer = await post(sent, headers)
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
      expect(answer).toContain(`"code":"${code}"`)
      expect(await left()).toEqual(nothing)
    },
  )

  it('(a length that is too short) is refused, and nothing is kept', async () => {
    // The bytes behind the body are the beginning of another request, which is none either.
    expect(await post(body, { 'content-length': 80 })).toMatch(/^HTTP\/1\.1 400 /)
    await eventually(async () => JSON.stringify(await left()) === JSON.stringify(nothing))
  })

  it('(a length that is too long) is waited for, and nothing is kept when its client goes', async () => {
    const socket = await open()
    socket.on('error', () => {})
    socket.write(headOf(uploads, { ...multipart, 'content-length': body.length + 10 }))
    socket.write(part('a.txt', 'one'))
    await setTimeout(200)
    socket.destroy()
    await expect.poll(left).toEqual(nothing)
  })

  it('(a coding of the transfer that nobody undoes) is refused, and is no file', async () => {
    const socket = await open()
    const headers = { connection: 'close', 'transfer-encoding': 'gzip, chunked' }
    socket.write(headOf('PUT /threads/wire/files/coded.txt', headers))
    const bytes = gzipSync('one')
    socket.write(`${bytes.length.toString(16)}\r\n`)
    socket.write(bytes)
    socket.write('\r\n0\r\n\r\n')
    const answer = await answerOf(socket)
    expect(answer).toMatch(/^HTTP\/1\.1 415 /)
    expect(answer).toContain('"code":"unsupported_encoding"')
    expect((await call(box.api, 'GET', '/threads/wire/files')).body).toEqual([])
  })
})

const headOfPart = (n: number): string =>
  `--B\r\nContent-Disposition: form-data; name="files"; filename="${n}.bin"\r\n\r\n`

it('ten files of which the last is too large leave nothing', async () => {
  const socket = await open()
  socket.on('error', () => {})
  const small = Array.from({ length: 9 }, (_, n) => `${headOfPart(n)}x\r\n`).join('')
  const last = Buffer.alloc(16 * mib + 1, 0x61)
  const length = small.length + headOfPart(9).length + last.length + 9
  socket.write(headOf(uploads, { ...multipart, 'content-length': length }))
  socket.write(small + headOfPart(9))
  socket.write(last)
  socket.write('\r\n--B--\r\n')
  const answer = await answerOf(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  expect(answer).toContain('"field":"files[9]"')
  expect(await left()).toEqual(nothing)
})

it('one name twice in a request is two files: the second gets a number', async () => {
  const twice = [part('a.txt', 'one'), part('A.TXT', 'two'), part('a.txt', 'three'), '--B--'].join(
    '',
  )
  const answer = await post(twice)
  const ids = [...answer.matchAll(/"upload_id":"([^"]+)"/g)].map(([, id]) => id)
  expect(ids).toHaveLength(3)
  const input = { prompt: 'Look.', files: ids }
  await call(box.api, 'POST', '/threads/wire/runs/wait', { body: { assistant_id: 'clerk', input } })
  const { body } = await call(box.api, 'GET', '/threads/wire/files')
  expect(body.map(({ path }: { path: string }) => path)).toEqual([
    'uploads/A (2).TXT',
    'uploads/a (3).txt',
    'uploads/a.txt',
  ])
})

/** A client that sends 8 MiB at its own pace, more than a second, and reads nothing before. */
async function slowly(request: string, headers: Headers): Promise<string> {
  const socket = await open()
  socket.pause()
  const [pieces, piece] = [128, Buffer.alloc(64 * 1024, 0x61)]
  const write = (data: string | Uint8Array) =>
    new Promise<void>((resolve, reject) =>
      socket.write(data, (error) => (error ? reject(error) : resolve())),
    )
  const length = pieces * piece.length
  await write(headOf(request, { ...headers, connection: 'close', 'content-length': length }))
  for (let n = 0; n < pieces; n += 1) {
    await write(piece)
    await setTimeout(12)
  }
  return answerOf(socket)
}

describe('a request that is refused before its body is read: a client that listens last hears why', () => {
  it.each([
    ['PUT /threads/nowhere/files/a.bin', {}, 404, 'unknown_thread'],
    ['PUT /threads/wire/files/CON', {}, 422, 'bad_file_name'],
    ['PUT /threads/wire/files/skills%2Fa', {}, 409, 'path_taken'],
    ['PUT /threads/wire/files/a.bin', { 'if-match': '"x"' }, 422, 'not_available'],
    ['PUT /threads/wire/files/a.bin', { 'idempotency-key': 'a b' }, 400, 'invalid_header'],
    ['PUT /threads/wire/files/a.bin', { 'content-encoding': 'gzip' }, 415, 'unsupported_encoding'],
    ['POST /threads/nowhere/uploads', multipart, 404, 'unknown_thread'],
    ['POST /threads/wire/uploads', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
  ] satisfies readonly (readonly [string, Headers, number, string])[])(
    '%s %o',
    async (request, headers, status, code) => {
      const answer = await slowly(request, headers)
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
      expect(answer).toContain(`"code":"${code}"`)
      expect(await left()).toEqual(nothing)
    },
  )
})
