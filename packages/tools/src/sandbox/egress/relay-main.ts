/**
 * Inside of a sandbox: listens on loopback, and carries each connection to the socket of the egress proxy, which is all that
 * leads out. Runs the command that its arguments are, and ends as that does.
 *
 * It stands alone in the sandbox: it imports nothing but Node.
 */
import { spawn } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { constants } from 'node:os'

const [, , path = '', port = '', program = '', ...args] = process.argv

const server = createServer((client) => {
  const out = connect(path)
  for (const [one, other] of [
    [client, out],
    [out, client],
  ] as const) {
    one.on('error', () => undefined)
    one.once('close', () => other.destroy())
    one.pipe(other)
  }
})

server.listen(Number(port), '127.0.0.1', () => {
  const child = spawn(program, args, { stdio: 'inherit' })
  child.once('error', () => process.exit(127))
  child.once('exit', (code, signal) => {
    process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0))
  })
})
