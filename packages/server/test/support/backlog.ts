/** Many tool calls that wait with no worker there, and what it costs to drain them: on a real Postgres, and a Redis if there is one. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@signalbox/embedded'
import type { ConfigInput } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import pg from 'pg'
import { z } from 'zod'
import { RedisServer } from '../../../bullmq/test/support/redis-server.ts'
import { call } from './http.ts'
import { placeReadyCluster } from './ready-cluster.ts'
import { startTest, type TestSignalbox } from './signalbox.ts'

/** Calls of one turn, so that many calls need few runs. */
const callsPerRun = 25

const config: ConfigInput = {
  server: { graceMs: 1000 },
  agents: {
    clerk: {
      model: { provider: 'scripted', model: 'clerk' },
      tools: ['work'],
    },
  },
  tools: [
    defineTool({
      name: 'work',
      description: 'Works.',
      effect: 'idempotent',
      input: z.object({ n: z.number() }),
      run: () => 'worked',
    }),
  ],
  scripts: {
    clerk: (_, turn) =>
      turn === 0
        ? { calls: [...Array(callsPerRun).keys()].map((n) => ({ name: 'work', args: { n } })) }
        : { text: 'Done.' },
  },
  queues: { tools: { concurrency: 16 } },
}

export interface Cost {
  readonly statements: number
  readonly commands: number
}

/** Redispatches come fifty times as often as in production, so that seconds of waiting show what minutes would. */
const engine = { redispatchMs: 200 }

export class Backlog {
  readonly #dir: string
  readonly #postgres: EmbeddedPostgres
  readonly #redis: RedisServer | null
  readonly #admin: pg.Client
  readonly #server: TestSignalbox
  #statements = 0
  #worker: TestSignalbox | null = null

  private constructor(parts: {
    readonly dir: string
    readonly postgres: EmbeddedPostgres
    readonly redis: RedisServer | null
    readonly admin: pg.Client
    readonly server: TestSignalbox
  }) {
    this.#dir = parts.dir
    this.#postgres = parts.postgres
    this.#redis = parts.redis
    this.#admin = parts.admin
    this.#server = parts.server
  }

  /** A server without a worker. */
  static async open(backend: 'postgres' | 'redis'): Promise<Backlog> {
    const dir = await mkdtemp(join(tmpdir(), 'signalbox-backlog-'))
    await chmod(dir, 0o755)
    await placeReadyCluster(join(dir, 'postgres'))
    const postgres = await startEmbeddedPostgres({ dataDir: join(dir, 'postgres') })
    const redis = backend === 'redis' ? await RedisServer.start() : null
    const admin = new pg.Client(postgres.url)
    await admin.connect()
    const env = { DATABASE_URL: postgres.url, ...(redis ? { REDIS_URL: redis.url } : {}) }
    const server = await startTest(config, { env, engine, roles: ['api', 'orchestrator'] })
    return new Backlog({ dir, postgres, redis, admin, server })
  }

  async startWorker(): Promise<void> {
    const env = {
      DATABASE_URL: this.#postgres.url,
      ...(this.#redis ? { REDIS_URL: this.#redis.url } : {}),
    }
    this.#worker = await startTest(config, { env, engine, roles: ['worker'] })
  }

  async stopWorker(): Promise<void> {
    await this.#worker?.stop()
    this.#worker = null
  }

  /** Creates runs and waits until so many calls wait. */
  async pile(calls: number): Promise<void> {
    // As many at a time as are decided in a moment.
    const atOnce = 40
    for (let left = calls / callsPerRun; left > 0; left -= atOnce) {
      const run = { assistant_id: 'clerk', input: 'Work.' }
      const body = Array.from({ length: Math.min(left, atOnce) }, () => run)
      const made = await call(this.#server.api, 'POST', '/runs/batch', { body })
      if (made.status !== 200) throw new Error(JSON.stringify(made.body))
      const expected = calls - Math.max(0, left - atOnce) * callsPerRun
      while ((await this.waiting()) < expected) await setTimeout(100)
    }
  }

  /** Calls that nobody has claimed. */
  waiting(): Promise<number> {
    return this.#count(`from signalbox.effect where kind = 'tool.call' and status = 'pending'`)
  }

  /** Jobs that nobody has taken. */
  async jobs(): Promise<number> {
    if (this.#redis) return Number(await this.#redis.command('LLEN', 'signalbox:tools:wait'))
    return this.#count(`from signalbox_queue.job where queue = 'tools'`)
  }

  /** Forgets every job, as a flushed Redis does. */
  async flush(): Promise<void> {
    if (this.#redis) await this.#redis.command('FLUSHALL')
    else await this.#admin.query('delete from signalbox_queue.job')
  }

  /** Until every run has ended. */
  async drained(): Promise<void> {
    while ((await this.#count(`from signalbox.run where status <> 'ended'`)) > 0)
      await setTimeout(100)
  }

  /** What a piece of work asks of Postgres and Redis, but for what the test itself asks. */
  async costOf(work: () => Promise<void>): Promise<Cost> {
    const before = await this.#commands()
    const uncount = this.#countStatements()
    this.#statements = 0
    await work()
    const statements = this.#statements
    uncount()
    return { statements, commands: (await this.#commands()) - before }
  }

  async close(): Promise<void> {
    await this.stopWorker()
    await this.#server.stop()
    await this.#admin.end()
    await this.#redis?.close()
    await this.#postgres.stop()
    await rm(this.#dir, { recursive: true, force: true })
  }

  async #count(what: string): Promise<number> {
    const { rows } = await this.#admin.query<{ n: number }>(`select count(*)::int as n ${what}`)
    return rows[0]?.n ?? 0
  }

  /** Every process of this test is this process, and every statement goes by a client of `pg`. */
  #countStatements(): () => void {
    const query = Reflect.get(pg.Client.prototype, 'query')
    const [count, admin] = [() => (this.#statements += 1), this.#admin]
    Reflect.set(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
      if (this !== admin) count()
      return Reflect.apply(query, this, args)
    })
    return () => void Reflect.set(pg.Client.prototype, 'query', query)
  }

  /** Commands that Redis has run, those of its scripts included. */
  async #commands(): Promise<number> {
    if (!this.#redis) return 0
    const info = String(await this.#redis.command('INFO', 'commandstats'))
    return [...info.matchAll(/calls=(\d+)/g)].reduce((sum, [, calls]) => sum + Number(calls), 0)
  }
}
