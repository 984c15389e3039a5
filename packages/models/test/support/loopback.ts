/** A real HTTP server on the loopback interface that answers each registered path with fixed bytes. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: readonly Uint8Array[]
  /** `reset` breaks the connection after the body, `hang` keeps it open without another byte. */
  readonly end?: 'close' | 'reset' | 'hang'
}

export interface Loopback {
  /** Registers a reply, gives the base URL that gets it. */
  reply(reply: Reply): string
  /** Resolves when the client has left a reply that hangs. */
  hungUp(baseURL: string): Promise<void>
  /** Bodies of the requests to a base URL. */
  requests(baseURL: string): readonly string[]
  close(): Promise<void>
}

export async function startLoopback(): Promise<Loopback> {
  const replies: Reply[] = []
  const seen = new Map<string, string[]>()
  const hanging = new Map<string, PromiseWithResolvers<void>>()
  const hang = (path: string): PromiseWithResolvers<void> => {
    const left = hanging.get(path) ?? Promise.withResolvers<void>()
    hanging.set(path, left)
    return left
  }
  const server = createServer((request, response) => {
    const path = /^\/r\/(\d+)\//.exec(request.url ?? '')
    const reply = replies[Number(path?.[1])]
    if (!reply) response.writeHead(404).end()
    else
      void collect(request).then((body) => {
        const key = `/r/${path?.[1]}`
        seen.set(key, [...(seen.get(key) ?? []), body])
        response.once('close', hang(key).resolve)
        return send(reply, response)
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
  return {
    reply: (reply) => `${origin}/r/${replies.push(reply) - 1}`,
    hungUp: (baseURL) => hang(new URL(baseURL).pathname).promise,
    requests: (baseURL) => seen.get(new URL(baseURL).pathname) ?? [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function send(reply: Reply, response: ServerResponse): Promise<void> {
  response.writeHead(reply.status ?? 200, reply.headers ?? {})
  response.flushHeaders()
  for (const chunk of reply.body)
    await new Promise<void>((resolve) => response.write(chunk, () => resolve()))
  if (reply.end === 'reset') {
    // The last bytes must have left before the connection breaks, else the reset overtakes them.
    await new Promise((resolve) => setTimeout(resolve, 20))
    response.socket?.resetAndDestroy()
  } else if (reply.end !== 'hang') response.end()
}

async function collect(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}
