/**
 * Requests that ask for a WebSocket, on the way to the app and back.
 *
 * U1 The app answers them as every request: who asks, what they may do and what they ask for is decided there, and a refusal
 *    is the answer that it gives, body and all.
 * U2 A connection becomes a socket after the app's answer, and only if a route has taken it.
 * U3 What asks for another protocol is answered as if it had not asked: its body is still to be read.
 */
import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { WebSocketServer } from 'ws'
import type { Bindings, Opening } from '../http/upgrade.ts'

type Fetch = (request: Request, bindings: Bindings) => Response | Promise<Response>
type Incoming = object & { readonly socket: Pick<Socket, 'remoteAddress'> }
type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void

/** Nothing else is asked for so: other protocols come with bodies, which an upgrade would leave unread. */
export const asksForSocket = ({ method, headers }: IncomingMessage): boolean =>
  method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'

export class Upgrades {
  readonly #sockets: WebSocketServer
  readonly #openings = new WeakMap<object, Opening>()
  readonly #asking = new WeakSet<object>()
  readonly #connections = new Set<Duplex>()

  /** @param bytesMax of one message */
  constructor(bytesMax: number) {
    this.#sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: bytesMax,
      perMessageDeflate: false,
    })
  }

  /** The app, which may take over the connections of requests that ask for it. */
  around(fetch: Fetch) {
    return async (request: Request, { incoming }: { readonly incoming: Incoming }) => {
      const isAsking = this.#asking.has(incoming)
      const accept = (opening: Opening): void => void this.#openings.set(incoming, opening)
      const peer = incoming.socket.remoteAddress
      const response = await fetch(request, { peer, ...(isAsking ? { upgrade: { accept } } : {}) })
      return this.#openings.has(incoming) ? RESPONSE_ALREADY_SENT : response
    }
  }

  /** Lets a server ask `answer` whether a connection becomes a socket. */
  serve(server: Server, answer: Answer): void {
    server.on('upgrade', (request: IncomingMessage, _: Duplex, head: Buffer) => {
      const connection = request.socket
      // Until it is a socket nobody else listens, and a client may go any time.
      connection.on('error', () => connection.destroy())
      this.#connections.add(connection)
      connection.once('close', () => this.#connections.delete(connection))
      this.#asking.add(request)
      this.#ask(request, head, answer).catch(() => connection.destroy())
    })
  }

  async #ask(request: IncomingMessage, head: Buffer, answer: Answer): Promise<void> {
    const connection = request.socket
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.once('finish', () => connection.end())
    response.assignSocket(connection)
    await answer(request, response)
    const opening = this.#openings.get(request)
    if (!opening) return
    response.detachSocket(connection)
    let isOpen = false
    this.#sockets.handleUpgrade(request, connection, head, (socket) => {
      isOpen = true
      opening.opened(socket)
    })
    if (!isOpen) opening.failed()
  }

  /** Cuts what is still connected. */
  cut(): void {
    for (const connection of this.#connections) connection.destroy()
  }
}
