/** The judge sees what it is there for: each line is an answer that must not pass, and one beside it that may. */
import { describe, expect, it } from 'vitest'
import { documentOf } from '../../packages/server/test/support/api-document.ts'
import { type Seen, violationOf } from '../../packages/server/test/support/contract.ts'
import { leakOf, wrongWith } from './judge.ts'
import type { FuzzRequest } from './request.ts'
import type { Received } from './send.ts'

const ofType = (type: string, schema: object) => ({ content: { [type]: { schema } } })
const problems = ofType('application/problem+json', { $ref: '#/components/schemas/Problem' })
const document = documentOf({
  openapi: '3.1.0',
  paths: {
    '/things/{id}': {
      get: {
        responses: {
          200: {
            ...ofType('application/json', { $ref: '#/components/schemas/Thing' }),
            headers: { Link: { required: true }, Etag: {} },
          },
          default: problems,
        },
      },
      delete: { responses: { 204: {}, 404: problems } },
    },
    '/things/lines': {
      get: { responses: { 200: ofType('application/x-ndjson', {}), default: problems } },
    },
  },
  components: {
    schemas: {
      Thing: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } },
      Problem: { type: 'object', required: ['type', 'title', 'status', 'code', 'detail'] },
    },
  },
})

interface Given {
  readonly request?: string
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const seen = ({ request = 'GET /things/1', status = 200, type, headers, body }: Given): Seen => {
  const [method = '', path = ''] = request.split(' ')
  const good = type ?? (status < 300 ? 'application/json' : 'application/problem+json')
  return {
    method,
    path,
    status,
    headers: new Headers({ 'content-type': good, link: '</>', ...headers }),
    body: typeof body === 'string' || body === null ? body : JSON.stringify(body ?? { id: 'x' }),
  }
}

const problem = (over: object = {}) => ({
  type: 'urn:signalbox:problem:unknown_run',
  title: 'There is no such run',
  status: 404,
  code: 'unknown_run',
  detail: 'There is none.',
  ...over,
})

describe('an answer that fits', () => {
  it.each<Given>([
    {},
    { request: 'HEAD /things/1', body: '' },
    { request: 'GET /things/%31?x=y', type: 'application/json; charset=utf-8' },
    { request: 'GET /things/lines', type: 'application/x-ndjson', body: 'not read' },
    { request: 'DELETE /things/1', status: 204, body: '' },
    { status: 404, body: problem() },
    { request: 'GET /elsewhere', status: 404, body: problem() },
    { body: null },
  ])('%j passes', (given) => {
    expect(violationOf(document, seen(given))).toBeNull()
  })
})

describe('an answer that does not fit', () => {
  it.each<readonly [Given, string]>([
    [{ body: { id: 1 } }, 'body/id must be string'],
    [{ body: '{"id":' }, 'is no JSON'],
    [{ type: 'text/html' }, 'its type is "text/html"'],
    [{ type: 'application/x-ndjson' }, 'its type'],
    [{ request: 'DELETE /things/1', status: 200 }, 'the status is not declared'],
    [{ request: 'DELETE /things/1', status: 204, body: 'x' }, 'it has a body'],
    [{ request: 'GET /elsewhere' }, 'its type is "application/json"'],
    [{ status: 404, body: problem({ code: 'odd' }) }, '"odd" is not known'],
    [{ status: 404, body: problem({ status: 400 }) }, 'has the status 404'],
    [{ status: 409, body: problem({ status: 409 }) }, 'has the status 404'],
    [{ status: 404, body: problem({ title: 'Gone' }) }, 'has the title'],
    [{ status: 404, body: problem({ type: 'about:blank' }) }, 'about:blank'],
    [{ status: 404, body: { code: 'unknown_run' } }, 'must have required property'],
    [{ status: 405, body: problem() }, 'it has no allow'],
    [{ status: 401, body: problem() }, 'it has no www-authenticate'],
    [{ status: 503, body: problem() }, 'it has no retry-after'],
  ])('%j does not pass', (given, why) => {
    expect(violationOf(document, seen(given))).toContain(why)
  })

  it('without a header that is declared', () => {
    const { headers: _, ...rest } = seen({})
    const bare = new Headers({ 'content-type': 'application/json' })
    expect(violationOf(document, { ...rest, headers: bare })).toContain('it has no Link')
  })
})

const request: FuzzRequest = { method: 'GET', path: '/things/1', headers: [], body: null }
const received = (over: Partial<Received> = {}): Received => ({
  status: 200,
  headers: new Headers({ 'content-type': 'application/json', link: '</>' }),
  rawHeaders: [],
  text: '{"id":"x"}',
  isWhole: true,
  ...over,
})
const law = { document, secrets: ['canary-1'] }

describe('a leak', () => {
  it.each([
    'Error: x\n    at Object.run (file:///srv/app/packages/server/src/a.ts:3:9)',
    'see /srv/node_modules/pg/lib/client.js',
    'ZodError',
    'select id from run where tenant_id = $1',
    'relation "run" does not exist',
    'invalid input syntax for type uuid',
    'permission denied for table signalbox.run',
    'kysely',
    'connect ECONNREFUSED 127.0.0.1:5432',
    'postgresql://app@127.0.0.1/x',
    "Cannot read properties of undefined (reading 'id')",
    '[object Object]',
    'canary-1',
  ])('of %j is seen, in a body and in a header', (text) => {
    expect(leakOf(law, request, received({ text }))).toContain('the answer shows')
    expect(leakOf(law, request, received({ rawHeaders: ['x-any', text] }))).not.toBeNull()
  })

  it('is not what the client itself had sent, unless that is a secret', () => {
    const text = 'There is no run kysely.'
    const asked = { ...request, path: '/runs/%6bysely' }
    expect(leakOf(law, asked, received({ text }))).toBeNull()
    const told = { ...request, path: '/runs/canary-1' }
    expect(leakOf(law, told, received({ text: 'canary-1' }))).not.toBeNull()
  })
})

describe('an outcome', () => {
  it('is judged as a whole', () => {
    const judge = (over: Partial<Received>) =>
      wrongWith(law, request, { kind: 'answer', answer: received(over) })
    expect(judge({})).toBeNull()
    expect(judge({ status: 500 })).toContain('it answered 500')
    expect(judge({ status: 503 })).toContain('it answered 503')
    expect(judge({ text: '{"id":1}' })).toContain('does not fit')
    expect(judge({ text: '{"id":1', isWhole: false })).toBeNull()
    expect(wrongWith(law, request, { kind: 'hang' })).toContain('no answer')
    expect(wrongWith(law, request, { kind: 'cut', why: 'reset' })).toContain('reset')
    const huge = { ...request, body: { text: 'a'.repeat(300_000), encoding: 'utf8' } as const }
    expect(wrongWith(law, huge, { kind: 'cut', why: 'reset' })).toBeNull()
  })
})
