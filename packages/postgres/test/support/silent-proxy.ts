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
