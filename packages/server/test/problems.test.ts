/**
 * Bad input over real HTTP. Whatever arrives, the answer is a problem document with a known code, never a 5xx, and the
 * server goes on.
 */
import { type OutgoingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { problemKinds } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, call } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

let box: TestSignalbox

beforeAll(async () => {
  box = await startTest({
    agents: { writer: { model: { provider: 'scripted', model: 'writer' } } },
    scripts: { writer: () => ({ text: 'Yes.' }) },
  })
})

afterAll(async () => {
  await box?.stop()
})

async function send(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } }
  const response = await fetch(`${box.api}${path}`, init)
  const answer = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: answer === '' ? '' : JSON.parse(answer),
  }
}

function expectProblem(answer: Answer, code: string): void {
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(Object.keys(problemKinds)).toContain(answer.body.code)
  expect(answer.body.code).toBe(code)
  expect(answer.body.status).toBe(answer.status)
  expect(answer.body.detail.length).toBeGreaterThan(10)
}

/** Sends a body in pieces of 64 kB that never ends; the answer must come all the same. */
function oversized(headers: OutgoingHttpHeaders, pieces: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
    let answered = false
    const asked = request(`${box.api}/runs`, options, (response) => {
      answered = true
      text(response).then((body) => resolve(JSON.parse(body).code), reject)
      response.on('end', () => asked.destroy())
    })
    // Once it has answered, the server may hang up: what counts then is whether the answer came whole.
    asked.on('error', (error) => answered || reject(error)).flushHeaders()
    for (let n = 0; n < pieces; n++) asked.write(' '.repeat(64 * 1024))
  })
}

