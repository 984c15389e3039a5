/** Looks whether the peer of a socket is still there: it must answer a ping before the next one is due. */
import type { WebSocket } from 'ws'

interface Pinged extends Pick<
  WebSocket,
  'ping' | 'terminate' | 'isPaused' | 'readyState' | 'OPEN'
> {
  on(event: 'pong', listener: () => void): unknown
  once(event: 'close', listener: () => void): unknown
}

/** Ends with the socket. */
export function keepPulse(socket: Pinged, everyMs: number): void {
  let isAlive = true
  socket.on('pong', () => {
    isAlive = true
  })
  const timer = setInterval(() => {
    // While nothing is read its answer cannot be seen.
    if (!isAlive && !socket.isPaused) return socket.terminate()
    isAlive = socket.isPaused
    if (socket.readyState === socket.OPEN) socket.ping()
  }, everyMs)
  socket.once('close', () => clearInterval(timer))
}
