/** Real servers and real processes: a Postgres, a Redis where the queue lives there, and a child for each role. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@signalbox/postgres'
import type { Role } from '@signalbox/server'
import { RedisServer } from '../../packages/bullmq/test/support/redis-server.ts'
import { type Receiver, startReceiver } from '../../packages/server/test/support/receiver.ts'
import { Child, type Kill } from './child.ts'
import type { ChildOrders } from './child-messages.ts'

export type Backend = 'postgres' | 'redis'

export const roles: readonly Role[] = ['api', 'orchestrator', 'worker']

export class Stack {
  readonly backend: Backend
  readonly redis: RedisServer | null
  readonly world: string
  readonly log: string
  /** Hears of runs. */
  readonly receiver: Receiver
  readonly #dir: string
  readonly #orders: Omit<ChildOrders, 'owner' | 'role'>
  readonly #children: Readonly<Record<Role, Child>>
  readonly #extra: Child[] = []
  #postgres: EmbeddedPostgres

  private constructor(parts: {
    readonly backend: Backend
    readonly dir: string
    readonly postgres: EmbeddedPostgres
    readonly redis: RedisServer | null
    readonly receiver: Receiver
    readonly sabotage: string | null
  }) {
    this.backend = parts.backend
    this.#dir = parts.dir
    this.#postgres = parts.postgres
    this.redis = parts.redis
    this.receiver = parts.receiver
    this.world = join(parts.dir, 'world.ndjson')
    this.log = join(parts.dir, 'children.log')
    this.#orders = {
      databaseUrl: parts.postgres.url,
      redisUrl: parts.redis?.url ?? null,
      world: this.world,
      log: this.log,
      sabotage: parts.sabotage,
    }
    this.#children = {
      api: this.#spawn('api'),
      orchestrator: this.#spawn('orchestrator'),
      worker: this.#spawn('worker'),
    }
  }

  static async start(backend: Backend, sabotage: string | null): Promise<Stack> {
    const dir = await mkdtemp(join(tmpdir(), 'signalbox-crash-'))
    // Postgres does not run as root, and must be able to enter.
    await chmod(dir, 0o755)
    const postgres = await startEmbeddedPostgres({ dataDir: join(dir, 'postgres') })
    const redis = backend === 'redis' ? await RedisServer.start() : null
    const receiver = await startReceiver()
    const stack = new Stack({ backend, dir, postgres, redis, receiver, sabotage })
    await stack.up()
    return stack
  }

  get databaseUrl(): string {
    return this.#postgres.url
  }

  child(role: Role): Child {
    return this.#children[role]
  }

  get kills(): readonly Kill[] {
    return [...Object.values(this.#children), ...this.#extra].flatMap((child) => child.kills)
  }

  async up(): Promise<void> {
    await Promise.all(Object.values(this.#children).map((child) => child.up()))
  }

  /** One more worker, to take over from one that is out of order. */
  async addWorker(): Promise<void> {
    const child = this.#spawn('worker')
    this.#extra.push(child)
    await child.up()
  }

  async endExtra(): Promise<void> {
    await Promise.all(this.#extra.map((child) => child.end()))
  }

  /** Ends Postgres as a power cut would, and starts it again with the same data on the same port. */
  async crashPostgres(): Promise<void> {
    const { port } = this.#postgres
    await this.#postgres.killImmediate()
    this.#postgres = await startEmbeddedPostgres({ dataDir: join(this.#dir, 'postgres'), port })
  }

  /** Ends everything. `keep` leaves the files, for whoever wants to know what happened. */
  async stop(keep: boolean): Promise<void> {
    await this.endExtra()
    await Promise.all(Object.values(this.#children).map((child) => child.end()))
    await this.redis?.close()
    await this.receiver.close()
    await this.#postgres.stop()
    if (!keep) await rm(this.#dir, { recursive: true, force: true })
  }

  #spawn(role: Role): Child {
    return new Child({ ...this.#orders, role })
  }
}
