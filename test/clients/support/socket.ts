/** A WebSocket without a client: frames as they are on the wire. */
import { once } from 'node:events'
import { type ClientOptions, WebSocket } from 'ws'
import type { Heard } from './tape.ts'

/** What comes back from a command. */
export interface Answered {
  readonly type: string
  readonly id: number | null
  readonly error?: string
  readonly message?: string
  // Tests look into answers freely.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly result?: any
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly problem?: any
}

export interface Raw {
  readonly socket: WebSocket
  /** The events that came, in order. */
  readonly heard: readonly Heard[]
  /** The answers that came, in order. */
  readonly answers: readonly Answered[]
  /** Sends a command and waits for its answer. */
  readonly ask: (method: string, params?: object) => Promise<Answered>
  /** Sends whatever it is, and waits for the next answer. */
  readonly throwIn: (frame: string | Buffer) => Promise<Answered>
  /** The code that the socket is closed with. */
  readonly closed: Promise<number>
}

const addressOf = (api: string, threadId: string): string =>
  `${api.replace(/^http/, 'ws')}/threads/${threadId}/stream/events`

/** An open socket. */
export async function connect(
  api: string,
  threadId: string,
  options: ClientOptions = {},
): Promise<Raw> {
  const socket = new WebSocket(addressOf(api, threadId), options)
  const heard: Heard[] = []
  const answers: Answered[] = []
  const waiting: ((answer: Answered) => void)[] = []
  socket.on('message', (data) => {
    const message = JSON.parse(Buffer.isBuffer(data) ? data.toString() : '')
    if (message.type === 'event') return void heard.push(message)
    answers.push(message)
    waiting.shift()?.(message)
  })
  socket.on('error', () => {})
  const closed = once(socket, 'close').then(([code]) => Number(code))
  await once(socket, 'open')
  const throwIn = (frame: string | Buffer) =>
    new Promise<Answered>((resolve) => {
      waiting.push(resolve)
      socket.send(frame)
    })
  let id = 0
  const ask = (method: string, params: object = {}) =>
    throwIn(JSON.stringify({ id: (id += 1), method, params }))
  return { socket, heard, answers, ask, throwIn, closed }
}

/** How a socket that is not opened is refused. */
export async function refusalOf(
  api: string,
  threadId: string,
  options: ClientOptions = {},
): Promise<{ readonly status: number; readonly type: string; readonly code: string }> {
  const socket = new WebSocket(addressOf(api, threadId), options)
  socket.on('error', () => {})
  const [, response] = await once(socket, 'unexpected-response')
  let text = ''
  for await (const part of response) text += part
  const { code } = JSON.parse(text)
  return { status: response.statusCode, type: response.headers['content-type'], code }
}
