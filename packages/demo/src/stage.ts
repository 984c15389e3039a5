/**
 * Opens everything the scenes play on.
 *
 * D1 Whatever was opened is closed, in the opposite order, also if a later part fails or the demo is interrupted.
 * D2 Nothing of the user's is touched: a fresh directory, free ports, no variable of the environment but provider keys.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveScripts } from '@signalbox/models'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@signalbox/embedded'
import { type Env, startSignalbox } from '@signalbox/server'
import { z } from 'zod'
import type { Closers } from './closers.ts'
import { demoConfig, demoEngine } from './demo-config.ts'
import type { Printer } from './printer.ts'
import { quietLog } from './quiet-log.ts'
import type { Scene, Stage, FoundFile } from './scene.ts'
import { usableSandbox } from './usable-sandbox.ts'
import { type SeenRun, WatchedRun } from './watched-run.ts'
import { Worker } from './worker.ts'

export interface StageOptions {
  readonly scenes: readonly Scene[]
  /** Keys of real providers. */
  readonly env: Env
  readonly print: Printer
  /** Aborted when the demo is interrupted. */
  readonly signal: AbortSignal
  /** Told warnings and errors of the parts, one line each. */
  readonly log: (line: string) => void
}

/** The stage, and what is behind it. */
export interface OpenStage extends Stage {
  readonly database: EmbeddedPostgres
  /** Runs that have ended, in order. */
  readonly runs: readonly SeenRun[]
}

/** Opens the stage. What was opened before an error stands in `closers` (D1). */
export async function openStage(options: StageOptions, closers: Closers): Promise<OpenStage> {
  const { scenes, signal } = options
  const log = quietLog(options.log)
  const dir = await mkdtemp(join(tmpdir(), 'signalbox-demo-'))
  closers.push(() => rm(dir, { recursive: true, force: true }))
  // Started by root, Postgres runs as another user, who must be able to pass.
  await chmod(dir, 0o711)
  const dataDir = join(dir, 'postgres')
  // A directory that was there before us, so that none of ours stays.
  const database = await startEmbeddedPostgres({ dataDir, fallbackDir: '/var/tmp', log })
  closers.push(() => closeDatabase(database))
  signal.throwIfAborted()
  const model = await serveScripts(Object.assign({}, ...scenes.map((scene) => scene.scripts)))
  closers.push(() => model.close())
  const sandbox = { use: await usableSandbox(), directory: dir }
  signal.throwIfAborted()
  const place = { modelUrl: model.url, sandbox }
  const signalbox = await startSignalbox({
    loaded: demoConfig({ ...place, scenes }),
    env: { ...options.env, DATABASE_URL: database.url },
    roles: ['api', 'orchestrator'],
    engine: demoEngine,
    log,
  })
  closers.push(() => signalbox.stop())
  const worker = new Worker({ ...place, databaseUrl: database.url, log: options.log })
  closers.push(() => worker.stop())
  await worker.start(signal)
  const opened = { url: signalbox.url ?? '', worker, sandbox: sandbox.use }
  return { ...stageOf(options, opened), database }
}

type Opened = Pick<Stage, 'url' | 'worker' | 'sandbox'>

function stageOf({ print, signal }: StageOptions, opened: Opened): Omit<OpenStage, 'database'> {
  const { url, worker, sandbox } = opened
  const runs: SeenRun[] = []
  const ask = (path: string, init: RequestInit) => fetch(`${url}${path}`, { ...init, signal })
  return {
    url,
    worker,
    sandbox,
    print,
    runs,
    run: (request) => {
      const run = new WatchedRun(url, request, { listener: print.timeline(), signal })
      run.ended.then(
        (ended) => runs.push(ended),
        () => undefined,
      )
      return run
    },
    ask,
    get: async (path) => (await ask(path, {})).text(),
    post: async (path, body) => (await ask(path, { method: 'POST', ...withBody(body) })).status,
    startWorker: () => worker.start(signal),
    files: (name) => filesOf(ask, name),
    pause: (ms) => sleep(ms, undefined, { signal }),
  }
}

const withBody = (body: object | undefined): RequestInit =>
  body === undefined
    ? {}
    : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }

/** Its data is elsewhere than asked for, if the place could not be reached by the user it runs as. */
async function closeDatabase(database: EmbeddedPostgres): Promise<void> {
  await database.stop()
  await rm(database.dataDir, { recursive: true, force: true })
}

const Threads = z.array(z.looseObject({ thread_id: z.string() }))
const Files = z.array(z.looseObject({ path: z.string() }))

async function filesOf(ask: Stage['ask'], name: string): Promise<readonly FoundFile[]> {
  const search = withBody({ limit: 1000, select: ['thread_id'] })
  const threads = Threads.parse(
    await (await ask('/threads/search', { method: 'POST', ...search })).json(),
  )
  const found = threads.map(async ({ thread_id: threadId }) => {
    const at = `/threads/${threadId}/files`
    const files = Files.parse(await (await ask(at, {})).json())
    const named = files.filter(({ path }) => path.split('/').at(-1) === name)
    return Promise.all(
      named.map(async ({ path }) => ({
        path,
        text: await (await ask(`${at}/${encodeURIComponent(path)}`, {})).text(),
      })),
    )
  })
  return (await Promise.all(found)).flat()
}
