import { connect } from 'node:net'
import { createClient } from '../client/client.ts'
import { Failure } from '../failure.ts'
import { serverOf, type ServerOptions } from '../options.ts'
import type { Shell } from '../shell.ts'
import { type DoctorFinding, failed, ok, errorLine } from './finding.ts'

const connectMsMax = 2000

/** Who is at the address of the server: Signalbox, nobody, or somebody else? */
export async function checkServer(shell: Shell, options: ServerOptions): Promise<DoctorFinding> {
  try {
    const server = serverOf(options, shell)
    const client = createClient(server)
    if (!server.isNamed && !(await isTaken(new URL(server.url))))
      return ok('server', `none runs; ${server.url} is free`)
    await client.health()
    const { version, roles } = await client.info()
    return ok('server', `Signalbox ${version} at ${server.url} (${roles.join(', ')})`)
  } catch (error) {
    return failed('server', errorLine(error), fixFor(error))
  }
}

function fixFor(error: unknown): string {
  const code = error instanceof Failure ? error.code : ''
  if (code === 'not_signalbox')
    return 'Another program has the port: start Signalbox with --port, and name it with --url.'
  // Those are found by the checks of the database and of Redis; the process itself goes on when they are well.
  if (code === 'not_ready' || code.startsWith('register_'))
    return 'See the checks above, and GET /ready of the server.'
  if (code === 'unauthenticated') return 'export SIGNALBOX_API_KEY=…'
  return 'npx signalbox dev'
}

function isTaken({ hostname, port }: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), timeout: connectMsMax })
    const end = (taken: boolean) => {
      socket.destroy()
      resolve(taken)
    }
    socket
      .once('connect', () => end(true))
      .once('timeout', () => end(false))
      .once('error', () => end(false))
  })
}
