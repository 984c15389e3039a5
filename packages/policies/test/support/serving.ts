/** A real server for one test. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface Heard {
  readonly method: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface Serving {
  readonly url: string
  /** Every request so far. */
  readonly heard: readonly Heard[]
  /** From now on nobody listens; open connections are cut. */
  stop(): Promise<void>
}

export async function serve(
  reply: (response: ServerResponse, heard: Heard) => void,
): Promise<Serving> {
  const heard: Heard[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const one = { method: request.method, headers: request.headers, body }
      heard.push(one)
      reply(response, one)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async (): Promise<void> => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  onTestFinished(stop)
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { url: `http://127.0.0.1:${address.port}/`, heard, stop }
}

/** Replies with JSON. */
export const json = (response: ServerResponse, value: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}
