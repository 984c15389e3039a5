/**
 * The embedded Postgres, killed under a server with runs under way. Would catch: a process that stays without its database, a run that
 * is lost with it, a process that hangs when there is nothing to start again.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ConfigInput } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { call, eventually, health } from './support/http.ts'
import { placeReadyCluster } from './support/ready-cluster.ts'
import { startTest } from './support/signalbox.ts'

const bin = fileURLToPath(new URL('../../cli/bin/signalbox.js', import.meta.url))

let dir: string
let child: ChildProcess | undefined
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'signalbox-death-'))
  await chmod(dir, 0o755)
})
afterEach(async () => {
  if (child && child.exitCode === null) {
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
  }
  await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
})

const clusterOf = (dataDir: string): string => join(dataDir, 'postgres', 'cluster')
/** While one starts there may be no file yet. */
async function postmasterOf(dataDir: string): Promise<number> {
  const file = join(clusterOf(dataDir), 'postmaster.pid')
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => '')
    const [pid = ''] = text.split('\n')
    if (pid !== '') return Number(pid)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** As a client does: what is answered 503 is asked once more. What `/ok` says may be half a second old. */
const createdBy = (api: string, body: object): Promise<string> =>
  eventually(async () => {
    const created = await call(api, 'POST', '/runs', { body })
    expect([200, 503]).toContain(created.status)
    return created.status === 200 && String(created.body.run_id)
  })

it('is started again, as often as it dies, and every run ends', async () => {
  const ran = new Map<string, number>()
  const config: ConfigInput = {
    agents: { clerk: { model: { provider: 'scripted', model: 'clerk' }, tools: ['work'] } },
    tools: [
      defineTool({
        name: 'work',
        description: 'Works for a second.',
        effect: 'once',
        input: z.object({ n: z.number() }),
        run: async (_, { idempotencyKey }) => {
          ran.set(idempotencyKey, (ran.get(idempotencyKey) ?? 0) + 1)
          await new Promise((resolve) => setTimeout(resolve, 1000))
          return 'worked'
        },
      }),
    ],
    scripts: {
      clerk: (_, turn) =>
        turn < 4 ? { calls: [{ name: 'work', args: { n: turn } }] } : { text: 'Done.' },
    },
  }
  const box = await startTest(config, { embedded: true })
  try {
    const runs: string[] = []
    for (let kill = 0; kill < 3; kill += 1) {
      for (let n = 0; n < 2; n += 1) {
        const body = { assistant_id: 'clerk', input: 'Work.' }
        runs.push(await createdBy(box.api, body))
      }
      await new Promise((resolve) => setTimeout(resolve, 1500))
      const pid = await postmasterOf(box.dataDir)
      process.kill(pid, 'SIGKILL')
      await eventually(async () => (await postmasterOf(box.dataDir).catch(() => pid)) !== pid)
      await health(box.api, 200)
    }
    for (const run of runs) {
      const { body } = await call(box.api, 'GET', `/runs/${run}/join`)
      expect(body).toMatchObject({ outcome: 'completed' })
      const { events } = (await call(box.api, 'GET', `/runs/${run}/events`)).body
      const count = (type: string) =>
        events.filter((one: { type: string }) => one.type === type).length
      expect([count('tool.completed'), count('tool.unknown')]).toEqual([4, 0])
    }
    expect([...ran.values()].every((times) => times === 1)).toBe(true)
    expect(ran.size).toBe(4 * runs.length)
    const said = box.logged.filter((line) => line.includes('the embedded Postgres runs again'))
    expect(said).toHaveLength(3)
  } finally {
    await box.stop()
  }
})

/** `signalbox serve` with its embedded Postgres, as a process. */
async function serve() {
  await placeReadyCluster(join(dir, 'data', 'postgres'))
  const agents = { a: { model: { provider: 'openai', model: 'x' } } }
  await writeFile(join(dir, 'signalbox.config.json'), JSON.stringify({ agents }))
  child = spawn(process.execPath, [bin, 'serve', '--port', '0'], {
    cwd: dir,
    env: { PATH: process.env['PATH'], HOME: dir, SIGNALBOX_DATA_DIR: join(dir, 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (said.out += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (said.err += text))
  const exit = once(child, 'exit').then(([code]: unknown[]) => code)
  const url = await eventually(async () => /"msg":"serving","url":"([^"]+)"/.exec(said.out)?.[1])
  return { url, said, exit, dataDir: join(dir, 'data'), process: child }
}

it('is started again under a process, which answers meanwhile and outlives the readers of its log', async () => {
  const server = await serve()
  await health(server.url, 200)
  server.process.stdout?.destroy()
  const pid = await postmasterOf(server.dataDir)
  process.kill(pid, 'SIGKILL')
  await eventually(async () => (await postmasterOf(server.dataDir).catch(() => pid)) !== pid)
  await health(server.url, 200)
  expect((await call(server.url, 'GET', '/live')).status).toBe(200)
  server.process.kill('SIGTERM')
  expect(await server.exit).toBe(0)
})

it('ends the process, with what to do, if there is nothing to start again', async () => {
  const server = await serve()
  const pid = await postmasterOf(server.dataDir)
  await rename(clusterOf(server.dataDir), join(dir, 'elsewhere'))
  process.kill(pid, 'SIGKILL')
  expect(await server.exit).toBe(1)
  expect(server.said.err).toContain('is gone or cannot be used')
  expect(server.said.err).toContain('[embedded_postgres]')
})
