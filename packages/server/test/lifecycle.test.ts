/**
 * Processes that start, stop and lose what they stand on: real servers, real sockets, real child processes. Would catch:
 * work that a stop loses, a health check that lies, an API that hangs or says 500 while Postgres is away.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@signalbox/embedded'
import { type ConfigInput, StartError } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { freePort } from '../../../test/contract/free-port.ts'
import { call, eventually, health, readSse } from './support/http.ts'
import { placeReadyCluster } from './support/ready-cluster.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'signalbox-lifecycle-'))
  await chmod(dir, 0o755)
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const boxes: TestSignalbox[] = []
const start: typeof startTest = async (config, options) => {
  const box = await startTest(config, options)
  boxes.push(box)
  return box
}
afterEach(async () => {
  for (const box of boxes.splice(0)) await box.stop()
})

/** A server that goes with its test, after the boxes that stand on it. */
const startPostgres = async (name: string, port?: number): Promise<EmbeddedPostgres> => {
  const dataDir = join(dir, name)
  await placeReadyCluster(dataDir)
  // A port that nobody is given while the server is away.
  const server = await startEmbeddedPostgres({ dataDir, port: port ?? (await freePort()) })
  onTestFinished(async () => {
    for (const box of boxes.splice(0)) await box.stop()
    await server.stop()
  })
  return server
}

const worked = async (): Promise<string> => 'worked'

const config = (work: () => Promise<string> = worked): ConfigInput => ({
  agents: { clerk: { model: { provider: 'scripted', model: 'clerk' }, tools: ['work'] } },
  tools: [
    defineTool({
      name: 'work',
      description: 'Works.',
      effect: 'idempotent',
      input: z.object({}),
      run: work,
    }),
  ],
  scripts: {
    clerk: (_, turn) => (turn === 0 ? { calls: [{ name: 'work', args: {} }] } : { text: 'Done.' }),
  },
})

const body = { assistant_id: 'clerk', input: 'Work.' }

describe('an API key', () => {
  it('is asked of everybody, but for the health', async () => {
    const key = 'k'.repeat(20)
    const box = await start(config(), { env: { SIGNALBOX_API_KEY: key } })
    const get = (headers: Readonly<Record<string, string>>) =>
      call(box.api, 'GET', '/threads', { headers })
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: key }]) {
      const refused = await get(headers)
      expect(refused).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
      expect(refused.headers.get('www-authenticate')).toBe('Bearer')
    }
    expect((await get({ authorization: `Bearer ${key}` })).status).toBe(200)
    expect((await get({ 'x-api-key': key })).status).toBe(200)
    await health(box.api, 200)
    expect(box.logged.join('\n')).not.toContain(key)
    const created = await call(box.api, 'POST', '/runs', { body, headers: { 'x-api-key': key } })
    const events = await call(box.api, 'GET', `/runs/${created.body.run_id}/events`, {
      headers: { 'x-api-key': key },
    })
    expect(events.body.events[0]).toMatchObject({ type: 'run.created', actor: 'key:default' })
  })
})

describe('a Postgres that goes away', () => {
  it('makes the API answer 503, and everything goes on when it is back', async () => {
    const first = await startPostgres('outage')
    const box = await start(
      config(() => setTimeout(1500, 'worked')),
      {
        env: { DATABASE_URL: first.url },
        engine: { leaseMs: 3_000, renewMs: 500 },
      },
    )
    const { body: run } = await call(box.api, 'POST', '/runs', { body })
    const stream = await fetch(`${box.api}/runs/${run.run_id}/stream?stream_mode=signalbox`)
    await first.killImmediate()
    const ill = await health(box.api, 503)
    expect(ill.body).toMatchObject({ code: 'register_unavailable' })
    expect(ill.headers.get('retry-after')).toBe('2')
    const read = await call(box.api, 'GET', `/runs/${run.run_id}`)
    expect(read).toMatchObject({ status: 503, body: { code: 'register_unavailable' } })
    const headers = { 'idempotency-key': 'in-the-dark' }
    const created = await call(box.api, 'POST', '/runs', { body, headers })
    expect(created).toMatchObject({ status: 503, body: { code: 'register_unavailable' } })

    await startPostgres('outage', first.port)
    await health(box.api, 200)
    const again = await call(box.api, 'POST', '/runs', { body, headers })
    expect(again.status).toBe(200)
    for (const id of [run.run_id, 'in-the-dark']) {
      const joined = await call(box.api, 'GET', `/runs/${id}/join`)
      expect(joined.body).toMatchObject({ outcome: 'completed' })
    }
    const seqs: number[] = []
    if (stream.body)
      for await (const frame of readSse(stream.body)) {
        if (frame.hasId) seqs.push(Number(frame.id))
        if (frame.event === 'end') break
      }
    expect(seqs).toEqual(seqs.map((_, n) => n + 1))
  })
})

