/** A way to a server that can be cut, as a network is: whoever is connected finds the connection gone. */
import { connect, createServer, type Socket } from 'node:net'

export interface Cuttable {
  /** The address of the server, by this way. */
  readonly api: string
  readonly cut: () => void
  readonly close: () => Promise<void>
}

export async function cuttable(api: string): Promise<Cuttable> {
  const { hostname, port } = new URL(api)
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.pipe(to)
      from.on('error', () => {})
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy()
  }
  return {
    api: `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`,
    cut,
    close: () => {
      cut()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
