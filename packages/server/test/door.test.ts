/**
 * Who comes through a browser, over real sockets: every operation of the OpenAPI document, asked by names that lead here, and by
 * pages from elsewhere. Would catch: a route that forgets the door, a page that starts runs on the machine of who looks at it,
 * CORS for a page that nobody named, an error that a page cannot read.
 */
import { once } from 'node:events'
import { type ClientOptions, WebSocket } from 'ws'
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import { type ConfigInput, parseConfig } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hostsOf } from '../src/http/hosts.ts'
import { originsOf } from '../src/http/origins.ts'
import { askRaw, type Oddity } from './support/ask-raw.ts'
import { call } from './support/http.ts'
import { configErrorOf } from './support/mistakes.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const key = 'o'.repeat(20)
const showing = { authorization: `Bearer ${key}` }
const chat = 'https://chat.test'
const own = 'https://console.test'
const evil = 'https://evil.example'
const config: ConfigInput = {
  agents: { writer: { model: { provider: 'scripted', model: 'writer' } } },
  scripts: { writer: () => ({ text: 'Yes.' }) },
}
const named: ConfigInput = {
  ...config,
  server: {
    hosts: ['signalbox.test', 'api:7420'],
    origins: [own],
    cors: { origins: [chat], headers: ['x-ours'], expose: ['x-theirs'] },
  },
}

let database: TestDatabase
/** A server that asks for no key, one that does, the health of one without an API, and one as `dev` starts it. */
let open: TestSignalbox
let keyed: TestSignalbox
let health: TestSignalbox
let local: TestSignalbox
let operations: readonly string[]

beforeAll(async () => {
  database = await createTestDatabase()
  const env = { DATABASE_URL: database.adminUrl }
  open = await startTest(named, { env })
  keyed = await startTest(named, { env: { ...env, SIGNALBOX_API_KEY: key }, roles: ['api'] })
  health = await startTest(config, { env, roles: ['worker'], port: 0 })
  local = await startTest(config, { env, roles: ['api'], localPages: true })
  const { paths } = (await call(open.api, 'GET', '/openapi.json')).body
  operations = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(
      (method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, 'x')}`,
    ),
  )
})
afterAll(async () => {
  for (const box of [local, health, keyed, open]) await box?.stop()
  await database?.drop()
})

const from = (origin: string): Oddity => ({ headers: { origin } })
const asking = (...hosts: readonly string[]): Oddity => ({ hosts })
const site = (name: string, mode: string, dest: string): Oddity => ({
  headers: { 'sec-fetch-site': name, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest },
})
const portOf = ({ api }: TestSignalbox): string => new URL(api).port

type Coming = (port: string) => Oddity
const hostile: readonly (readonly [string, Coming, number, string])[] = [
  ['a rebound name', (port) => asking(`evil.example:${port}`), 421, 'foreign_host'],
  ['a rebound name without a port', () => asking('evil.example'), 421, 'foreign_host'],
  ['a name below ours', (port) => asking(`localhost.evil.example:${port}`), 421, 'foreign_host'],
  ['a name of an address', (port) => asking(`127.0.0.1.nip.example:${port}`), 421, 'foreign_host'],
  ['another address', (port) => asking(`203.0.113.9:${port}`), 421, 'foreign_host'],
  ['the named host at another port', () => asking('api:7421'), 421, 'foreign_host'],
  [
    'an address that is written out',
    (port) => ({ before: `http://evil.example:${port}` }),
    421,
    'foreign_host',
  ],
  ['no host', () => asking(), 400, 'malformed_request'],
  [
    'two hosts',
    (port) => asking(`localhost:${port}`, `evil.example:${port}`),
    400,
    'malformed_request',
  ],
  ['a page from elsewhere', () => from(evil), 403, 'foreign_origin'],
  ['a page of no origin', () => from('null'), 403, 'foreign_origin'],
  ['a file', () => from('file://'), 403, 'foreign_origin'],
  ['a page of this machine', () => from('http://127.0.0.1:1'), 403, 'foreign_origin'],
  ['a page below ours', () => from('https://console.test.evil.example'), 403, 'foreign_origin'],
  ['a page by http', () => from('http://console.test'), 403, 'foreign_origin'],
  [
    'a page that sends no origin',
    () => site('cross-site', 'no-cors', 'image'),
    403,
    'foreign_origin',
  ],
  ['a page of the same site', () => site('same-site', 'no-cors', 'empty'), 403, 'foreign_origin'],
]

