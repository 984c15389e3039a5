/**
 * Requests of every kind against a real server. `npm run test:fuzz` sends ten thousand of another seed each time; here are
 * some hundred of one that stays, and of SIGNALBOX_FUZZ_SEED if that is set.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Fuzzed, fuzz } from './fuzz.ts'
import { exchange } from './raw.ts'
import { openScene, type Scene } from './scene.ts'

const seed = Number(process.env['SIGNALBOX_FUZZ_SEED'] ?? 20_261_121)
const requests = 600

let scene: Scene
let fuzzed: Fuzzed

beforeAll(async () => {
  scene = await openScene()
  fuzzed = await fuzz(scene, { requests, seed })
}, 300_000)

afterAll(async () => {
  await scene?.close()
})

describe(`${requests} requests of the seed ${seed}`, () => {
  it('are answered in time, without 5xx or internals, as the OpenAPI document says', () => {
    expect(fuzzed.failures).toEqual([])
    expect(fuzzed.sent).toBe(requests)
    expect(scene.errors()).toEqual([])
  })

  it('reach what is behind the checks, and the checks', () => {
    const { statuses, reached } = fuzzed
    const reads = scene.law.document.operations.filter(({ method }) => method === 'GET')
    expect(reached.size).toBeGreaterThan(reads.length / 2)
    expect([...statuses.keys()]).toEqual(
      expect.arrayContaining(['200', '400', '401', '404', '405', '413', '415', '422', '431']),
    )
  })

  it('leave the server as it was', async () => {
    expect(await scene.works()).toBe(true)
  })
})

/** What was answered with a 500, or with nothing that a client can read, before it was found. */
const found: readonly (readonly [string, string, number, string])[] = [
  [
    'a time before all others',
    'GET /events?until=-004713-11-23T23%3A59%3A59.999Z HTTP/1.1',
    422,
    'invalid_request',
  ],
  [
    'the year before the first',
    'GET /events?since=-000001-12-31T23:59:59.999Z HTTP/1.1',
    422,
    'invalid_request',
  ],
  ['the first year', 'GET /events?since=0000-01-01T00:00:00Z HTTP/1.1', 200, ''],
  ['long headers', `GET /ok HTTP/1.1\r\nx-any: ${'a'.repeat(40_000)}`, 431, 'headers_too_large'],
  ['an impossible host', 'GET /ok HTTP/1.1\r\nhost: a b', 400, 'malformed_request'],
  ['an impossible address', 'GET https://:1/threads HTTP/1.1', 400, 'malformed_request'],
  [
    'two lengths',
    'POST /runs HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2',
    400,
    'malformed_request',
  ],
  ['another protocol', 'HELO there', 400, 'malformed_request'],
  ['an expectation', 'GET /ok HTTP/1.1\r\nexpect: the-worst', 200, ''],
]

describe('a request with what nobody expects', () => {
  it.each(found)('%s', async (_, head, status, code) => {
    const host = /\r\nhost:/.test(head) ? '' : 'host: any\r\n'
    const key = `authorization: Bearer ${scene.material.apiKey}`
    const text = await exchange(scene.base, `${head}\r\n${host}${key}\r\nconnection: close\r\n\r\n`)
    expect(text.split('\r\n', 1)[0]).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    if (code === '') return
    expect(text).toMatch(/\r\ncontent-type: application\/problem\+json\r\n/i)
    expect(text).toContain(`"code":"${code}"`)
  })

  it('long headers of a HEAD: nothing follows those of the answer', async () => {
    const head = `HEAD /ok HTTP/1.1\r\nhost: any\r\nx-any: ${'a'.repeat(40_000)}\r\n\r\n`
    expect(await exchange(scene.base, head)).toMatch(/^HTTP\/1.1 431 [^{]*\r\n\r\n$/)
  })

  it('no host', async () => {
    const text = await exchange(scene.base, 'GET /ok HTTP/1.1\r\nconnection: close\r\n\r\n')
    expect(text).toContain('"code":"malformed_request"')
  })

  it('something behind it that is no request: the answer stays as it is', async () => {
    const body = '{"assistant_id":"holder","input":"Hold."}'
    const head = `POST /runs/stream HTTP/1.1\r\nhost: any\r\ncontent-length: ${body.length}`
    const headers = `content-type: application/json\r\nauthorization: Bearer ${scene.material.apiKey}`
    const first = `${head}\r\n${headers}\r\n\r\n${body}`
    const text = await exchange(scene.base, first, 'no request\r\n\r\n')
    expect(text).toMatch(/^HTTP\/1.1 200 /)
    expect(text).not.toContain('HTTP/1.1 400')
  })
})
