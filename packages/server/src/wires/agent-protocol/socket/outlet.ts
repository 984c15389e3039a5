/**
 * What is sent on a socket, at the pace of who reads it: whoever writes waits until the connection has taken it, so nothing
 * piles up. A client that takes nothing for `stallMs` is cut.
 */
import type { WebSocket } from 'ws'

export class Outlet {
  readonly #socket: Pick<WebSocket, 'send' | 'terminate'>
  readonly #stallMs: number

  constructor(socket: Pick<WebSocket, 'send' | 'terminate'>, stallMs: number) {
    this.#socket = socket
    this.#stallMs = stallMs
  }

  /** Resolves when the connection has taken it. False: it is gone. */
  send(message: unknown): Promise<boolean> {
    return new Promise((resolve) => {
      const stalled = setTimeout(() => this.#socket.terminate(), this.#stallMs)
      this.#socket.send(JSON.stringify(message), (error) => {
        clearTimeout(stalled)
        resolve(!error)
      })
    })
  }
}