/** Bodies, for operations that take one. */
const bodyOf = (operation: string): string => (/^(GET|HEAD|DELETE)/.test(operation) ? '' : '{}')
const withType = (oddity: Oddity): Oddity => ({
  ...oddity,
  headers: { 'content-type': 'application/json', ...oddity.headers },
})
const askAll = (box: TestSignalbox, all: readonly string[], oddity: Oddity) =>
  Promise.all(
    all.map(async (operation) => {
      const answer = await askRaw(box.api, operation, withType(oddity), bodyOf(operation))
      return { operation, ...answer }
    }),
  )

/** Which of these hosts a server knows that listens there. */
const knownAt = (bound: string, ...hosts: readonly string[]) =>
  hosts.filter(hostsOf(['chat.test'], bound))

describe('where no key is asked for', () => {
  it.each(hostile)('%s is refused on every operation', async (_, coming, status, code) => {
    expect(operations.length).toBeGreaterThanOrEqual(90)
    const everywhere = [...operations, 'GET /', 'GET /nothing', 'PUT /runs', 'HEAD /ok']
    const answers = await askAll(open, everywhere, coming(portOf(open)))
    const wrong = answers.filter(
      (each) =>
        each.status !== status || (each.code !== code && !each.operation.startsWith('HEAD')),
    )
    expect(wrong).toEqual([])
    expect((await call(open.api, 'GET', '/threads')).body).toEqual([])
  })

  it.each(hostile)('%s is refused by the health of a process', async (_, coming, status, code) => {
    const all = ['GET /live', 'GET /ready', 'GET /ok', 'GET /metrics', 'GET /threads']
    for (const answer of await askAll(health, all, coming(portOf(health))))
      expect(answer).toMatchObject({ status, code })
  })

  const legal: readonly (readonly [string, Coming])[] = [
    ['localhost', (port) => asking(`localhost:${port}`)],
    ['upper case', (port) => asking(`LOCALHOST:${port}`)],
    ['the dot of the root', (port) => asking(`localhost.:${port}`)],
    ['another port, as of a tunnel', () => asking('localhost:8080')],
    ['no port', () => asking('localhost')],
    ['an address', (port) => asking(`127.0.0.1:${port}`)],
    ['an address of IPv6', (port) => asking(`[::1]:${port}`)],
    ['the name of the configuration', () => asking('Signalbox.test')],
    ['the name with its port', () => asking('api:7420')],
    ['an address that is written out', (port) => ({ before: `http://localhost:${port}` })],
    ['a page of the server', (port) => from(`http://127.0.0.1:${port}`)],
    [
      'a page behind a proxy that speaks TLS',
      () => ({ hosts: ['signalbox.test'], headers: { origin: 'https://signalbox.test' } }),
    ],
    ['a page that counts as ours', () => from(own)],
    ['a page that CORS allows', () => from(chat)],
    ['a page of the server, sent so', () => site('same-origin', 'cors', 'empty')],
    ['the bar of a browser', () => site('none', 'navigate', 'document')],
  ]
  it.each(legal)('%s is let in', async (_, coming) => {
    const all = [
      'GET /threads',
      'POST /threads/search',
      'GET /ok',
      'GET /metrics',
      'DELETE /threads/x',
    ]
    const answers = await askAll(open, all, coming(portOf(open)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 404])
  })

  it('a page that CORS allows is let in on every operation', async () => {
    // With a key there, the server would ask for one from then on.
    const all = operations.filter((operation) => operation !== 'POST /keys')
    const answers = await askAll(open, all, from(chat))
    expect(
      answers.filter(({ code, status }) => code.startsWith('foreign') || status >= 500),
    ).toEqual([])
    expect(answers.filter(({ head }) => !head.includes(`allow-origin: ${chat}`))).toEqual([])
  })

  it('a server is known by where it listens', () => {
    const all = ['10.1.2.3:7420', '[fd00::1]:7420', 'api.test', 'chat.test', 'localhost', '::1']
    expect(knownAt('127.0.0.1', ...all)).toEqual(['chat.test', 'localhost'])
    expect(knownAt('10.1.2.3', ...all)).toEqual(
      all.filter((host) => !['api.test', '::1'].includes(host)),
    )
    expect(knownAt('api.test', ...all)).toContain('api.test')
    for (const everywhere of ['0.0.0.0', '::'])
      expect(knownAt(everywhere, ...all, 'evil.example', '1.evil.example')).toEqual([
        '10.1.2.3:7420',
        '[fd00::1]:7420',
        'chat.test',
        'localhost',
      ])
  })

  it('an origin is spelled as browsers spell it', () => {
    const known = originsOf([
      'HTTPS://Chat.test:443',
      'http://localhost:*',
      'capacitor://localhost',
    ])
    const all = [
      'https://chat.test',
      'http://localhost',
      'http://localhost:1',
      'capacitor://localhost',
    ]
    expect(all.filter(known)).toEqual(all)
    const others = ['http://chat.test', 'https://chat.test/', 'http://localhost:*', 'null', '']
    expect([...others, 'https://localhost', 'http://a@localhost:1'].filter(known)).toEqual([])
  })

  it('a form of another page does nothing', async () => {
    const run = await call(open.api, 'POST', '/runs', {
      body: { assistant_id: 'writer', input: 'Go.', after_seconds: 3600 },
    })
    const cancel = `POST /runs/${run.body.run_id}/cancel`
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
      for (const origin of [evil, 'null']) {
        const headers = { origin, 'content-type': type, 'sec-fetch-site': 'cross-site' }
        const posted = await askRaw(open.api, cancel, { headers }, 'a=b')
        expect(posted).toMatchObject({ status: 403, code: 'foreign_origin' })
        expect(await askRaw(open.api, cancel, { headers })).toMatchObject({ status: 403 })
      }
    const after = await call(open.api, 'GET', `/runs/${run.body.run_id}`)
    expect(after.body).toMatchObject({ outcome: null, cancel_requested: false })
    await call(open.api, 'POST', `/runs/${run.body.run_id}/cancel`)
  })

  it('a link may be followed, a form sent by one may not', async () => {
    const link = site('cross-site', 'navigate', 'document')
    expect(await askRaw(open.api, 'GET /ok', link)).toMatchObject({ status: 200 })
    expect(await askRaw(open.api, 'POST /threads', link)).toMatchObject({ code: 'foreign_origin' })
    const frame = site('cross-site', 'navigate', 'iframe')
    expect(await askRaw(open.api, 'GET /ok', frame)).toMatchObject({ code: 'foreign_origin' })
  })
})

