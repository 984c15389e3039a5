import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from '../../../../test/contract/free-port.ts'

const present = spawnSync('redis-server', ['--version']).status === 0

/** Ends the title of a suite that needs Redis where there is none. */
export const redisMissing = present ? '' : ' (skipped: redis-server is not on PATH)'

/** Nothing is skipped where everything is required: there the suite fails. */
export const skipRedis = !present && process.env['SIGNALBOX_REQUIRE_ALL'] !== '1'

/** A Redis of our own, on a port of its own, that keeps nothing. */
export class RedisServer {
  readonly url: string
  readonly port: number
  readonly #dir: string
  readonly #settings: readonly string[]
  #process: ChildProcess | null = null

  private constructor(port: number, dir: string, settings: readonly string[]) {
    this.port = port
    this.#dir = dir
    this.#settings = settings
    this.url = `redis://127.0.0.1:${port}`
  }

  /** `settings` as on the command line of redis-server. */
  static async create(settings: readonly string[] = []): Promise<RedisServer> {
    if (!present) throw new Error('redis-server is not on PATH')
    const dir = await mkdtemp(join(tmpdir(), 'signalbox-redis-'))
    return new RedisServer(await freePort(), dir, settings)
  }

  static async start(settings: readonly string[] = []): Promise<RedisServer> {
    const server = await RedisServer.create(settings)
    await server.start()
    return server
  }

  async start(): Promise<void> {
    const args = ['--port', `${this.port}`, '--save', '', '--appendonly', 'no', '--dir', this.#dir]
    this.#process = spawn('redis-server', [...args, ...this.#settings], { stdio: 'ignore' })
    const probe = new Redis(this.url, { retryStrategy: () => 20, maxRetriesPerRequest: null })
    probe.on('error', () => {})
    await probe.ping()
    probe.disconnect()
  }

  /** kill -9. */
  async kill(): Promise<void> {
    const running = this.#process
    if (running === null || running.exitCode !== null) return
    const gone = once(running, 'exit')
    running.kill('SIGKILL')
    await gone
    this.#process = null
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(name)
  }

  async command(...args: readonly [string, ...string[]]): Promise<unknown> {
    const client = new Redis(this.url)
    // A failover cuts whoever is connected; the command itself says so.
    client.on('error', () => {})
    try {
      return await client.call(...args)
    } finally {
      client.disconnect()
    }
  }

  async close(): Promise<void> {
    await this.kill()
    await rm(this.#dir, { recursive: true, force: true })
  }
}
