/** The egress proxy, with real servers behind it, by itself and from inside of bubblewrap. */
import { createServer, request, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { play } from '@signalbox/testing/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BubblewrapSandboxes } from '../../src/sandbox/bubblewrap/bubblewrap-sandboxes.ts'
import { EgressProxy } from '../../src/sandbox/egress/proxy.ts'
import type { EgressRules } from '../../src/sandbox/sandbox.ts'
import { temporaryDirectory } from '../hosting.ts'
import { bwrapMissing, skipBwrap } from './bwrap-here.ts'

interface Upstream {
  readonly port: number
  readonly seen: { method: string; url: string; headers: IncomingMessage['headers'] }[]
}

async function upstream(): Promise<Upstream> {
  const seen: Upstream['seen'] = []
  const server = createServer((asked, answer) => {
    seen.push({ method: asked.method ?? '', url: asked.url ?? '', headers: asked.headers })
    answer.end(`hello from ${asked.url}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { port: portOf(server.address()), seen }
}

/** A server that answers each connection with the same bytes, whatever it is sent, and may end it then. */
async function rawUpstream(answer: string, then: 'end' | 'stay' = 'stay') {
  let text = ''
  let count = 0
  const server = createTcpServer((socket) => {
    count += 1
    socket.on('error', () => undefined)
    socket.once('data', () => (then === 'end' ? socket.end(answer) : socket.write(answer)))
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { port: portOf(server.address()), captured: () => text, connections: () => count }
}

/** A server that takes its time to answer. */
async function slowUpstream(ms: number) {
  const server = createServer((_, answer) => void setTimeout(() => answer.end('late'), ms))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { port: portOf(server.address()) }
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === 'object' && address ? address.port : 0

const rulesFor = (port: number, more: Partial<EgressRules> = {}): EgressRules => ({
  hosts: [{ host: 'localhost', below: false, port }],
  methods: null,
  inject: [],
  ...more,
})

const anywhere = (): boolean => true

async function proxied(rules: EgressRules, admits?: (address: string) => boolean) {
  const socketPath = join(await temporaryDirectory(), 'egress')
  const proxy = new EgressProxy(rules, admits)
  await proxy.listen(socketPath)
  onTestFinished(() => proxy.close().catch(() => undefined))
  const ask = (url: string, method = 'GET', headers: Record<string, string> = {}) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const sent = request({ socketPath, path: url, method, headers }, (answer) => {
        let text = ''
        answer.setEncoding('utf8')
        answer.on('data', (chunk: string) => (text += chunk))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }))
      })
      sent.on('error', reject)
      sent.end()
    })
  const tunnel = (authority: string, said: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(socketPath)
      let text = ''
      let hasSaid = said === ''
      socket.setEncoding('utf8')
      socket.on('error', reject)
      socket.on('data', (chunk: string) => {
        text += chunk
        if (hasSaid || !/^HTTP\/1.1 200/.test(text)) return
        hasSaid = true
        socket.end(said)
      })
      socket.on('close', () => resolve(text))
      socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)
    })
  /** Sends bytes as they are, and answers what came back until the connection was closed. */
  const say = (bytes: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(socketPath)
      let text = ''
      socket.setEncoding('utf8')
      socket.on('error', reject)
      socket.on('data', (chunk: string) => (text += chunk))
      socket.on('close', () => resolve(text))
      socket.write(bytes)
    })
  return { proxy, ask, tunnel, say, socketPath }
}

describe('the egress proxy', () => {
  it('§7.5 passes requests to hosts of the list, counts them, and refuses others', async () => {
    const { port, seen } = await upstream()
    const { proxy, ask } = await proxied(rulesFor(port), anywhere)
    expect(await ask(`http://localhost:${port}/a?b=c`)).toEqual({
      status: 200,
      text: 'hello from /a?b=c',
    })
    expect(seen).toMatchObject([
      { method: 'GET', url: '/a?b=c', headers: { host: `localhost:${port}` } },
    ])
    expect(await ask(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 403 })
    expect(await ask(`http://localhost:1/`)).toMatchObject({ status: 403 })
    expect(await ask('/no-proxy-form')).toMatchObject({ status: 400 })
    expect(seen).toHaveLength(1)
    expect(proxy.report()).toEqual([
      { host: `127.0.0.1:${port}`, requests: 1, bytes: 0, verdict: 'refused' },
      { host: 'localhost:1', requests: 1, bytes: 0, verdict: 'refused' },
      { host: `localhost:${port}`, requests: 1, bytes: 17, verdict: 'allowed' },
    ])
  })

  it('§7.5 a name of the list that leads inward leads nowhere', async () => {
    const { port, seen } = await upstream()
    const { ask, tunnel } = await proxied(rulesFor(port))
    expect(await ask(`http://localhost:${port}/`)).toMatchObject({ status: 502 })
    expect(await tunnel(`localhost:${port}`, '')).toContain('502')
    expect(seen).toEqual([])
  })

  it('§7.5 adds credentials outside, over whatever was sent', async () => {
    const { port, seen } = await upstream()
    const inject = [{ host: 'localhost', header: 'Authorization', value: 'Bearer secret' }]
    const { ask } = await proxied(rulesFor(port, { inject }), anywhere)
    await ask(`http://localhost:${port}/`, 'GET', {
      authorization: 'Bearer mine',
      'x-own': '1',
      'proxy-authorization': 'x',
    })
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer secret', 'x-own': '1' })
    expect(seen[0]?.headers).not.toHaveProperty('proxy-authorization')
  })

  it('§7.5 restricts methods, and has no tunnels then', async () => {
    const { port, seen } = await upstream()
    const { ask, tunnel } = await proxied(rulesFor(port, { methods: ['GET', 'HEAD'] }), anywhere)
    expect(await ask(`http://localhost:${port}/`, 'DELETE')).toMatchObject({ status: 403 })
    expect(await ask(`http://localhost:${port}/`, 'GET')).toMatchObject({ status: 200 })
    expect(await tunnel(`localhost:${port}`, '')).toMatch(/^HTTP\/1.1 403/)
    expect(seen.map(({ method }) => method)).toEqual(['GET'])
  })

  it('E5 what comes as the body of a request leaves as its body, whatever it looks like', async () => {
    const { port, captured } = await rawUpstream('HTTP/1.1 204 No Content\r\n\r\n')
    const { say } = await proxied(rulesFor(port, { methods: ['GET'] }), anywhere)
    const hidden = 'DELETE /all HTTP/1.1\r\nHost: localhost\r\n\r\n'
    const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
    const head = `GET http://localhost:${port}/ HTTP/1.1\r\nHost: localhost\r\n`
    await say(`${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunk}`)
    const left = captured()
    expect(left).toMatch(/^GET \/ HTTP\/1.1\r\n/)
    expect(left.toLowerCase()).toContain('transfer-encoding: chunked')
    // The words of the hidden request stand in a chunk: right before them is their length.
    expect(left).toContain(`\r\n${hidden.length.toString(16)}\r\n${hidden}`)
  })

  it('E5 every request has a connection of its own', async () => {
    const { port, connections } = await rawUpstream(
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok',
    )
    const { ask } = await proxied(rulesFor(port), anywhere)
    for (let n = 0; n < 3; n += 1)
      expect(await ask(`http://localhost:${port}/`)).toEqual({ status: 200, text: 'ok' })
    expect(connections()).toBe(3)
  })

  it('E5 an answer that breaks off breaks off for the command, too', async () => {
    const { port } = await rawUpstream('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf', 'end')
    const { say } = await proxied(rulesFor(port), anywhere)
    const answer = await say(`GET http://localhost:${port}/ HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect(answer).toMatch(/half$/)
  })

  it.each([
    ['a status below 100', 'HTTP/1.1 099 x\r\nContent-Length: 2\r\n\r\nok'],
    ['a status of zeroes', 'HTTP/1.1 000 x\r\nContent-Length: 2\r\n\r\nok'],
    ['another protocol', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
    ['no HTTP', 'hello\r\n\r\n'],
    ['a header that is none', 'HTTP/1.1 200 OK\r\nX-\u0001: a\r\nContent-Length: 0\r\n\r\n'],
  ])('E6 %s of a server is a 502, and ends nothing', async (_, answer) => {
    const { port } = await rawUpstream(answer)
    const { ask } = await proxied(rulesFor(port), anywhere)
    expect(await ask(`http://localhost:${port}/`)).toMatchObject({ status: 502 })
  })

  it.each([
    ['at once', 0],
    ['while it is answered', 15],
  ])('E6 a command that breaks off %s ends nothing', async (_, afterMs) => {
    const { port } = await slowUpstream(10)
    const { ask, socketPath } = await proxied(rulesFor(port), anywhere)
    const head = (more: string): string =>
      `POST http://localhost:${port}/ HTTP/1.1\r\nHost: x\r\n${more}\r\n`
    const requests = [
      head('Content-Length: 9\r\nExpect: 100-continue\r\n'),
      `${head('Content-Length: 1\r\n')}a`,
      `${head('Content-Length: 1\r\nConnection: close\r\nExpect: 100-continue\r\n')}aMORE`,
      `${head('Content-Length: 1\r\n')}a${head('Content-Length: 1\r\n')}b`,
    ]
    const broken = Array.from({ length: 40 }, async (__, n) => {
      const socket = connect(socketPath)
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.write(requests[n % requests.length] ?? '')
      await sleep(afterMs + (n % 5))
      if (n % 2 === 0) socket.destroy()
      else socket.end()
    })
    await Promise.all(broken)
    await sleep(50)
    expect(await ask(`http://localhost:${port}/`)).toMatchObject({ status: 200 })
  })

  it.each(['ask', 'tunnel'] as const)(
    'E7 what is asked for by %s, and found when the call has ended, goes nowhere',
    async (how) => {
      const { port, connections } = await rawUpstream('HTTP/1.1 204 No\r\n\r\n')
      const closing: Promise<void>[] = []
      const way = await proxied(rulesFor(port), () => {
        closing.push(way.proxy.close())
        return true
      })
      const asked =
        how === 'ask' ? way.ask(`http://localhost:${port}/`) : way.tunnel(`localhost:${port}`, 'x')
      await Promise.allSettled([asked])
      expect(closing).toHaveLength(1)
      await Promise.all(closing)
      await sleep(50)
      expect(connections()).toBe(0)
    },
  )

  it('E6 a tunnel that its server resets breaks off, and nothing of ours is in it', async () => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () =>
        socket.write('DATA', () => setTimeout(() => socket.resetAndDestroy(), 10)),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const port = portOf(server.address())
    const { socketPath } = await proxied(rulesFor(port), anywhere)
    const socket = connect(socketPath)
    let text = ''
    socket.on('error', () => undefined)
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
      if (text.endsWith('\r\n\r\n')) socket.write('hello')
    })
    socket.write(`CONNECT localhost:${port} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await once(socket, 'close')
    expect(text).toBe('HTTP/1.1 200 Connection Established\r\n\r\nDATA')
  })

  it('§7.5 carries tunnels to hosts of the list alone', async () => {
    const echo = createTcpServer((socket) => socket.pipe(socket))
    await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void echo.close())
    const port = portOf(echo.address())
    const { proxy, tunnel } = await proxied(rulesFor(port), anywhere)
    expect(await tunnel(`localhost:${port}`, 'through')).toMatch(
      /^HTTP\/1.1 200.*\r\n\r\nthrough$/s,
    )
    expect(await tunnel(`127.0.0.1:${port}`, '')).toMatch(/^HTTP\/1.1 403/)
    expect(await tunnel('nonsense', '')).toMatch(/^HTTP\/1.1 400/)
    expect(proxy.report()).toMatchObject([
      { host: `127.0.0.1:${port}`, verdict: 'refused' },
      { host: `localhost:${port}`, verdict: 'allowed', bytes: 14 },
    ])
  })

  it('C11 names a bounded number of hosts, and counts the others', async () => {
    const { proxy, ask } = await proxied(rulesFor(1), anywhere)
    for (let n = 0; n < 40; n += 1) await ask(`http://host${n}.example:80/`)
    const report = proxy.report()
    expect(report).toHaveLength(32)
    expect(report.at(-1)).toEqual({ host: '*', requests: 9, bytes: 0, verdict: 'refused' })
  })
})

