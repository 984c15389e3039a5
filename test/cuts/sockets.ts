/**
 * Plays over a real connection: a socket ends in more ways than a stream in this process. Whoever sends says with the framing of HTTP
 * whether the end is one.
 */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { contentType } from '../../packages/models/test/support/wire-bytes.ts'
import type { Close, Play } from './plan.ts'
import { call, type Heard } from './play.ts'

/** How a connection sends the body, and how it ends. */
export type Framing = keyof typeof framings

interface Sent {
  readonly close: Close
  readonly headers: readonly string[]
  readonly body: readonly (string | Uint8Array)[]
  /** Breaks the connection instead of closing it. */
  readonly isReset?: boolean
}

const chunk = (bytes: Uint8Array): readonly (string | Uint8Array)[] =>
  bytes.length === 0 ? [] : [`${bytes.length.toString(16)}\r\n`, bytes, '\r\n']
const chunked = ['transfer-encoding: chunked']

const framings = {
  'chunked, ended': (bytes) => ({
    close: 'clean',
    headers: chunked,
    body: [...chunk(bytes), '0\r\n\r\n'],
  }),
  'no length, closed': (bytes) => ({ close: 'clean', headers: [], body: [bytes] }),
  'chunked, closed without the last chunk': (bytes) => ({
    close: 'reset',
    headers: chunked,
    body: chunk(bytes),
  }),
  'chunked, reset': (bytes) => ({
    close: 'reset',
    headers: chunked,
    body: chunk(bytes),
    isReset: true,
  }),
  'a length that is not reached': (bytes) => ({
    close: 'reset',
    headers: [`content-length: ${bytes.length + 1}`],
    body: [bytes],
  }),
  // Where the end of the connection is the end of the body, Node's client takes a reset for one: only the last word tells.
  'no length, reset': (bytes) => ({ close: 'either', headers: [], body: [bytes], isReset: true }),
} satisfies Record<string, (bytes: Uint8Array) => Sent>

export const framingNames: readonly Framing[] = [
  'chunked, ended',
  'no length, closed',
  'chunked, closed without the last chunk',
  'chunked, reset',
  'a length that is not reached',
  'no length, reset',
]

export const closeOf = (framing: Framing): Close => framings[framing](new Uint8Array()).close

export interface Sender {
  play(play: Play, framing: Framing): Promise<Heard>
  close(): void
}

/** A server that answers one request at a time. */
export async function openSender(): Promise<Sender> {
  let answer: ((socket: Socket) => void) | undefined
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined)
    // Requests are small: their end comes with their beginning, or soon.
    let head = ''
    const read = (data: Buffer): void => {
      head += data.toString('latin1')
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      const from = head.indexOf('\r\n\r\n')
      if (from === -1 || head.length < from + 4 + length) return
      socket.off('data', read)
      answer?.(socket)
    }
    socket.on('data', read)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    async play({ stream, cut }, framing) {
      const sent: Sent = framings[framing](stream.bytes.subarray(0, cut))
      answer = (socket) => void send(socket, contentType(stream.of.wire), sent)
      return call(stream, `http://127.0.0.1:${port}/v1`, globalThis.fetch)
    },
    close: () => server.close(),
  }
}

async function send(socket: Socket, type: string, { headers, body, isReset }: Sent): Promise<void> {
  const head = ['HTTP/1.1 200 OK', `content-type: ${type}`, 'connection: close', ...headers]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  for (const part of body) socket.write(part)
  if (isReset !== true) {
    socket.end()
    return
  }
  // The last bytes must have left before the connection breaks, else the reset overtakes them.
  await new Promise((resolve) => setTimeout(resolve, 5))
  socket.resetAndDestroy()
}
