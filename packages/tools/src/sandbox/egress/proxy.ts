/**
 * The way out of a sandbox: an HTTP proxy of the worker on a unix socket, with an allow-list.
 *
 * E1 A request goes to a host and port of the list, or nowhere. The proxy resolves the name, and connects to an address
 *    that it has checked: a name of the list that leads inward leads nowhere.
 * E2 What is added to requests is added here: it never enters the sandbox. A request to port 443 that comes without
 *    encryption leaves with it, so that there is something to add to.
 * E3 Through a tunnel nobody can see methods: where they are restricted there are no tunnels.
 * E4 Every host is counted, allowed or not.
 * E5 A request leaves on a connection of its own, and ends where it was said to end: nothing that was sent as its body can be
 *    read as a request, and no other call gets its answer.
 * E6 Neither a command nor a server can end the worker: whatever they send, or break off at whatever moment, is at most an error of that request.
 * E7 Behind the end of the call nothing is connected to any more.
 */
import { lookup } from 'node:dns/promises'
import { rm } from 'node:fs/promises'
import {
  createServer,
  type IncomingMessage,
  request as plainRequest,
  type Server,
  type ServerResponse,
} from 'node:http'
import { request as encryptedRequest, type RequestOptions } from 'node:https'
import { connect, isIP, type Socket } from 'node:net'
import { type Duplex, pipeline } from 'node:stream'
import { limits, type SandboxEgress } from '@signalbox/core'
import type { EgressRules } from '../sandbox.ts'
import { isPublicAddress } from './public-address.ts'
import { isAllowed } from './rules.ts'
import { EgressTally } from './tally.ts'

/** May an address be connected to? */
export type Admits = (address: string) => boolean

const encryptedPort = 443
const idleMsMax = 60_000
const headerBytesMax = 16 * 1024

/** Headers between a client and its proxy (RFC 9110, 7.6.1). */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

interface Target {
  readonly host: string
  readonly port: number
}

/** The proxy of one call. */
export class EgressProxy {
  readonly #rules: EgressRules
  readonly #admits: Admits
  readonly #server: Server
  readonly #tally = new EgressTally()
  readonly #open = new Set<Duplex>()
  #path: string | null = null
  #isClosed = false

