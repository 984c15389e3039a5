/** The database of a part: embedded Postgres in a folder of its own, which is removed with it unless it is to be kept. */
import { chmod, mkdir, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type ServerSettings, startEmbeddedPostgres } from '@signalbox/embedded'
import { migrate } from '@signalbox/postgres'
import { complaining } from '../complaining-log.ts'

export interface BenchDatabase {
  /** As a superuser. Holds the password of a database that lives as long as its part. */
  readonly adminUrl: string
  /** Of the server's first process. */
  readonly pid: number
  /** For what a process wants to keep. */
  readonly dir: string
  stop(): Promise<void>
}

/** Starts it with the schema in it. `bytes`: what it will hold, roughly; throws if the disk has not got that twice. */
export async function openBenchDatabase(options: {
  readonly bytes: number
  /** A folder that stays, with what the database holds. */
  readonly keep?: string
  readonly settings?: ServerSettings
}): Promise<BenchDatabase> {
  await checkRoom(2 * options.bytes)
  const dir = await folderFor(options.keep)
  const remove = async (): Promise<void> => {
    if (options.keep === undefined) await rm(dir, { recursive: true, force: true })
  }
  const server = await startEmbeddedPostgres({
    dataDir: join(dir, 'postgres'),
    log: complaining('postgres'),
    settings: { max_connections: 200, ...options.settings },
  }).catch(async (error: unknown) => {
    await remove()
    throw error
  })
  const stop = async (): Promise<void> => {
    await server.stop()
    await remove()
  }
  try {
    await migrate(server.url)
    return { adminUrl: server.url, pid: server.pid, dir, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function folderFor(keep: string | undefined): Promise<string> {
  if (keep !== undefined) await mkdir(keep, { recursive: true })
  const dir =
    keep === undefined ? await mkdtemp(join(tmpdir(), 'signalbox-bench-http-')) : resolve(keep)
  // As root, Postgres runs as another user, who must get through here.
  await chmod(dir, 0o755)
  return dir
}

async function checkRoom(bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(tmpdir())
  const [free, needed] = [gigabytes(bavail * bsize), gigabytes(bytes)]
  if (free < needed)
    throw new Error(`${tmpdir()} has ${free} GB free, and this takes up to ${needed} GB`)
}

const gigabytes = (bytes: number): number => Math.round(bytes / 1e8) / 10