describe('a stop', () => {
  it('ends streams so that their clients go elsewhere, and hands runs over', async () => {
    const database = await startPostgres('handover')
    const env = { DATABASE_URL: database.url }
    const gate = Promise.withResolvers<string>()
    const first = await start(
      config(() => gate.promise),
      { env },
    )
    const { body: run } = await call(first.api, 'POST', '/runs', { body })
    const response = await fetch(`${first.api}/runs/${run.run_id}/stream?stream_mode=signalbox`)
    const text = response.text()
    // LangGraph's clients take a connection that was closed in order for the end, and one that broke for a break.
    const broken = await fetch(`${first.api}/runs/${run.run_id}/stream`)
    const broke = broken.text().catch(String)
    const stopped = first.stop()
    expect(await text).toContain(': this process is stopping')
    expect(await text).not.toContain('event: end')
    expect(await broke).toContain('terminated')
    gate.resolve('worked')
    await stopped
    await expect(fetch(`${first.api}/ok`)).rejects.toThrow('fetch failed')

    const second = await start(config(), { env })
    const joined = await call(second.api, 'GET', `/runs/${run.run_id}/join`)
    expect(joined.body).toMatchObject({ outcome: 'completed' })
  })
})

describe('roles', () => {
  it('work in processes of their own', async () => {
    const database = await startPostgres('roles')
    const env = { DATABASE_URL: database.url }
    const [api, orchestrator, worker] = await Promise.all([
      start(config(), { env, roles: ['api'] }),
      start(config(), { env, roles: ['orchestrator'] }),
      start(config(), { env, roles: ['worker'] }),
    ])
    expect([orchestrator?.url, worker?.url]).toEqual([null, null])
    const waited = await call(api?.api ?? '', 'POST', '/runs/wait', { body })
    expect(waited.body).toMatchObject({ outcome: 'completed' })
  })
})

describe('a process without the API', () => {
  it('serves its health and its metrics on a port that it is given, and nothing else', async () => {
    const key = 'k'.repeat(20)
    const first = await startPostgres('health')
    const env = { DATABASE_URL: first.url, SIGNALBOX_API_KEY: key }
    const [worker, orchestrator] = await Promise.all([
      start(config(), { env: { ...env, PORT: '0' }, roles: ['worker'] }),
      start(config(), { env, roles: ['orchestrator'], port: 0 }),
    ])
    const headers = { authorization: `Bearer ${key}` }
    for (const [box, role] of [
      [worker, 'worker'],
      [orchestrator, 'orchestrator'],
    ] as const) {
      const healthy = await health(box.api, 200)
      expect(healthy.body).toMatchObject({ ok: true, status: 'ok', roles: [role] })
      expect((await call(box.api, 'GET', '/ready')).status).toBe(200)
      expect((await call(box.api, 'GET', '/live')).status).toBe(200)
      expect(await call(box.api, 'GET', '/metrics')).toMatchObject({ status: 401 })
      const metrics = await call(box.api, 'GET', '/metrics', { headers })
      expect(metrics.headers.get('content-type')).toContain('text/plain')
      expect(metrics.body).toContain('# TYPE signalbox_tool_call_seconds histogram')
      const other = await call(box.api, 'GET', '/runs/x', { headers })
      expect(other).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }

    await first.killImmediate()
    for (const { api } of [worker, orchestrator]) {
      const ill = await health(api, 503)
      expect(ill.body).toMatchObject({ code: 'register_unavailable' })
    }
    await startPostgres('health', first.port)
    for (const { api } of [worker, orchestrator]) await health(api, 200)
    for (const box of boxes.splice(0)) await box.stop()
    await expect(fetch(`${worker.api}/ok`)).rejects.toThrow('fetch failed')
  })
})

