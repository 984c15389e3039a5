/**
 * Where the blocks of one page are run: a folder that looks like a project with Signalbox installed, a shell, a free port,
 * and, for pages that ask for it, a database and a server.
 *
 * The variables a page may rely on without setting them: SIGNALBOX_URL (the server of the page) and, with a database,
 * DATABASE_URL. Nothing else is substituted.
 */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startEmbeddedPostgres } from '@signalbox/embedded'
import pg from 'pg'
import { placeReadyCluster } from '../../packages/server/test/support/ready-cluster.ts'
import { freePort } from '../contract/free-port.ts'
import { linkModules } from './link-modules.ts'
import { ShellSession } from './session.ts'

/** The root of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** What a page needs before its first block. */
export interface PageSetup {
  /** A server of all roles with this configuration, from `test/docs/fixtures`. */
  readonly server?: string
  /**
   * A database of its own, for `sql` blocks and DATABASE_URL; `shared`: on a server that pages share, which spares them the
   * start of one. Else the embedded one of the page's server.
   */
  readonly database?: true | 'shared'
  /** False: SIGNALBOX_URL is not set, since the page begins without a server. */
  readonly named?: false
  /** False: there is no `package.json`, since the page makes one. */
  readonly manifest?: false
}

export interface Sandbox {
  readonly folder: string
  readonly shell: ShellSession
  /** Address of the page's server, whether or not it runs by now. */
  readonly url: string
  readonly databaseUrl: string | null
  readonly serverAnswers: () => Promise<void>
  close(): Promise<void>
}

/** Makes the sandbox of a page. */
export async function openSandbox(setup: PageSetup): Promise<Sandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-docs-'))
  // Run by root, Postgres is another user, who must be able to enter.
  await chmod(folder, 0o755)
  await linkModules(folder, join(root, 'node_modules'))
  if (setup.manifest !== false)
    await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }\n')
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const database = setup.database ? await databaseFor(setup.database, folder) : null
  const shell = new ShellSession(
    folder,
    environment(port, setup.named === false ? undefined : url, database?.url),
  )
  const serverAnswers = () => answers(url, folder)
  const close = async () => {
    await shell.close()
    await database?.stop()
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
  try {
    if (setup.server !== undefined) {
      const fixture = join(root, 'test', 'docs', 'fixtures', setup.server)
      await copyFile(fixture, join(folder, 'signalbox.config.ts'))
      await shell.start('npx signalbox serve')
      await serverAnswers()
    }
  } catch (error) {
    await close()
    throw error
  }
  return { folder, shell, url, databaseUrl: database?.url ?? null, serverAnswers, close }
}

function environment(port: number, url?: string, database?: string): NodeJS.ProcessEnv {
  const { PATH = '', HOME = '/', TMPDIR } = process.env
  return {
    // The repository's own Node before whichever is installed.
    PATH: [join(root, 'node_modules', '.bin'), dirname(process.execPath), PATH].join(delimiter),
    HOME,
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
    NO_COLOR: '1',
    LOG_LEVEL: 'warn',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    npm_config_update_notifier: 'false',
    npm_config_yes: 'false',
    PORT: String(port),
    ...(url === undefined ? {} : { SIGNALBOX_URL: url }),
    ...(database === undefined ? {} : { DATABASE_URL: database }),
  }
}

type Cluster = Awaited<ReturnType<typeof startEmbeddedPostgres>>
let shared: { readonly folder: string; readonly cluster: Promise<Cluster> } | null = null

/** Stops the server that pages shared, if one was started. After it none may be opened. */
export async function stopSharedPostgres(): Promise<void> {
  if (shared === null) return
  await (await shared.cluster).stop()
  await rm(shared.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
}

async function databaseFor(kind: true | 'shared', folder: string) {
  if (kind === 'shared') {
    shared ??= await openShared()
    const url = await createDatabase(await shared.cluster)
    return { url, stop: () => Promise.resolve() }
  }
  const cluster = await startEmbeddedPostgres({ dataDir: await dataDirIn(folder) })
  return { url: await createDatabase(cluster), stop: () => cluster.stop() }
}

async function openShared() {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-docs-'))
  await chmod(folder, 0o755)
  return { folder, cluster: startEmbeddedPostgres({ dataDir: await dataDirIn(folder) }) }
}

/** A register is there already: pages that begin without one start the embedded server themselves. */
async function dataDirIn(folder: string): Promise<string> {
  const dataDir = join(folder, 'postgres-of-the-page')
  await placeReadyCluster(dataDir)
  return dataDir
}

async function createDatabase(server: Cluster): Promise<string> {
  const name = `docs_${randomBytes(4).toString('hex')}`
  const url = new URL(server.url)
  // Nobody may be connected to what is copied.
  url.pathname = '/template1'
  const client = new pg.Client(url.href)
  await client.connect()
  await client.query(`create database ${name} encoding 'UTF8' template postgres`)
  await client.end()
  url.pathname = `/${name}`
  return url.href
}

/** Waits for the server, for as long as what is to start it runs. */
async function answers(url: string, folder: string): Promise<void> {
  for (let tries = 0; tries < 800; tries += 1) {
    const response = await fetch(`${url}/ok`).catch(() => null)
    if (response?.ok) return
    if (existsSync(join(folder, 'background.exit'))) break
    await setTimeout(200)
  }
  const log = await readFile(join(folder, 'background.log'), 'utf8')
  throw new Error(`no server answers at ${url}: ${log}`)
}
