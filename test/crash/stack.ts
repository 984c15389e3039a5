/** Real servers and real processes: a Postgres, a Redis where the queue lives there, and a child for each role. */
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@signalbox/embedded'
import type { Role } from '@signalbox/server'
import { RedisCluster } from '../../packages/bullmq/test/support/redis-cluster.ts'
import { RedisServer } from '../../packages/bullmq/test/support/redis-server.ts'
import {
  type SilentProxy,
  startSilentProxy,
} from '../../packages/postgres/test/support/silent-proxy.ts'
import { type Receiver, startReceiver } from '../../packages/server/test/support/receiver.ts'
import { Child, type Kill, serverLog, type Start } from './child.ts'
import type { ChildOrders, Scene } from './child-messages.ts'
import { SmallDisk } from './days/small-disk.ts'

export type Backend = 'postgres' | 'redis'

export const roles: readonly Role[] = ['api', 'orchestrator', 'worker']

/** What a stack may have beside the servers and a process of each role. */
export interface Extras {
  readonly scene?: Scene
  /** Its processes reach Postgres and Redis by way of proxies, which may fall silent. */
  readonly isProxied?: boolean
  /** Its Redis is a cluster of three nodes. */
  readonly isClustered?: boolean
  /** One process of every role in place of three, with a Postgres of its own; data and log are on a small disk. */
  readonly isAlone?: boolean
  /** What its processes are started with. */
  readonly nodeArgs?: readonly string[]
}

interface Proxies {
  readonly postgres: SilentProxy
  readonly redis: SilentProxy | null
}

/** What a stack consists of beside its processes. */
interface Parts {
  readonly dir: string
  /** Null: the process has its own, on its disk. */
  readonly postgres: EmbeddedPostgres | null
  readonly redis: RedisServer | null
  readonly cluster: RedisCluster | null
  readonly proxies: Proxies | null
  readonly disk: SmallDisk | null
  readonly receiver: Receiver
}

export class Stack {
  static readonly #open = new Set<Stack>()
  readonly backend: Backend
  /** Of a stack with a single one. */
  readonly redis: RedisServer | null
  readonly cluster: RedisCluster | null
  readonly world: string
  readonly log: string
  /** Hears of runs. */
  readonly receiver: Receiver
  /** Null: the processes reach the servers directly. */
  readonly proxies: Proxies | null
  /** What the one process of the stack stands on, if it has one of its own. */
  readonly disk: SmallDisk | null
  readonly #dir: string
  readonly #orders: Omit<ChildOrders, 'owner' | 'role'>
  readonly #children: Readonly<Record<Role, Child>>
  readonly #extra: Child[] = []
  readonly #nodeArgs: readonly string[]
  #postgres: EmbeddedPostgres | null
  #databaseUrl: string

  private constructor(
    backend: Backend,
    parts: Parts,
    {
      sabotage,
      scene,
      nodeArgs,
    }: Pick<ChildOrders, 'sabotage'> & {
      readonly scene: Scene | undefined
      readonly nodeArgs: readonly string[]
    },
  ) {
    const { postgres, redis, cluster, proxies, disk } = parts
    this.backend = backend
    this.#dir = parts.dir
    this.#postgres = postgres
    this.#databaseUrl = postgres?.url ?? ''
    this.redis = redis
    this.cluster = cluster
    this.receiver = parts.receiver
    this.proxies = proxies
    this.disk = disk
    this.world = join(parts.dir, 'world.ndjson')
    this.log = join(parts.dir, 'children.log')
    this.#orders = {
      databaseUrl: (proxies?.postgres ?? postgres)?.url ?? null,
      redisUrl: (proxies?.redis ?? cluster ?? redis)?.url ?? null,
      world: this.world,
      log: this.log,
      sabotage,
      ...(disk && { disk: disk.dir }),
      ...(scene && { scene }),
    }
    this.#nodeArgs = nodeArgs
    const api = this.#spawn('api')
    this.#children = disk
      ? { api, orchestrator: api, worker: api }
      : { api, orchestrator: this.#spawn('orchestrator'), worker: this.#spawn('worker') }
    Stack.#open.add(this)
  }

