import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createConnection, createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'

export interface RedisServer {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

const startMsMax = 10_000

/** A Redis with the settings the queue asks for (append-only file every second, no eviction), or why there is none. */
export async function startRedis(dir: string): Promise<RedisServer | string> {
  const port = await freePort()
  const settings = {
    port,
    bind: '127.0.0.1',
    dir,
    save: '',
    appendonly: 'yes',
    appendfsync: 'everysec',
  }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  const child = spawn('redis-server', args, { stdio: 'ignore' })
  // A bench that is given up must not leave it behind.
  process.once('exit', () => child.kill('SIGKILL'))
  try {
    await once(child, 'spawn')
  } catch {
    return 'no redis-server on PATH'
  }
  const until = performance.now() + startMsMax
  while (!(await answers(port))) {
    if (child.exitCode !== null) return `redis-server ended with code ${child.exitCode}`
    if (performance.now() > until) return 'redis-server did not answer'
    await setTimeout(20)
  }
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid ?? 0, stop: () => stop(child) }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port, host: '127.0.0.1' })
    const settle = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
  })
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port was given')
  return address.port
}
