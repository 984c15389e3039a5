/** The servers of a bench, started for it and stopped with it: Postgres as Signalbox embeds it, and Redis if there is one. */
import { prepare } from '@signalbox/bullmq'
import type { Log } from '@signalbox/engine'
import { startEmbeddedPostgres } from '@signalbox/embedded'
import { migrate } from '@signalbox/postgres'
import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RedisServer, startRedis } from './redis-server.ts'

export interface Machine {
  readonly postgres: {
    /** As a superuser. Holds the password of a database that lives as long as the bench. */
    readonly adminUrl: string
    readonly engineUrl: string
    readonly pid: number
  }
  /** Or why there is none. */
  readonly redis: RedisServer | string
  stop(): Promise<void>
}

const tracking = { track_functions: 'all', shared_preload_libraries: 'pg_stat_statements' }

/** Starts both. `tracked`: Postgres counts the time of each statement and function, which costs some. */
export async function startMachine(options: {
  readonly log: Log
  readonly tracked: boolean
}): Promise<Machine> {
  const dir = await mkdtemp(join(tmpdir(), 'signalbox-bench-'))
  // As root, Postgres runs as another user, who must get through here.
  await chmod(dir, 0o755)
  const server = await startEmbeddedPostgres({
    dataDir: join(dir, 'postgres'),
    log: options.log,
    settings: { max_connections: 200, ...(options.tracked ? tracking : {}) },
  })
  const redis = await startRedis(dir)
  const stop = async (): Promise<void> => {
    if (typeof redis !== 'string') await redis.stop()
    await server.stop()
    await rm(dir, { recursive: true, force: true })
  }
  try {
    const engine = randomBytes(16).toString('hex')
    await migrate(server.url, { passwords: { engine } })
    await prepare({ kind: 'postgres', url: server.url }, { grantTo: 'signalbox_engine' })
    const engineUrl = new URL(server.url)
    engineUrl.username = 'signalbox_engine'
    engineUrl.password = engine
    const postgres = { adminUrl: server.url, engineUrl: engineUrl.href, pid: server.pid }
    return { postgres, redis, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
