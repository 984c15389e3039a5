/**
 * Bodies and answers that are compressed, and connections that are kept, over real sockets. Would catch: a bomb that is inflated
 * before it is refused, a stream that stands still in a compressor, a connection that is closed under a load balancer.
 */
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readDecoded } from '../src/http/decoded-body.ts'
import { call } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const bytesMax = 64 * 1024
let box: TestSignalbox

beforeAll(async () => {
  box = await startTest({
    agents: { writer: { model: { provider: 'scripted', model: 'writer' } } },
    scripts: { writer: () => ({ text: 'Yes.' }) },
    server: { keepAliveMs: 61_000, limits: { bodyBytesMax: bytesMax } },
  })
})
afterAll(async () => {
  await box?.stop()
})

/** Sends bytes as they are, and gives back bytes as they come. */
async function ask(
  operation: string,
  headers: Readonly<Record<string, string>>,
  body?: Uint8Array,
) {
  const [method, path] = operation.split(' ')
  const asked = request(`${box.api}${path}`, { method, headers })
  const answered = new Promise<{ status?: number; headers: object; bytes: Buffer }>(
    (resolve, reject) => {
      asked.on('error', reject)
      asked.on('response', (response) => {
        buffer(response).then(
          (bytes) =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes }),
          reject,
        )
      })
    },
  )
  asked.end(body)
  return answered
}

const post = async (encoding: string, body: Uint8Array, type = 'application/json') => {
  const headers = { 'content-type': type, 'content-encoding': encoding }
  const { status, headers: answered, bytes } = await ask('POST /threads', headers, body)
  return { status, headers: answered, body: JSON.parse(bytes.toString()) }
}
const thread = Buffer.from(JSON.stringify({ metadata: { said: 'ü'.repeat(2000) } }))

/** Empty blocks of deflate: they come to nothing, for ever (RFC 1951, section 3.2.4). */
async function* nothing() {
  yield Buffer.from([0x78, 0x9c])
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve))
    yield Buffer.from([0, 0, 0, 0xff, 0xff])
  }
}

