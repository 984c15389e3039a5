/** Bytes to a server and back, without a client that would refuse to send them. */
import { connect } from 'node:net'

/** Sends the first text, the second when something has come back, and gives what came until the server closed. */
export function exchange(base: string, first: string, second?: string): Promise<string> {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => {
      if (chunks.push(chunk) === 1 && second !== undefined) socket.write(second)
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
    socket.write(first)
  })
}