describe('a start', () => {
  it('says that its port is taken, and leaves nothing behind', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = taken.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const dataDir = join(dir, 'port')
    const { startSignalbox, parseConfig } = await import('@signalbox/server')
    const loaded = { config: parseConfig(config()), file: 'test', dir }
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const embedded = startEmbeddedPostgres
    const failed = startSignalbox({ loaded, env: {}, port, dataDir, log, embedded })
    await expect(failed).rejects.toThrow(StartError)
    await expect(failed).rejects.toMatchObject({ code: 'port_in_use' })
    await new Promise((resolve) => taken.close(resolve))
    // The data directory is free again.
    const box = await start(config(), { dataDir, embedded: true })
    await health(box.api, 200)

    const second = startSignalbox({ loaded, env: {}, port: 0, dataDir, log, embedded })
    await expect(second).rejects.toMatchObject({ code: 'embedded_postgres' })
    await expect(second).rejects.toThrow('data_dir_in_use')
  })

  it('says that it needs a database, if it has no embedded one to start', async () => {
    const { startSignalbox, parseConfig } = await import('@signalbox/server')
    const loaded = { config: parseConfig(config()), file: 'test', dir }
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const refused = startSignalbox({ loaded, env: {}, port: 0, dataDir: join(dir, 'none'), log })
    await expect(refused).rejects.toMatchObject({ code: 'config_env', field: 'DATABASE_URL' })
  })

  it('says that Postgres cannot be reached, without the password', async () => {
    const env = { DATABASE_URL: 'postgres://postgres:geheim@127.0.0.1:1/nothing' }
    const failed = start(config(), { env })
    await expect(failed).rejects.toMatchObject({ code: 'database_unreachable' })
    await expect(failed).rejects.not.toThrow('geheim')
  })
})

describe('a server process', () => {
  const children: ChildProcess[] = []
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })

  const run = async (env: Readonly<Record<string, string>>) => {
    const main = join(dir, 'main.mjs')
    const entry = new URL('../src/index.ts', import.meta.url).href
    const embedded = new URL('../../embedded/src/index.ts', import.meta.url).href
    await writeFile(
      main,
      `import { runServer } from ${JSON.stringify(entry)}
       import { startEmbeddedPostgres as embedded } from ${JSON.stringify(embedded)}
       const options = { cwd: ${JSON.stringify(dir)}, env: process.env, embedded }
       process.exitCode = await runServer({ ...options, onStarted: ({ url }) => console.log('URL ' + url) })`,
    )
    const child = spawn(process.execPath, [main], { env: { ...process.env, ...env } })
    children.push(child)
    const said = { out: '', err: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said.err += text))
    const exit = once(child, 'exit').then(([code]: unknown[]) => code)
    return { child, said, exit }
  }

  it('serves until SIGTERM, logs JSON, and exits 0', async () => {
    const file = join(dir, 'signalbox.config.json')
    const agents = {
      a: { model: { provider: 'openai', model: 'x', apiKeyEnv: 'SOME_CREDENTIAL' } },
    }
    await writeFile(file, JSON.stringify({ agents }))
    const { child, said, exit } = await run({
      PORT: '0',
      SIGNALBOX_DATA_DIR: join(dir, 'process'),
      SOME_CREDENTIAL: 'do-not-print-me',
      LOG_LEVEL: 'debug',
    })
    const url = await eventually(async () => /^URL (\S+)$/m.exec(said.out)?.[1])
    await health(url, 200)
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
    expect(said.err).toBe('')
    const lines = said.out.split('\n').filter((line) => line.startsWith('{'))
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: expect.any(String) })
    expect(said.out).not.toContain('do-not-print-me')
  })

  it('says a mistake of the configuration in one line and exits 2', async () => {
    await writeFile(join(dir, 'signalbox.config.json'), '{"agnets":{}}')
    const { said, exit } = await run({})
    expect(await exit).toBe(2)
    expect(said.err.trim().split('\n')).toHaveLength(1)
    expect(said.err).toContain('Did you mean "agents"?')
    expect(said.err).toContain('[config_')
  })
})