describe('a body', () => {
  it.each([
    ['gzip', gzipSync(thread)],
    ['GZIP', gzipSync(thread)],
    ['x-gzip', gzipSync(thread)],
    ['deflate', deflateSync(thread)],
    ['br', brotliCompressSync(thread)],
    ['identity', thread],
  ])('of the encoding %s is read', async (encoding, body) => {
    const answer = await post(encoding, body)
    expect(answer).toMatchObject({ status: 200, body: { metadata: { said: 'ü'.repeat(2000) } } })
  })

  it.each(['zstd', 'compress', 'gzip, br', 'gzip, gzip'])(
    'of the encoding %s is refused, and what is taken is said',
    async (encoding) => {
      expect(await post(encoding, thread)).toMatchObject({
        status: 415,
        headers: { 'accept-encoding': 'gzip, deflate, br' },
        body: { code: 'unsupported_encoding', field: 'content-encoding' },
      })
    },
  )

  it.each([
    ['gzip', thread],
    ['gzip', gzipSync(thread).subarray(0, 40)],
    ['deflate', gzipSync(thread)],
    ['br', Buffer.from('no brotli at all')],
    ['br', brotliCompressSync(thread).subarray(0, 20)],
  ])('that is not %s is refused', async (encoding, body) => {
    expect(await post(encoding, body)).toMatchObject({
      status: 400,
      body: { code: 'malformed_encoding', field: 'content-encoding' },
    })
  })

  it('is judged by what it comes to', async () => {
    const nested = gzipSync(`${'['.repeat(1000)}1${']'.repeat(1000)}`)
    expect((await post('gzip', nested)).body.code).toBe('json_too_deep')
    expect((await post('gzip', gzipSync('{"__proto__":{}}'))).body.code).toBe('forbidden_key')
    const form = await post('gzip', gzipSync('a=b'), 'application/x-www-form-urlencoded')
    expect(form.body.code).toBe('unsupported_media_type')
  })

  it('that comes to more than a body may have is refused', async () => {
    for (const pack of [gzipSync, deflateSync, brotliCompressSync]) {
      const bomb = pack(Buffer.alloc(16 * 1024 * 1024, ' '))
      expect(bomb.byteLength).toBeLessThan(bytesMax)
      const encoding = new Map<unknown, string>([
        [gzipSync, 'gzip'],
        [deflateSync, 'deflate'],
        [brotliCompressSync, 'br'],
      ]).get(pack)
      expect(await post(encoding ?? '', bomb)).toMatchObject({
        status: 413,
        body: { code: 'body_too_large' },
      })
    }
    const fits = gzipSync(JSON.stringify({ metadata: { a: 'x'.repeat(10_000) } }).padEnd(bytesMax))
    expect((await post('gzip', fits)).status).toBe(200)
    expect((await call(box.api, 'GET', '/ok')).status).toBe(200)
  })

  it('is refused while it is inflated, and without end too', async () => {
    const bomb = gzipSync(randomBytes(400).toString('hex').repeat(200_000))
    let taken = 0
    async function* slowly(bytes: Uint8Array) {
      for (let at = 0; at < bytes.byteLength; at += 512) {
        taken += 512
        await new Promise((resolve) => setImmediate(resolve))
        yield bytes.subarray(at, at + 512)
      }
    }
    const read = readDecoded(slowly(bomb), { encoding: 'gzip', bytesMax: 100_000 })
    await expect(read).rejects.toMatchObject({ code: 'body_too_large' })
    expect(bomb.byteLength).toBeGreaterThan(600_000)
    // Buffers on the way hold some of it; how much, the threads that inflate decide.
    expect(taken).toBeLessThan(bomb.byteLength / 4)
    const endless = readDecoded(nothing(), { encoding: 'deflate', bytesMax: 10_000 })
    await expect(endless).rejects.toMatchObject({ code: 'body_too_large' })
  })
})

describe('an answer', () => {
  it('that is long is compressed for who asks for it', async () => {
    const plain = await ask('GET /openapi.json', {})
    expect(plain.headers).not.toHaveProperty('content-encoding')
    for (const [accepted, unpack] of [
      ['gzip', gunzipSync],
      ['deflate', inflateSync],
      ['br, gzip;q=0.5', gunzipSync],
    ] as const) {
      const packed = await ask('GET /openapi.json', { 'accept-encoding': accepted })
      expect(packed.headers).toMatchObject({
        'content-type': 'application/json',
        'content-encoding': accepted.includes('gzip') ? 'gzip' : 'deflate',
        vary: expect.stringMatching(/accept-encoding/i),
      })
      expect(packed.bytes.byteLength).toBeLessThan(plain.bytes.byteLength / 3)
      expect(unpack(packed.bytes).equals(plain.bytes)).toBe(true)
    }
    const refused = await ask('GET /openapi.json', { 'accept-encoding': 'gzip;q=0, br' })
    expect(refused.headers).not.toHaveProperty('content-encoding')
  })

  it('that is short, or comes piece by piece, is not', async () => {
    const headers = { 'accept-encoding': 'gzip, deflate, br', 'content-type': 'application/json' }
    const body = Buffer.from('{"assistant_id":"writer","input":"Go."}')
    for (const [operation, sent] of [
      ['GET /ok', undefined],
      ['GET /nothing', undefined],
      ['POST /runs/stream', body],
      ['POST /runs/wait', body],
    ] as const) {
      const answer = await ask(operation, headers, sent)
      expect([operation, answer.headers]).not.toHaveProperty(['1', 'content-encoding'])
    }
  })
})

describe('a connection', () => {
  it('is kept as long as the configuration says', async () => {
    const { headers } = await ask('GET /ok', { connection: 'keep-alive' })
    expect(headers).toMatchObject({ connection: 'keep-alive', 'keep-alive': 'timeout=61' })
  })
})
