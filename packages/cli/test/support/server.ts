/** One real server for a test file: a database of its own, free port, scripted models, and agents for every end of a run. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineTool } from '@signalbox/tools'
import { startEmbeddedPostgres } from '@signalbox/embedded'
import { type ConfigInput, parseConfig, startSignalbox } from '@signalbox/server'
import { z } from 'zod'
import { createTestDatabase } from '../../../postgres/test/support/database.ts'
import { watchContract } from '../../../server/test/support/contract.ts'
import { placeReadyCluster } from '../../../server/test/support/ready-cluster.ts'
import { type Ended, signalbox, start, type Running } from './command.ts'
import { createFolder } from './folder.ts'

export interface TestServer {
  readonly url: string
  readonly dir: string
  readonly env: Readonly<Record<string, string>>
  /** Runs a command against this server. */
  readonly run: (...args: readonly string[]) => Promise<Ended>
  readonly start: (...args: readonly string[]) => Running
  /** Runs a command with `--json` and reads its one document. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
  readonly json: (...args: readonly string[]) => Promise<any>
  readonly stop: () => Promise<void>
}

const note = defineTool({
  name: 'note',
  description: 'Notes a text.',
  input: z.object({ text: z.string() }),
  run: ({ text }) => `noted ${text}`,
})

const wait = defineTool({
  name: 'wait',
  description: 'Waits until it is told to stop.',
  effect: 'read',
  input: z.object({}),
  run: (_, { signal, progress }) =>
    new Promise((_resolve, reject) => {
      // Whoever follows may come later.
      const timer = setInterval(() => progress('still\nwaiting'), 50)
      signal.addEventListener('abort', () => {
        clearInterval(timer)
        reject(new Error('stopped'))
      })
    }),
})

/** Does not obey its timeout: after the grace of five seconds nobody knows what it did. */
const send = defineTool({
  name: 'send',
  description: 'Sends a letter.',
  effect: 'once',
  timeoutMs: 50,
  input: z.object({}),
  run: () => new Promise(() => {}),
})

const calls = (name: string, args: ConfigArgs = {}) => ({ text: 'Wait.', calls: [{ name, args }] })
type ConfigArgs = Readonly<Record<string, string>>

const config: ConfigInput = {
  agents: {
    clerk: { model: { provider: 'scripted', model: 'clerk' }, tools: ['note'] },
    boss: { model: { provider: 'scripted', model: 'boss' }, tools: ['agent:clerk'] },
    asker: {
      model: { provider: 'scripted', model: 'clerk' },
      tools: ['note'],
      guardrails: { approvalTools: ['note'] },
    },
    hasty: {
      model: { provider: 'scripted', model: 'clerk' },
      tools: ['note'],
      guardrails: { approvalTools: ['note'] },
      approvals: { expiresMs: 1000 },
    },
    waiter: { model: { provider: 'scripted', model: 'waiter' }, tools: ['wait'] },
    sender: { model: { provider: 'scripted', model: 'sender' }, tools: ['send'] },
    censored: { model: { provider: 'scripted', model: 'censored' }, tools: ['note'] },
  },
  tools: [note, wait, send],
  scripts: {
    clerk: (_, turn) =>
      turn === 0 ? calls('note', { text: 's3cret milk' }) : { text: 'It is noted.', chunkSize: 3 },
    boss: (_, turn) =>
      turn === 0 ? calls('agent__clerk', { prompt: 's3cret milk' }) : { text: 'The clerk did it.' },
    waiter: (_, turn) => (turn === 0 ? calls('wait') : { text: 'Done.' }),
    sender: (_, turn) => (turn === 0 ? calls('send') : { text: 'It is sent.' }),
    censored: () => ({ ...calls('note', { text: 'half a' }), ending: 'content_filter' }),
  },
}

const nothing = (): void => {}

export interface ServerOptions {
  readonly embedded?: boolean
  /** More agents, and the files that they name. */
  readonly agents?: ConfigInput['agents']
  /** And what their models do. */
  readonly scripts?: ConfigInput['scripts']
  readonly files?: Readonly<Record<string, string>>
}

/** `embedded`: for commands that find the Postgres of a server by its folder; else they are given its address. */
export async function startServer(
  given: Readonly<Record<string, string>> = {},
  { embedded = false, agents = {}, scripts = {}, files = {} }: ServerOptions = {},
): Promise<TestServer> {
  const { dir, remove } = await createFolder()
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text)
  const contract = watchContract()
  if (embedded) await placeReadyCluster(join(dir, '.signalbox', 'postgres'))
  const database = embedded ? null : await createTestDatabase()
  const env = { ...given, ...(database ? { DATABASE_URL: database.adminUrl } : {}) }
  const server = await startSignalbox({
    loaded: {
      config: parseConfig({
        ...config,
        agents: { ...config.agents, ...agents },
        scripts: { ...config.scripts, ...scripts },
      }),
      file: 'test',
      dir,
    },
    env,
    port: 0,
    dataDir: join(dir, '.signalbox'),
    inspect: contract.inspect,
    embedded: startEmbeddedPostgres,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  })
  const url = server.url ?? ''
  const where = { cwd: dir, env: { ...env, SIGNALBOX_URL: url } }
  const run = (...args: readonly string[]) => signalbox(args, where)
  return {
    url,
    dir,
    env: where.env,
    run,
    start: (...args) => start(args, where),
    json: async (...args) => {
      const { stdout, stderr } = await run(...args, '--json')
      if (stdout === '') throw new Error(stderr)
      return JSON.parse(stdout)
    },
    stop: async () => {
      await server.stop()
      await database?.drop()
      await remove()
      contract.assertKept()
    },
  }
}
