import { connect, createServer, type Socket } from 'node:net'

/** Stands before a server. While it is silent it accepts and says nothing, and nothing passes in either direction. */
export async function silentProxy(port: number) {
  const sockets = new Set<Socket>()
  let silent = false
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    return socket
  }
  const server = createServer((near) => {
    keep(near)
    if (silent) return
    const far = keep(connect(port, '127.0.0.1'))
    near.on('data', (data) => silent || far.write(data))
    far.on('data', (data) => silent || near.write(data))
    near.on('close', () => far.destroy())
    far.on('close', () => silent || near.destroy())
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    fallSilent: () => void (silent = true),
    /** New connections work again; those of the silence stay as dead as they were. */
    speak: () => void (silent = false),
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
