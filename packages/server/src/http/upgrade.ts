/** How a route takes a connection over, to speak WebSocket on it. */
import type { WebSocket } from 'ws'

/** What a request that asks for a WebSocket comes with. */
export interface Upgrade {
  /** The connection becomes a socket once the answer of the route has left the app. Its answer is then not sent. */
  accept(opening: Opening): void
}

/** One of the two is called, once. */
export interface Opening {
  readonly opened: (socket: WebSocket) => void
  /** The client went before it was answered. */
  readonly failed: () => void
}

/** What the adapter hands over beside a request. */
export interface Bindings {
  readonly upgrade?: Upgrade | undefined
  /** Who is at the other end of the connection. */
  readonly peer?: string | undefined
}
