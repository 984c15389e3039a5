import { connect, createServer, type Socket } from 'node:net'

/** Stands before a server, and falls silent as a network does: nothing passes in either direction, and nobody is told. */
export async function silentProxy(port: number) {
  const sockets = new Set<Socket>()
  let silent = false
  let generation = 0
  const keep = (socket: Socket): Socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    return socket
  }
  const server = createServer((near) => {
    keep(near)
    if (silent) return
    const mine = generation
    const dead = (): boolean => silent || mine !== generation
    const far = keep(connect(port, '127.0.0.1'))
    near.on('data', (data) => dead() || far.write(data))
    far.on('data', (data) => dead() || near.write(data))
    near.on('close', () => far.destroy())
    far.on('close', () => dead() || near.destroy())
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    /** It accepts, and says nothing. A connection that lost a part of what was said over it stays dead: TCP knows no gaps. */
    fallSilent() {
      silent = true
      generation += 1
    },
    /** The connections that there are stay silent for good; new ones work. */
    forget: () => void (generation += 1),
    /** New connections work again; those of the silence stay as dead as they were. */
    speak: () => void (silent = false),
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
