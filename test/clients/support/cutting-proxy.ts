/** A proxy between a client and a server that cuts event streams: each connection after so many bytes of its stream. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface CuttingProxy {
  readonly url: string
  /** Streams that were cut so far. */
  readonly cuts: () => number
  close(): Promise<void>
}

/** Cuts the n-th event stream after `after[n]` bytes of its body, and none beyond these. */
export async function startCuttingProxy(
  target: string,
  after: readonly number[],
): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target)
  const left = [...after]
  let cuts = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream)
    let budget = Number.POSITIVE_INFINITY
    let isStream = false
    upstream.on('data', (bytes: Buffer) => {
      let head = 0
      if (!isStream && bytes.includes('text/event-stream')) {
        isStream = true
        head = bytes.indexOf('\r\n\r\n') + 4
        budget = left.shift() ?? budget
      }
      budget -= bytes.length - head
      if (budget > 0) return void client.write(bytes)
      cuts += 1
      client.write(bytes.subarray(0, bytes.length + budget), () => client.destroy())
      upstream.destroy()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    cuts: () => cuts,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