const good = { assistant_id: 'writer', input: 'Write.' }
const padded = (bytes: number): string => JSON.stringify({ ...good, x: 'y'.repeat(bytes) })
const nested = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`
const withMetadata = (json: string): string =>
  `{"assistant_id":"writer","input":"x","metadata":{"a":${json}}}`

const bodies: readonly (readonly [string, string, number, string, string | undefined])[] = [
  ['no JSON', '{"a":', 400, 'malformed_json', undefined],
  ['an empty body', '', 422, 'invalid_request', 'assistant_id'],
  ['a body that is no object', '[]', 422, 'invalid_request', ''],
  ['null', 'null', 422, 'invalid_request', ''],
  ['no agent', '{"input":"x"}', 422, 'invalid_request', 'assistant_id'],
  [
    'an unknown agent',
    '{"assistant_id":"writter","input":"x"}',
    404,
    'unknown_agent',
    'assistant_id',
  ],
  ['no input', '{"assistant_id":"writer"}', 422, 'invalid_request', 'input'],
  ['a blank input', '{"assistant_id":"writer","input":"  "}', 422, 'invalid_request', 'input'],
  [
    'no messages',
    '{"assistant_id":"writer","input":{"messages":[]}}',
    422,
    'invalid_request',
    'input',
  ],
  [
    'a message of a robot',
    '{"assistant_id":"writer","input":{"messages":[{"role":"robot","content":"x"}]}}',
    422,
    'invalid_request',
    'input.messages[0].role',
  ],
  ['__proto__', '{"__proto__":{"a":1}}', 400, 'forbidden_key', undefined],
  ['constructor, deep', withMetadata('{"constructor":1}'), 400, 'forbidden_key', undefined],
  [
    'an escaped prototype',
    withMetadata(String.raw`{"\u0070rototype":1}`),
    400,
    'forbidden_key',
    undefined,
  ],
  ['U+0000', withMetadata(String.raw`"a\u0000b"`), 400, 'forbidden_text', undefined],
  ['half a surrogate pair', withMetadata(String.raw`"\ud800"`), 400, 'forbidden_text', undefined],
  ['65 levels', withMetadata(nested(63)), 400, 'json_too_deep', undefined],
  ['100 000 levels', nested(100_000), 400, 'json_too_deep', undefined],
  [
    'much metadata',
    withMetadata(JSON.stringify('x'.repeat(20_000))),
    422,
    'invalid_request',
    'metadata',
  ],
  [
    'another multitask strategy',
    JSON.stringify({ ...good, multitask_strategy: 'swap' }),
    422,
    'invalid_request',
    'multitask_strategy',
  ],
  ['a webhook', JSON.stringify({ ...good, webhook: 'http://x' }), 422, 'not_available', 'webhook'],
  [
    'a delay into the past',
    JSON.stringify({ ...good, after_seconds: -1 }),
    422,
    'invalid_request',
    'after_seconds',
  ],
  [
    'a checkpoint that is none',
    JSON.stringify({ ...good, checkpoint_id: 'latest' }),
    422,
    'invalid_request',
    'checkpoint_id',
  ],
]

describe('a create', () => {
  it.each(bodies)('with %s is refused', async (_, body, status, code, field) => {
    for (const path of ['/runs', '/threads/t1/runs', '/runs/wait', '/threads/t1/runs/stream']) {
      const answer = await send(path, body)
      expectProblem(answer, code)
      expect(answer.status).toBe(status)
      expect(answer.body.field).toBe(field)
    }
  })

  it('names the agent that was probably meant', async () => {
    const answer = await send('/runs', '{"assistant_id":"writter","input":"x"}')
    expect(answer.body.detail).toContain('"writer"')
  })

  it('accepts 64 levels, and fields it does not know', async () => {
    const deep = await send('/runs', withMetadata(nested(62)))
    expect(deep.status).toBe(200)
    const more = { ...good, strict_resume: true, durability: 'sync', multitask_strategy: 'enqueue' }
    expect((await send('/runs', JSON.stringify(more))).status).toBe(200)
  })

  it('is refused beyond 1 MiB, declared or chunked, and accepted below', async () => {
    expect((await send('/runs', padded(1024 * 1024 - 200))).status).toBe(200)
    expect(await oversized({ 'content-length': String(1024 * 1024 + 1) }, 0)).toBe('body_too_large')
    expect(await oversized({ 'transfer-encoding': 'chunked' }, 17)).toBe('body_too_large')
    expect((await call(box.api, 'GET', '/ok')).status).toBe(200)
  })

  it('is refused with a key that is none', async () => {
    for (const key of ['a b', 'x'.repeat(201), 'ä', 'a/b', '""']) {
      const encoded = Buffer.from(key, 'utf8').toString('latin1')
      const answer = await send('/runs', JSON.stringify(good), { 'idempotency-key': encoded })
      expectProblem(answer, 'invalid_header')
      expect(answer.body.field).toBe('idempotency-key')
    }
  })

  it('is refused in another media type than JSON', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ])
      expectProblem(
        await send('/runs', JSON.stringify(good), { 'content-type': type }),
        'unsupported_media_type',
      )
  })

  it('is refused when it is not UTF-8', async () => {
    expectProblem(await send('/runs', new Uint8Array([0x22, 0xff, 0x22])), 'malformed_json')
  })
})

const addresses: readonly (readonly [string, string, number, string])[] = [
  ['GET', '/nothing', 404, 'not_found'],
  ['PUT', '/runs', 405, 'method_not_allowed'],
  ['DELETE', '/ok', 405, 'method_not_allowed'],
  ['PATCH', '/threads/t/files/notes/plan.md', 405, 'method_not_allowed'],
  ['GET', '/runs/nobody', 404, 'unknown_run'],
  ['GET', '/runs/00000000-0000-7000-8000-000000000000/events', 404, 'unknown_run'],
  ['GET', '/threads/t9/runs/nobody/join', 404, 'unknown_run'],
  ['GET', '/threads/t9', 404, 'unknown_thread'],
  ['GET', '/assistants/nobody', 404, 'unknown_agent'],
  ['GET', `/runs/${'x'.repeat(201)}`, 422, 'invalid_request'],
  ['GET', '/runs/a%00b', 422, 'invalid_request'],
  ['GET', '/runs/%ff', 422, 'invalid_request'],
  ['GET', '/runs/a%2f..%2fb', 422, 'invalid_request'],
  ['GET', '/threads?limit=0', 422, 'invalid_request'],
  ['GET', '/threads?limit=1001', 422, 'invalid_request'],
  ['GET', '/threads?limit=1&limit=2', 422, 'invalid_request'],
  ['GET', '/threads?offset=-1', 422, 'invalid_request'],
  ['GET', '/threads/t1/runs?status=happy', 422, 'invalid_request'],
  ['GET', '/events?after=x', 422, 'invalid_request'],
  ['GET', `/events?after=${'9'.repeat(20)}-${'9'.repeat(20)}`, 422, 'invalid_request'],
  ['GET', '/events?since=yesterday', 422, 'invalid_request'],
  ['GET', '/events?since=999999999999999', 200, ''],
  ['GET', '/events?type=%00', 422, 'invalid_request'],
  ['GET', '/events?run_id=nobody', 200, ''],
  ['POST', '/runs/nobody/cancel', 404, 'unknown_run'],
  ['POST', '/runs/nobody/cancel?wait=maybe', 422, 'invalid_request'],
  ['POST', '/runs/nobody/cancel?action=rollback', 404, 'unknown_run'],
  ['POST', '/runs/nobody/cancel?action=undo', 422, 'invalid_request'],
  ['POST', '/runs/nobody/cancel?action=explode', 422, 'invalid_request'],
]

describe('an address', () => {
  it.each(addresses)('%s %s answers %i %s', async (method, path, status, code) => {
    const answer = await call(box.api, method, path)
    expect(answer.status).toBe(status)
    if (code !== '') expectProblem(answer, code)
  })

  it('says which methods it takes', async () => {
    const answer = await call(box.api, 'PUT', '/threads/t1/runs')
    expect(answer.headers.get('allow')?.split(', ').sort()).toEqual(['GET', 'POST'])
  })
})

describe('any input', () => {
  const json = fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc
      .record({
        assistant_id: fc.oneof(fc.constant('writer'), fc.anything()),
        input: fc.anything({ withNullPrototype: false, maxDepth: 3 }),
        metadata: fc.anything({ maxDepth: 3 }),
        if_not_exists: fc.anything({ maxDepth: 1 }),
      })
      .map(
        (value) => JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? 1 : each)) ?? '',
      ),
  )
  const path = fc.oneof(
    fc.constantFrom('/runs', '/runs/wait', '/threads', '/threads/t1/runs', '/runs/x/cancel'),
    fc.webPath(),
    fc
      .array(
        fc.constantFrom('threads', 'runs', 'events', 't1', '%00', '..', 'stream', '%F0%9F%98%80'),
      )
      .map((parts) => `/${parts.join('/')}`),
  )
  const query = fc.webQueryParameters()

  it('is never answered with a 5xx', async () => {
    const property = fc.asyncProperty(path, query, json, async (where, asked, body) => {
      const posted = await fetch(`${box.api}${where}?${asked}`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      })
      expect(posted.status).toBeLessThan(500)
      await posted.body?.cancel()
      const got = await fetch(`${box.api}${where}?${asked}`)
      expect(got.status).toBeLessThan(500)
      await got.body?.cancel()
    })
    await fc.assert(property, { numRuns: 300 })
    expect(box.logged.filter((line) => line.includes('a request broke'))).toEqual([])
  })

  it('that is no HTTP does no harm', async () => {
    const port = Number(new URL(box.api).port)
    for (const bytes of [
      '\0\0\0',
      'GET / HTTP/9.9\r\n\r\n',
      'POST /runs HTTP/1.1\r\ncontent-length: -1\r\n\r\n',
    ])
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => socket.end(bytes))
        socket
          .on('close', () => resolve())
          .on('error', () => {})
          .resume()
      })
    expect((await call(box.api, 'GET', '/ok')).status).toBe(200)
  })
})
