/**
 * The promise of `npm start`: kill -9 the one process that is everything, start it again on the same data directory, and the
 * runs that were unfinished go on to their ends (I2, I12). The embedded Postgres goes down and comes back with it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

const root = join(import.meta.dirname, '../..')
const cli = join(root, 'packages/cli/bin/signalbox.js')
const door = pathToFileURL(join(root, 'packages/cli/src/index.ts')).href

const runsAtOnce = 5

/** Each call leaves a line in `calls.txt` before it waits: what really ran, whatever the log says. */
const config = (folder: string): string => `
import { appendFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { defineConfig, defineTool, z } from ${JSON.stringify(door)}

const slow = defineTool({
  name: 'slow',
  description: 'Takes a while.',
  effect: 'idempotent',
  input: z.object({ n: z.number() }),
  run: async ({ n }, { idempotencyKey, attempt }) => {
    appendFileSync(${JSON.stringify(join(folder, 'calls.txt'))}, idempotencyKey + ' ' + attempt + '\\n')
    await setTimeout(attempt === 1 ? 60_000 : 10)
    return 'slept ' + n
  },
})

export default defineConfig({
  agents: { sleeper: { model: { provider: 'scripted', model: 'sleep' }, instructions: 'Sleep.', tools: ['slow'] } },
  tools: [slow],
  scripts: { sleep: (_prompt, turn) => turn === 0 ? { calls: [{ name: 'slow', args: { n: 1 } }] } : { text: 'awake' } },
})
`

let folder = ''
let server: ChildProcess | null = null

async function start(): Promise<string> {
  const env = { ...process.env, DATABASE_URL: '', REDIS_URL: '', SIGNALBOX_DATA_DIR: folder }
  const child = spawn(process.execPath, [cli, 'serve', '--port', '0'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  server = child
  const url = await new Promise<string>((resolve, reject) => {
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      const found = /"url":"(http:[^"]+)"/.exec(printed)?.[1]
      if (found) resolve(found)
    })
    child.on('exit', (code) => reject(new Error(`serve exited with ${code}: ${printed}`)))
  })
  // A check that takes too long on a busy machine says 503.
  while ((await fetch(`${url}/ok`)).status !== 200) await setTimeout(100)
  return url
}

async function stop(signal: NodeJS.Signals): Promise<void> {
  if (!server || server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill(signal)
  await ended
}

const Run = z.object({ run_id: z.string(), thread_id: z.string(), outcome: z.string().nullable() })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-restart-'))
  await writeFile(join(folder, 'signalbox.config.mjs'), config(folder))
})

afterAll(async () => {
  await stop('SIGTERM')
  await rm(folder, { recursive: true, force: true })
})

/** What really ran: a line for each attempt. */
const called = async (): Promise<readonly string[]> =>
  (await readFile(join(folder, 'calls.txt'), 'utf8').catch(() => '')).trim().split('\n')

test('after kill -9 a second start on the same data directory finishes what was unfinished', async () => {
  const first = await start()
  const created = await Promise.all(
    Array.from({ length: runsAtOnce }, async () => {
      const answer = await fetch(`${first}/runs`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ assistant_id: 'sleeper', input: 'sleep' }),
      })
      expect(answer.status).toBe(200)
      return Run.parse(await answer.json())
    }),
  )
  while ((await called()).filter(Boolean).length < runsAtOnce) await setTimeout(50)

  await stop('SIGKILL')
  const second = await start()
  for (const { run_id } of created) {
    let run = Run.parse(await (await fetch(`${second}/runs/${run_id}`)).json())
    while (run.outcome === null) {
      await setTimeout(200)
      run = Run.parse(await (await fetch(`${second}/runs/${run_id}`)).json())
    }
    expect(run.outcome).toBe('completed')
  }
  // The same key on each attempt, and as many attempts as the log admits (I8, I9).
  const keys = new Map<string, string[]>()
  for (const line of await called()) {
    const [key = '', attempt = ''] = line.split(' ')
    keys.set(key, [...(keys.get(key) ?? []), attempt])
  }
  expect([...keys.values()]).toEqual(Array.from({ length: runsAtOnce }, () => ['1', '2']))
}, 240_000)