describe('where a key is asked for', () => {
  it('hosts and origins are those of whoever shows it', async () => {
    const oddity = { hosts: ['evil.example'], headers: { ...showing, origin: evil } }
    expect(await askRaw(keyed.api, 'GET /threads', oddity)).toMatchObject({ status: 200 })
    expect(await askRaw(keyed.api, 'GET /threads', asking('evil.example'))).toMatchObject({
      status: 401,
    })
    const two = await askRaw(keyed.api, 'GET /threads', asking('localhost', 'evil.example'))
    expect(two).toMatchObject({ status: 400, code: 'malformed_request' })
  })
})

/** How a WebSocket is answered: 101, or the status and code of a refusal. */
async function socketTo(box: TestSignalbox, options: ClientOptions): Promise<unknown> {
  const address = `${box.api.replace(/^http/, 'ws')}/threads/plan/stream/events`
  const socket = new WebSocket(address, options)
  socket.on('error', () => {})
  const refused = once(socket, 'unexpected-response').then(async ([, response]) => {
    let text = ''
    for await (const part of response) text += part
    return `${response.statusCode} ${JSON.parse(text).code}`
  })
  const status = await Promise.race([once(socket, 'open').then(() => 101), refused])
  socket.terminate()
  return status
}

describe('a WebSocket', () => {
  it('is opened by names and pages of ours, and those that CORS allows where no key is asked for', async () => {
    const host = `evil.example:${portOf(open)}`
    expect(await socketTo(open, { headers: { host } })).toBe('421 foreign_host')
    expect(await socketTo(open, { origin: evil })).toBe('403 foreign_origin')
    for (const origin of [own, chat, open.api]) expect(await socketTo(open, { origin })).toBe(101)
    const headers = showing
    // Cookies come along, by which a proxy may add the key.
    expect(await socketTo(keyed, { headers, origin: chat })).toBe('403 foreign_origin')
    expect(await socketTo(keyed, { headers, origin: own })).toBe(101)
  })
})

const preflight = (origin: string) => ({
  headers: {
    origin,
    'access-control-request-private-network': 'true',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type,x-api-key',
  },
})
const list = (headers: Headers, name: string) =>
  (headers.get(name) ?? '').split(',').map((each) => each.trim().toLowerCase())

