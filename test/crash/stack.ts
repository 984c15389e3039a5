/** Real servers and real processes: a Postgres, a Redis where the queue lives there, and a child for each role. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@signalbox/postgres'
import type { Role } from '@signalbox/server'
import { RedisServer } from '../../packages/bullmq/test/support/redis-server.ts'
import {
  type SilentProxy,
  startSilentProxy,
} from '../../packages/postgres/test/support/silent-proxy.ts'
import { type Receiver, startReceiver } from '../../packages/server/test/support/receiver.ts'
import { Child, type Kill, type Start } from './child.ts'
import type { ChildOrders, Scene } from './child-messages.ts'

export type Backend = 'postgres' | 'redis'

export const roles: readonly Role[] = ['api', 'orchestrator', 'worker']

/** What a stack may have beside the servers and a process of each role. */
export interface Extras {
  readonly scene?: Scene
  /** Its processes reach Postgres and Redis by way of proxies, which may fall silent. */
  readonly isProxied?: boolean
}

interface Proxies {
  readonly postgres: SilentProxy
  readonly redis: SilentProxy | null
}

export class Stack {
  readonly backend: Backend
  readonly redis: RedisServer | null
  readonly world: string
  readonly log: string
  /** Hears of runs. */
  readonly receiver: Receiver
  /** Null: the processes reach the servers directly. */
  readonly proxies: Proxies | null
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
    readonly proxies: Proxies | null
    readonly scene: Scene | undefined
  }) {
    this.backend = parts.backend
    this.#dir = parts.dir
    this.#postgres = parts.postgres
    this.redis = parts.redis
    this.receiver = parts.receiver
    this.proxies = parts.proxies
    this.world = join(parts.dir, 'world.ndjson')
    this.log = join(parts.dir, 'children.log')
    this.#orders = {
      databaseUrl: (parts.proxies?.postgres ?? parts.postgres).url,
      redisUrl: (parts.proxies?.redis ?? parts.redis)?.url ?? null,
      world: this.world,
      log: this.log,
      sabotage: parts.sabotage,
      ...(parts.scene && { scene: parts.scene }),
    }
    this.#children = {
      api: this.#spawn('api'),
      orchestrator: this.#spawn('orchestrator'),
      worker: this.#spawn('worker'),
    }
  }

  static async start(
    backend: Backend,
    sabotage: string | null,
    { scene, isProxied = false }: Extras = {},
  ): Promise<Stack> {
    const dir = await mkdtemp(join(tmpdir(), 'signalbox-crash-'))
    // Postgres does not run as root, and must be able to enter.
    await chmod(dir, 0o755)
    const postgres = await startEmbeddedPostgres({ dataDir: join(dir, 'postgres') })
    const redis = backend === 'redis' ? await RedisServer.start() : null
    const receiver = await startReceiver()
    const proxies = isProxied
      ? {
          postgres: await startSilentProxy(postgres.url),
          redis: redis && (await startSilentProxy(redis.url)),
        }
      : null
    const servers = { postgres, redis, receiver, proxies }
    const stack = new Stack({ backend, dir, sabotage, scene, ...servers })
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
    await this.add('worker').up()
  }

  /** One more process. */
  add(role: Role, start?: Start): Child {
    const child = this.#spawn(role, start)
    this.#extra.push(child)
    return child
  }

  async endExtra(): Promise<void> {
    await Promise.all(this.#extra.map((child) => child.end()))
  }

  /** Ends Postgres as a power cut would, and starts it again with the same data on the same port. */
  async crashPostgres(): Promise<void> {
    await this.endPostgres()
    await this.beginPostgres()
  }

  async endPostgres(): Promise<void> {
    await this.#postgres.killImmediate()
  }

  async beginPostgres(): Promise<void> {
    const { port } = this.#postgres
    this.#postgres = await startEmbeddedPostgres({ dataDir: join(this.#dir, 'postgres'), port })
  }

  get postgresPid(): number {
    return this.#postgres.pid
  }

  /** Ends everything. `keep` leaves the files, for whoever wants to know what happened. */
  async stop(keep: boolean): Promise<void> {
    await this.endExtra()
    await Promise.all(Object.values(this.#children).map((child) => child.end()))
    await this.proxies?.postgres.close()
    await this.proxies?.redis?.close()
    await this.redis?.close()
    await this.receiver.close()
    await this.#postgres.stop()
    if (!keep) await rm(this.#dir, { recursive: true, force: true })
  }

  #spawn(role: Role, start?: Start): Child {
    return new Child({ ...this.#orders, role }, start)
  }
}
