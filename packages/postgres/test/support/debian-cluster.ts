/**
 * A cluster of the PostgreSQL that the machine has installed, with `pg_dump` and `pg_restore` of the same version: the embedded
 * server brings neither, and those of another major refuse it.
 */
import { execFile, execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../../../../test/contract/free-port.ts'

const run = promisify(execFile)
const home = '/usr/lib/postgresql'
const programs = ['initdb', 'pg_ctl', 'pg_dump', 'pg_restore', 'pg_controldata']

/** Folder of the programs of the newest installed version; null: the machine has none. */
export async function installedPostgres(): Promise<string | null> {
  const versions = await readdir(home).catch(() => [])
  const complete = versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(home, version, 'bin'))
    .find((bin) => programs.every((program) => existsSync(join(bin, program))))
  return complete ?? null
}

/** Postgres refuses to be root. */
function osUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null
  const [uid, gid] = ['-u', '-g'].map((flag) =>
    Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })),
  )
  return uid === undefined || gid === undefined ? null : { uid, gid }
}

export class DebianCluster {
  readonly #bin: string
  readonly #dir: string
  readonly #port: number

  private constructor(bin: string, dir: string, port: number) {
    this.#bin = bin
    this.#dir = dir
    this.#port = port
  }

  static async start(bin: string): Promise<DebianCluster> {
    const dir = await mkdtemp(join(tmpdir(), 'signalbox-cluster-'))
    await chmod(dir, 0o755)
    const user = osUser()
    if (user) await chown(dir, user.uid, user.gid)
    const cluster = new DebianCluster(bin, dir, await freePort())
    const data = join(dir, 'data')
    await cluster.#run('initdb', [
      '-D',
      data,
      '-A',
      'trust',
      '-U',
      'postgres',
      '-E',
      'UTF8',
      '--no-sync',
    ])
    const flags = `-p ${cluster.#port} -h 127.0.0.1 -k ${dir} -c fsync=off -c shared_buffers=16MB`
    await cluster.#run('pg_ctl', ['-D', data, '-w', '-l', join(dir, 'log'), '-o', flags, 'start'])
    return cluster
  }

  /** As a superuser. */
  url(database: string, role = 'postgres'): string {
    return `postgres://${role}:any@127.0.0.1:${this.#port}/${database}`
  }

  async createDatabase(name: string): Promise<string> {
    await this.query('postgres', `create database ${name} encoding 'UTF8' template template0`)
    return this.url(name)
  }

  async query<Row extends pg.QueryResultRow>(database: string, text: string): Promise<Row[]> {
    const client = new pg.Client(this.url(database))
    await client.connect()
    try {
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end()
    }
  }

  /** Lets the cluster count on, as if other databases had written. */
  async countTo(xid: number): Promise<void> {
    await this.query(
      'postgres',
      `do $$ begin while pg_current_xact_id()::text::bigint < ${xid} loop commit; end loop; end $$`,
    )
  }

  async dump(database: string): Promise<string> {
    const file = join(this.#dir, `${database}.dump`)
    const what = ['--format=custom', '--exclude-schema=signalbox_queue', `--file=${file}`]
    await this.#run('pg_dump', [...what, this.url(database)])
    await chmod(file, 0o644)
    return file
  }

  async restore(file: string, database: string): Promise<string> {
    const url = await this.createDatabase(database)
    await this.#run('pg_restore', ['--exit-on-error', `--dbname=${url}`, file])
    return url
  }

  async stop(): Promise<void> {
    await this.#run('pg_ctl', ['-D', join(this.#dir, 'data'), '-w', '-m', 'immediate', 'stop'])
    await rm(this.#dir, { recursive: true, force: true })
  }

  async #run(program: string, args: readonly string[]): Promise<void> {
    // The server inherits what its starter holds open: with pipes of ours, this would wait for its end.
    await run(join(this.#bin, program), [...args], {
      ...osUser(),
      cwd: '/',
      env: { LC_ALL: 'C', PATH: process.env['PATH'] },
    })
  }
}
