/** The HTTP server of a process. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { ApiEnv } from '../http/api.ts'
import { StartError } from './start-error.ts'
import { answerUnreadable, onBrokenRequest } from './unreadable.ts'
import { asksForSocket, Upgrades } from './upgrades.ts'

/** Headers of a request, together. */
const headerBytesMax = 32 * 1024
const headersMs = 20_000
const bodyMs = 60_000

export interface Listening {
  readonly url: string
  /** Takes no more connections; waits for answers in flight up to `graceMs`, then cuts them. */
  stop(graceMs: number): Promise<void>
}

interface Address {
  readonly host: string
  readonly port: number
  /** How long a connection may be idle between two requests. */
  readonly keepAliveMs: number
  /** Bytes of one message of a WebSocket. Left out: there are none. */
  readonly messageBytesMax?: number
}

/**
 * Serves the app.
 *
 * @throws StartError `port_in_use`, `listen_failed`
 */
export async function listen(
  app: Pick<OpenAPIHono<ApiEnv>, 'fetch'>,
  address: Address,
): Promise<Listening> {
  const takesSockets = address.messageBytesMax !== undefined
  const upgrades = new Upgrades(address.messageBytesMax ?? 0)
  const listener = getRequestListener(upgrades.around(app.fetch), { errorHandler: onBrokenRequest })
  const answering = new WeakMap<Duplex, ServerResponse>()
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    answering.set(request.socket, response)
    void listener(request, response)
  }
  const server = createServer(
    {
      maxHeaderSize: headerBytesMax,
      headersTimeout: headersMs,
      requestTimeout: bodyMs,
      // Only while no request has begun: the time for headers begins with the first byte of one.
      keepAliveTimeout: address.keepAliveMs,
      // Node would refuse it with nothing said; the adapter does it with a problem.
      requireHostHeader: false,
      shouldUpgradeCallback: takesSockets ? asksForSocket : () => false,
    },
    answer,
  )
  // Before 22.21 Node cannot be told which upgrades are meant: then none is, and requests are answered as they always were.
  if (takesSockets && Reflect.has(server, 'shouldUpgradeCallback')) upgrades.serve(server, listener)
  // An expectation that nobody knows is one that nobody meets; it is no reason not to answer.
  server.on('checkExpectation', answer)
  server.on('clientError', (error, socket) =>
    answerUnreadable(error, socket, answering.get(socket)),
  )
  const port = await bind(server, address)
  const host = address.host.includes(':') ? `[${address.host}]` : address.host
  return {
    url: `http://${host}:${port}`,
    stop: (graceMs) => stop(server, graceMs, () => upgrades.cut()),
  }
}

function bind(server: Server, address: Pick<Address, 'host' | 'port'>) {
  return new Promise<number>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const where = `${address.host}:${address.port}`
      reject(
        error.code === 'EADDRINUSE'
          ? new StartError(
              'port_in_use',
              `The port ${where} is taken. Set PORT to another one.`,
              error,
            )
          : new StartError('listen_failed', `Cannot listen on ${where}: ${error.message}.`, error),
      )
    })
    server.listen(address.port, address.host, () => {
      const bound = server.address()
      resolve(typeof bound === 'object' && bound ? bound.port : address.port)
    })
  })
}

function stop(server: Server, graceMs: number, cutSockets: () => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.closeAllConnections()
      cutSockets()
    }, graceMs)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}