describe.skipIf(skipBwrap)(`a network in bubblewrap${bwrapMissing}`, () => {
  it('§7.5 reaches the hosts of the list through the proxy, and nothing past it', async () => {
    const { port, seen } = await upstream()
    const directory = await temporaryDirectory()
    const { chmod } = await import('node:fs/promises')
    await chmod(directory, 0o755)
    const sandboxes = new BubblewrapSandboxes({ directory, concurrency: 2, admits: anywhere })
    onTestFinished(() => sandboxes.close())
    const inject = [{ host: 'localhost', header: 'Authorization', value: 'Bearer canary-value' }]
    const script = [
      `curl -sS http://localhost:${port}/inside || echo failed`,
      `echo; curl -sS -o /dev/null -w '%{http_code}' http://localhost:1/`,
      `echo; curl -sS --noproxy '*' --max-time 2 http://127.0.0.1:${port}/ 2>/dev/null || echo no way past`,
      'env | grep -c canary-value; grep -rlc canary-value /proc/*/environ 2>/dev/null | wc -l',
    ].join('\n')
    const { stdout, ended } = await play(sandboxes, script, {
      network: { kind: 'allow', rules: rulesFor(port, { inject }) },
    })
    expect(stdout.trim().split('\n')).toEqual([
      'hello from /inside',
      '403',
      'no way past',
      '0',
      '0',
    ])
    expect(seen).toMatchObject([
      { url: '/inside', headers: { authorization: 'Bearer canary-value' } },
    ])
    expect(ended.egress).toMatchObject([
      { host: 'localhost:1', verdict: 'refused' },
      { host: `localhost:${port}`, verdict: 'allowed' },
    ])
    const failing = await play(sandboxes, 'exit 4', {
      network: { kind: 'allow', rules: rulesFor(port) },
    })
    expect(failing.ended).toMatchObject({ ended: 'exited', exitCode: 4, egress: [] })
  })
})