  constructor(rules: EgressRules, admits: Admits = isPublicAddress) {
    this.#rules = rules
    this.#admits = admits
    this.#server = createServer({ maxHeaderSize: headerBytesMax }, (request, response) => {
      this.#forward(request, response).catch(() => response.destroy())
    })
    this.#server.maxConnections = limits.egressConnectionsMax
    this.#server.on('connection', (socket: Socket) => this.#keep(socket))
    this.#server.on('connect', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      this.#tunnel(request, socket, head).catch(() => socket.destroy())
    })
    this.#server.on('clientError', (_error: Error, socket: Duplex) => socket.destroy())
  }

  /** Listens on a unix socket, which is made. */
  async listen(path: string): Promise<void> {
    await rm(path, { force: true })
    this.#path = path
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(path, resolve)
    })
  }

  report(): readonly SandboxEgress[] {
    return this.#tally.report()
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const socket of this.#open) socket.destroy()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
    if (this.#path !== null) await rm(this.#path, { force: true })
  }

  #keep(socket: Duplex): void {
    this.#open.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => this.#open.delete(socket))
  }

  async #tunnel(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.#keep(socket)
    const target = authority(request.url ?? '')
    const refuse = (status: string, why: string): void => {
      socket.end(
        `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${why}\n`,
      )
    }
    if (!target) return refuse('400 Bad Request', 'CONNECT takes a host and a port.')
    if (!this.#mayReach(target)) return refuse('403 Forbidden', refusal(target))
    if (this.#rules.methods !== null)
      return refuse(
        '403 Forbidden',
        `No tunnels here. Ask for http://${nameOf(target)}/…: it leaves encrypted.`,
      )
    const address = await this.#resolve(target.host)
    if (this.#isClosed || socket.destroyed) return void socket.destroy()
    if (address === null) return refuse('502 Bad Gateway', unreachable(target))
    const upstream = connect({ host: address, port: target.port })
    this.#keep(upstream)
    upstream.setTimeout(idleMsMax, () => upstream.destroy())
    let isOpen = false
    upstream.once('connect', () => {
      isOpen = true
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      if (head.length > 0) upstream.write(head)
      this.#count(target, socket)
      this.#count(target, upstream)
      socket.pipe(upstream).pipe(socket)
    })
    // An open tunnel carries the bytes of others: it breaks off, without a word of ours.
    upstream.once('close', () => {
      if (isOpen) socket.destroy()
      else refuse('502 Bad Gateway', unreachable(target))
    })
    socket.once('close', () => upstream.destroy())
  }

  #count(target: Target, stream: Duplex): void {
    stream.on('data', (chunk: Buffer) => this.#tally.bytes(nameOf(target), chunk.length))
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.canParse(request.url ?? '') ? new URL(request.url ?? '') : null
    const refuse = (status: number, why: string): void => {
      response
        .writeHead(status, { 'content-type': 'text/plain', connection: 'close' })
        .end(`${why}\n`)
    }
    if (url?.protocol !== 'http:') return refuse(400, 'This is a proxy: it takes whole addresses.')
    const target = { host: url.hostname, port: url.port === '' ? 80 : Number(url.port) }
    if (!this.#mayReach(target)) return refuse(403, refusal(target))
    const method = request.method ?? 'GET'
    if (this.#rules.methods?.includes(method) === false)
      return refuse(
        403,
        `${method} is not allowed here; allowed: ${this.#rules.methods.join(', ')}.`,
      )
    const address = await this.#resolve(target.host)
    // Meanwhile the command may have gone, or ended.
    if (this.#isClosed || isGone(request, response)) return void response.destroy()
    if (address === null) return refuse(502, unreachable(target))
    this.#send({ url, target, address, method }, request, response)
  }

  #send(
    to: {
      readonly url: URL
      readonly target: Target
      readonly address: string
      readonly method: string
    },
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const { url, target, address, method } = to
    const isEncrypted = target.port === encryptedPort
    const options: RequestOptions = {
      host: address,
      port: target.port,
      method,
      path: `${url.pathname}${url.search}`,
      headers: this.#headers(request, target),
      timeout: idleMsMax,
      agent: false,
      ...(isEncrypted && isIP(target.host) === 0 ? { servername: target.host } : {}),
    }
    const upstream = isEncrypted ? encryptedRequest(options) : plainRequest(options)
    const fail = (): void => {
      if (response.headersSent || isGone(request, response)) response.destroy()
      else response.writeHead(502, { 'content-type': 'text/plain' }).end(`${unreachable(target)}\n`)
      upstream.destroy()
    }
    const leave = (): void => void upstream.destroy()
    upstream.on('timeout', leave)
    upstream.on('error', fail)
    // Another protocol was not asked for: what speaks one is no answer.
    upstream.on('upgrade', (_answer, socket: Socket) => {
      socket.destroy()
      fail()
    })
    upstream.on('response', (answer) => {
      answer.on('error', fail)
      try {
        if (isGone(request, response)) return fail()
        response.writeHead(answer.statusCode ?? 502, endToEnd(answer))
        answer.on('data', (chunk: Buffer) => this.#tally.bytes(nameOf(target), chunk.length))
        // An answer that breaks off breaks off in there as well.
        pipeline(answer, response, () => undefined)
      } catch {
        // A status or a header that is not written.
        fail()
      }
    })
    request.on('error', leave)
    // The answer to a request behind another one has no connection yet, and is not told that it is gone.
    request.socket.once('close', leave)
    response.once('close', () => request.socket.off('close', leave))
    request.on('data', (chunk: Buffer) => this.#tally.bytes(nameOf(target), chunk.length))
    request.pipe(upstream)
    response.once('close', leave)
  }

  #headers(request: IncomingMessage, target: Target): Record<string, string | string[]> {
    const headers: Record<string, string | string[]> = {}
    for (const [name, value] of Object.entries(request.headers))
      if (value !== undefined && !hopByHop.has(name)) headers[name] = value
    // How long a body is, somebody has to say: of a method that has none, Node would send it as it is.
    if (request.headers['transfer-encoding'] !== undefined) {
      delete headers['content-length']
      headers['transfer-encoding'] = 'chunked'
    }
    const isUsual = target.port === 80 || target.port === encryptedPort
    headers['host'] = isUsual ? target.host : nameOf(target)
    for (const { host, header, value } of this.#rules.inject)
      if (host === target.host.toLowerCase()) headers[header.toLowerCase()] = value
    return headers
  }

  #mayReach(target: Target): boolean {
    const allowed = isAllowed(this.#rules, target)
    return this.#tally.request(nameOf(target), allowed) && allowed
  }

  /** An address that may be reached; null if there is none. Of several, all have to be such: a name decides for itself. */
  async #resolve(host: string): Promise<string | null> {
    const found = await lookup(host.replace(/^\[|\]$/g, ''), { all: true }).catch(() => [])
    if (found.length === 0 || !found.every(({ address }) => this.#admits(address))) return null
    return found[0]?.address ?? null
  }
}

/** Has the command closed its connection? */
const isGone = (request: IncomingMessage, response: ServerResponse): boolean =>
  response.destroyed || request.socket.destroyed

/** The headers of an answer that are for whoever asked. */
const endToEnd = ({ headers }: IncomingMessage): NodeJS.Dict<string | string[]> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)))

function authority(text: string): Target | null {
  const [, host = '', port = ''] = /^\[?([^\]\s/@]+?)\]?:(\d{1,5})$/.exec(text) ?? []
  return host === '' ? null : { host, port: Number(port) }
}

const nameOf = ({ host, port }: Target): string => `${host.toLowerCase()}:${port}`

const refusal = (target: Target): string =>
  `${nameOf(target)} is not on the list of hosts that this sandbox may reach.`

const unreachable = (target: Target): string => `${nameOf(target)} cannot be reached.`
