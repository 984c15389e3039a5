/** A Postgres that goes away in the very moment in which it accepts a connection: its goodbye comes in one piece with its welcome. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export interface LeavingServer {
  readonly url: string
  /** How many connections it has welcomed, and left. */
  connections(): number
  close(): Promise<void>
}

/** A message of the protocol: its letter, its length, its body. */
function message(letter: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(letter, 'latin1')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

const authenticated = message('R', Buffer.alloc(4))
const ready = message('Z', Buffer.from('I'))
const fields = [
  'SFATAL',
  'VFATAL',
  'C57P01',
  'Mterminating connection due to unexpected postmaster exit',
]
const goodbye = message('E', Buffer.from(`${fields.join('\0')}\0\0`))

/** Listens on a free port of this machine. */
export async function startLeavingServer(): Promise<LeavingServer> {
  let connections = 0
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      connections += 1
      socket.end(Buffer.concat([authenticated, ready, goodbye]))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const isInet = (at: typeof address): at is AddressInfo => typeof at === 'object' && at !== null
  if (!isInet(address)) throw new Error('the server has no port')
  return {
    url: `postgres://signalbox@127.0.0.1:${address.port}/signalbox`,
    connections: () => connections,
    async close() {
      server.close()
      await once(server, 'close')
    },
  }
}

export interface Uncaught {
  readonly errors: readonly unknown[]
  stop(): void
}

/** Notes errors that would end the process. The test runner would report them as a failure of no test in particular. */
export function noteUncaught(): Uncaught {
  const errors: unknown[] = []
  const others = process.listeners('uncaughtException')
  process
    .removeAllListeners('uncaughtException')
    .on('uncaughtException', (error) => errors.push(error))
  return {
    errors,
    stop() {
      process.removeAllListeners('uncaughtException')
      for (const listener of others) process.on('uncaughtException', listener)
    },
  }
}
