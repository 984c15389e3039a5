/** A proxy to a server that falls silent on command: its connections stay open, and nothing passes any more, in either direction. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface SilentProxy {
  /** The address of the server, by way of the proxy. */
  readonly url: string
  /** Connections made so far. */
  readonly made: () => number
  /** What is open now stays silent for ever; with `all`, what is opened from now on as well. */
  fallSilent(how?: 'all'): void
  /** The next `most` connections that carry this text pass it on, and no answer comes back over them any more, nor anything else. */
  loseAnswersTo(text: string, most: number): void
  /** Connections that have lost answers since. */
  readonly lost: () => number
  /** From now on connections are served again; those that fell silent stay so. */
  heal(): void
  close(): Promise<void>
}

export async function startSilentProxy(target: string): Promise<SilentProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const pairs = new Set<readonly [Socket, Socket]>()
  let isSilent = false
  let made = 0
  let losing: { readonly text: string; readonly most: number } | null = null
  let lost = 0
  const server = createServer((client) => {
    made += 1
    const upstream = connect(Number(port), hostname)
    const pair = [client, upstream] as const
    for (const socket of pair) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    if (isSilent) return
    pairs.add(pair)
    client.on('data', (chunk: Buffer) => {
      if (
        losing === null ||
        lost >= losing.most ||
        !pairs.has(pair) ||
        !chunk.includes(losing.text)
      )
        return
      lost += 1
      pairs.delete(pair)
      // This chunk still arrives, as the next listener writes it.
      setImmediate(() => client.unpipe(upstream).pause())
      // Read on, so that the server is not held up by its answers.
      upstream.unpipe(client).resume()
    })
    client.pipe(upstream)
    upstream.pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = new URL(target)
  url.host = `127.0.0.1:${address.port}`
  return {
    url: url.href,
    made: () => made,
    fallSilent(how) {
      isSilent = how === 'all'
      for (const [client, upstream] of pairs) {
        client.unpipe(upstream).pause()
        upstream.unpipe(client).pause()
      }
      pairs.clear()
    },
    loseAnswersTo(text, most) {
      losing = { text, most }
      lost = 0
    },
    lost: () => lost,
    heal() {
      isSilent = false
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