  static async start(
    backend: Backend,
    sabotage: string | null,
    { scene, isProxied = false, isClustered = false, isAlone = false, nodeArgs = [] }: Extras = {},
  ): Promise<Stack> {
    const dir = await mkdtemp(join(tmpdir(), 'signalbox-crash-'))
    // Postgres does not run as root, and must be able to enter.
    await chmod(dir, 0o755)
    const dataDir = join(dir, 'postgres')
    const postgres = isAlone ? null : await startEmbeddedPostgres({ dataDir })
    const disk = isAlone ? await SmallDisk.mount(join(dir, 'disk')) : null
    const isRedis = backend === 'redis'
    const cluster = isRedis && isClustered ? await RedisCluster.start() : null
    const redis = isRedis && !isClustered ? await RedisServer.start() : null
    const receiver = await startReceiver()
    const proxies =
      isProxied && postgres
        ? {
            postgres: await startSilentProxy(postgres.url),
            redis: redis && (await startSilentProxy(redis.url)),
          }
        : null
    const parts = { dir, postgres, redis, cluster, receiver, proxies, disk }
    const stack = new Stack(backend, parts, { sabotage, scene, nodeArgs })
    await stack.up()
    if (disk) stack.#databaseUrl = (await findOn(disk)).url
    return stack
  }

  /** Ends all there are: what is left behind would be servers that nobody owns. */
  static async stopAll(): Promise<void> {
    await Promise.all(Array.from(Stack.#open, (stack) => stack.stop(false)))
  }

  get databaseUrl(): string {
    return this.#databaseUrl
  }

  child(role: Role): Child {
    return this.#children[role]
  }

  get kills(): readonly Kill[] {
    return [...this.#own, ...this.#extra].flatMap((child) => child.kills)
  }

  async up(): Promise<void> {
    await Promise.all(this.#own.map((child) => child.up()))
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
    await this.#postgres?.killImmediate()
  }

  async beginPostgres(): Promise<void> {
    if (!this.#postgres) return
    const { port } = this.#postgres
    this.#postgres = await startEmbeddedPostgres({ dataDir: join(this.#dir, 'postgres'), port })
  }

  /** Of the postmaster that runs now. */
  async postgresPid(): Promise<number> {
    if (this.#postgres) return this.#postgres.pid
    if (this.disk) return (await findOn(this.disk)).pid
    throw new Error('this stack has no Postgres')
  }

  /** Ends everything. `keep` leaves the files, for whoever wants to know what happened. */
  async stop(keep: boolean): Promise<void> {
    Stack.#open.delete(this)
    await this.endExtra()
    await Promise.all(this.#own.map((child) => child.end()))
    await this.proxies?.postgres.close()
    await this.proxies?.redis?.close()
    await this.redis?.close()
    await this.cluster?.close()
    await this.receiver.close()
    await this.#postgres?.stop()
    if (this.disk && keep) await copyFile(serverLog(this.disk.dir), this.log).catch(() => {})
    this.disk?.remove()
    if (!keep) await rm(this.#dir, { recursive: true, force: true })
  }

  /** Without those that were added. */
  get #own(): readonly Child[] {
    return [...new Set(Object.values(this.#children))]
  }

  #spawn(role: Role, start?: Start): Child {
    return new Child({ ...this.#orders, role }, { nodeArgs: this.#nodeArgs, ...start })
  }
}

/** The server of the process that stands on this disk. */
async function findOn(disk: SmallDisk): Promise<{ readonly url: string; readonly pid: number }> {
  const [pid, , , port] = (await disk.read('postgres/cluster/postmaster.pid')).split('\n')
  const password = (await disk.read('postgres/password')).trim()
  const url = `postgresql://postgres:${password}@127.0.0.1:${port?.trim()}/postgres`
  return { url, pid: Number(pid) }
}