describe('CORS', () => {
  it('answers what browsers ask before, without a key', async () => {
    for (const box of [open, keyed]) {
      const { status, headers, body } = await call(
        box.api,
        'OPTIONS',
        '/runs/stream',
        preflight(chat),
      )
      expect([status, body]).toEqual([204, ''])
      expect(headers.get('access-control-allow-origin')).toBe(chat)
      expect(list(headers, 'access-control-allow-methods')).toEqual(
        expect.arrayContaining(['get', 'post', 'put', 'patch', 'delete']),
      )
      expect(list(headers, 'access-control-allow-headers')).toEqual(
        expect.arrayContaining(['content-type', 'x-api-key', 'authorization', 'x-ours']),
      )
      expect(Number(headers.get('access-control-max-age'))).toBeGreaterThan(0)
      expect(headers.get('access-control-allow-private-network')).toBe('true')
      expect(list(headers, 'vary')).toContain('origin')
      expect(headers.has('access-control-allow-credentials')).toBe(false)
    }
    for (const origin of [evil, 'null', 'http://localhost:5173']) {
      const refused = await call(open.api, 'OPTIONS', '/runs', preflight(origin))
      expect([refused.status, refused.body.code]).toEqual([403, 'foreign_origin'])
      expect(refused.headers.has('access-control-allow-origin')).toBe(false)
      const closed = await call(keyed.api, 'OPTIONS', '/runs', preflight(origin))
      expect([closed.status, closed.headers.has('access-control-allow-origin')]).toEqual([
        401,
        false,
      ])
    }
  })

  it('lets the page read answers and refusals, streams too', async () => {
    const body = { assistant_id: 'writer', input: 'Go.' }
    const headers = { origin: chat }
    const answers = [
      await call(open.api, 'GET', '/threads', { headers }),
      await call(open.api, 'POST', '/runs/stream', { body, headers }),
      await call(open.api, 'POST', '/runs/wait', { body, headers }),
      await call(open.api, 'POST', '/runs', { body: {}, headers }),
      await call(open.api, 'GET', '/nothing', { headers }),
      await call(open.api, 'PUT', '/runs', { headers }),
      await call(keyed.api, 'GET', '/threads', { headers }),
      await call(keyed.api, 'GET', '/threads', { headers: { ...headers, ...showing } }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 422, 404, 405, 401, 200])
    for (const answer of answers) {
      expect(answer.headers.get('access-control-allow-origin')).toBe(chat)
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
      expect(list(answer.headers, 'vary')).toContain('origin')
      expect(list(answer.headers, 'access-control-expose-headers')).toEqual(
        expect.arrayContaining([
          'content-location',
          'location',
          'x-request-id',
          'retry-after',
          'x-theirs',
          'x-pagination-total',
          'x-pagination-next',
          'link',
        ]),
      )
    }
  })

  it('shows nothing to a page that nobody named, whatever it shows', async () => {
    for (const origin of [
      evil,
      'null',
      own,
      'https://chat.test.evil.example',
      'https://chat.test:1',
    ]) {
      const answer = await call(keyed.api, 'GET', '/threads', { headers: { ...showing, origin } })
      expect([origin, answer.status]).toEqual([origin, 200])
      expect(answer.headers.has('access-control-allow-origin')).toBe(false)
      expect(list(answer.headers, 'vary')).toContain('origin')
    }
  })

  it('lets in pages of this machine where a page is built, and none without being told so', async () => {
    for (const origin of [
      'http://localhost:5173',
      'http://127.0.0.1:3000',
      'http://[::1]:8080',
      'https://localhost',
    ]) {
      const { headers } = await call(local.api, 'GET', '/threads', { headers: { origin } })
      expect(headers.get('access-control-allow-origin')).toBe(origin)
      const elsewhere = await call(open.api, 'GET', '/threads', { headers: { origin } })
      expect(elsewhere.body.code).toBe('foreign_origin')
    }
    for (const origin of ['null', evil, 'http://localhost.evil.example', 'http://127.0.0.2:1']) {
      const refused = await call(local.api, 'GET', '/threads', { headers: { origin } })
      expect([origin, refused.body.code]).toEqual([origin, 'foreign_origin'])
    }
    const plain = await call(health.api, 'GET', '/ok')
    expect(plain.headers.has('vary')).toBe(false)
  })
})

describe('a setting', () => {
  it.each([
    [{ hosts: ['https://api.test'] }, 'server.hosts[0]'],
    [{ hosts: ['a b'] }, 'server.hosts[0]'],
    [{ origins: ['null'] }, 'server.origins[0]'],
    [{ origins: ['*'] }, 'server.origins[0]'],
    [{ origins: ['chat.test'] }, 'server.origins[0]'],
    [{ cors: { origins: ['https://chat.test/page'] } }, 'server.cors.origins[0]'],
    [{ cors: { origins: [chat, 'https://*.chat.test'] } }, 'server.cors.origins[1]'],
    [{ cors: { headers: ['a b'] } }, 'server.cors.headers[0]'],
    [{ cors: { headers: ['X-User'] }, identity: { userHeader: 'x-user' } }, 'server.cors.headers'],
    [{ cors: { credentials: true } }, 'server.cors.credentials'],
  ])('%j is refused by its field', async (server, field) => {
    const { field: refused } = await configErrorOf(() => parseConfig({ ...config, server }))
    expect(refused).toBe(field)
  })
})
