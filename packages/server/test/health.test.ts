/**
 * What a process says of itself when what it stands on is full, read-only, silent or away: real Postgres, real Redis, real sockets.
 * Would catch: a 500 or a wait of ten seconds for a full register, a health that lies or hangs, a Redis that nobody says is away.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Register } from '@signalbox/engine'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@signalbox/embedded'
import { type ConfigInput, type EnginePorts } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { freePort } from '../../../test/contract/free-port.ts'
import { watchHealth } from '../src/health/health.ts'
import { Writes } from '../src/health/writes.ts'
import { createMetrics } from '../src/observe/metrics.ts'
import { call, eventually } from './support/http.ts'
import { placeReadyCluster } from './support/ready-cluster.ts'
import { startTest, type TestOptions, type TestSignalbox } from './support/signalbox.ts'
import { mkdtemp, chmod, rm } from 'node:fs/promises'

const present = spawnSync('redis-server', ['--version']).status === 0
const skip = !present && process.env['SIGNALBOX_REQUIRE_ALL'] !== '1'
const why = present ? '' : ' (skipped: redis-server is not on PATH)'

const config: ConfigInput = {
  server: { graceMs: 1000 },
  agents: { clerk: { model: { provider: 'scripted', model: 'clerk' }, tools: ['work'] } },
  tools: [
    defineTool({
      name: 'work',
      description: 'Works.',
      effect: 'read',
      input: z.object({}),
      run: () => 'worked',
    }),
  ],
  scripts: {
    clerk: (_, turn) => (turn === 0 ? { calls: [{ name: 'work', args: {} }] } : { text: 'Done.' }),
  },
}
const body = { assistant_id: 'clerk', input: 'Work.' }

const open: (() => Promise<unknown> | void)[] = []
const start = async (options: TestOptions): Promise<TestSignalbox> => {
  const box = await startTest(config, options)
  open.push(() => box.stop())
  return box
}
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

const ready = (box: TestSignalbox) => call(box.api, 'GET', '/ready')
const becomes = (box: TestSignalbox, status: number) =>
  eventually(async () => {
    const answer = await ready(box)
    return answer.status === status ? answer : undefined
  })

/** How long an answer took. */
const timed = async <T>(ask: Promise<T>): Promise<{ answer: T; ms: number }> => {
  const began = performance.now()
  return { answer: await ask, ms: performance.now() - began }
}

/** A register whose appends fail with a SQL state as long as `state` has one. */
function failing(): { state: string | null; wrapPorts: (ports: EnginePorts) => EnginePorts } {
  const broken = { state: null as string | null, wrapPorts }
  const fail = (): void => {
    if (broken.state === null) return
    throw Object.assign(new Error('could not extend file: No space left on device'), {
      code: broken.state,
    })
  }
  function wrapPorts(ports: EnginePorts): EnginePorts {
    const register: Register = new Proxy(ports.register, {
      get(target, name, receiver) {
        const member: unknown = Reflect.get(target, name, receiver)
        if (typeof member !== 'function') return member
        return (...args: unknown[]): unknown => {
          if (name === 'append' || name === 'appendMany')
            return Promise.resolve()
              .then(fail)
              .then(() => Reflect.apply(member, target, args))
          return Reflect.apply(member, target, args)
        }
      },
    })
    return { ...ports, register }
  }
  return broken
}

describe('a register in trouble', () => {
  it.each([
    ['53100', 'register_full'],
    ['53200', 'register_full'],
    ['54000', 'register_full'],
    ['53300', 'register_unavailable'],
    ['57P03', 'register_unavailable'],
    ['25006', 'register_read_only'],
  ])('answers 503 at once for %s, and everything goes on', async (state, code) => {
    const broken = failing()
    const box = await start({ wrapPorts: broken.wrapPorts })
    const { body: run } = await call(box.api, 'POST', '/runs', { body })
    expect((await call(box.api, 'GET', `/runs/${run.run_id}/join`)).body.outcome).toBe('completed')

    broken.state = state
    const headers = { 'idempotency-key': 'once' }
    const { answer, ms } = await timed(call(box.api, 'POST', '/runs', { body, headers }))
    expect(answer).toMatchObject({ status: 503, body: { code } })
    expect(answer.headers.get('retry-after')).toBe('2')
    expect(ms).toBeLessThan(4_000)
    const cancelled = await timed(call(box.api, 'POST', `/runs/${run.run_id}/cancel`))
    expect(cancelled.answer.status).toBeGreaterThanOrEqual(400)
    expect(cancelled.ms).toBeLessThan(4_000)

    broken.state = null
    expect((await call(box.api, 'POST', '/runs', { body, headers })).status).toBe(200)
    const joined = await call(box.api, 'GET', '/runs/once/join')
    expect(joined.body).toMatchObject({ outcome: 'completed' })
  })
})

describe('a real Postgres', () => {
  let dir: string
  let postgres: EmbeddedPostgres
  const ask = async (text: string, writes = false): Promise<void> => {
    const client = new pg.Client(postgres.url)
    await client.connect()
    if (writes) await client.query('set default_transaction_read_only = off')
    await client.query(text)
    await client.end()
  }
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'signalbox-health-'))
    await chmod(dir, 0o755)
    await placeReadyCluster(join(dir, 'postgres'))
    postgres = await startEmbeddedPostgres({
      dataDir: join(dir, 'postgres'),
      port: await freePort(),
    })
    open.push(async () => {
      await postgres.stop()
      await rm(dir, { recursive: true, force: true })
    })
  })

  it('that was set read-only is said by every answer and every probe, until it takes writes again', async () => {
    const box = await start({ env: { DATABASE_URL: postgres.url } })
    const set = async (value: string) => {
      await ask(`alter system set default_transaction_read_only = ${value}`)
      await ask('select pg_reload_conf()')
    }
    expect((await becomes(box, 200)).body).toMatchObject({
      ok: true,
      checks: { writes: { ok: true } },
    })
    await set('on')
    const ill = await becomes(box, 503)
    expect(ill.body).toMatchObject({
      code: 'register_read_only',
      checks: { writes: { ok: false }, register: { ok: true } },
    })
    const { answer, ms } = await timed(call(box.api, 'POST', '/runs', { body }))
    expect(answer).toMatchObject({ status: 503, body: { code: 'register_read_only' } })
    expect(ms).toBeLessThan(4_000)
    expect((await call(box.api, 'GET', '/live')).status).toBe(200)
    await ask('alter system reset default_transaction_read_only', true)
    await ask('select pg_reload_conf()')
    await becomes(box, 200)
    expect((await call(box.api, 'POST', '/runs/wait', { body })).body).toMatchObject({
      outcome: 'completed',
    })
    const lines = box.logged.filter((line) => line.includes('a health check'))
    expect(lines).toEqual([
      expect.stringMatching(/^warn a health check fails .*"check":"writes"/),
      expect.stringMatching(/^info a health check passes again .*"check":"writes"/),
    ])
  })

  it('that falls silent makes no check hang', async () => {
    const proxy = await silentProxy(postgres.port)
    open.push(() => proxy.close())
    const url = new URL(postgres.url)
    url.port = String(proxy.port)
    const box = await start({ env: { DATABASE_URL: url.href } })
    await becomes(box, 200)
    proxy.silence()
    try {
      const ill = await becomes(box, 503)
      expect(ill.body).toMatchObject({
        code: 'register_unavailable',
        checks: { register: { ok: false } },
      })
      for (const path of ['/ready', '/live', '/ok'])
        expect((await timed(call(box.api, 'GET', path))).ms).toBeLessThan(5_000)
    } finally {
      proxy.cut()
    }
    await becomes(box, 200)
  })
})

/** A proxy that stops passing on anything, without closing a connection. */
async function silentProxy(to: number) {
  const sockets = new Set<Socket>()
  let silent = false
  const server = createServer((client) => {
    const target = connect(to, '127.0.0.1')
    for (const [from, into] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => void (silent || into.write(chunk)))
      from.on('error', () => into.destroy())
      from.on('close', () => into.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const cut = (): void => {
    silent = false
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: address.port,
    silence: () => void (silent = true),
    cut,
    close: () => {
      cut()
      server.close()
    },
  }
}

const redis = async (port: number, ...more: string[]) => {
  const args = [
    '--port',
    String(port),
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    tmpdir(),
    ...more,
  ]
  const child = spawn('redis-server', args, { stdio: 'ignore' })
  open.unshift(() => void child.kill('SIGKILL'))
  return child
}
const metric = async (box: TestSignalbox, name: string) =>
  new RegExp(`^${name} (\\d)$`, 'm').exec((await call(box.api, 'GET', '/metrics')).body)?.[1]

describe.skipIf(skip)(`Redis${why}`, () => {
  it('that is away is said by readiness, metrics and one line of the log, and so is its return', async () => {
    const port = await freePort()
    const child = await redis(port)
    const box = await start({ env: { REDIS_URL: `redis://:geheim@127.0.0.1:${port}` } })
    const edge = await start({
      env: { REDIS_URL: `redis://127.0.0.1:${port}`, DATABASE_URL: '' },
      roles: ['api'],
    })
    await becomes(box, 200)
    expect([
      await metric(box, 'signalbox_queue_up'),
      await metric(box, 'signalbox_bus_up'),
    ]).toEqual(['1', '1'])
    child.kill('SIGKILL')
    await once(child, 'exit')
    const ill = await becomes(box, 503)
    expect(ill.body).toMatchObject({ code: 'not_ready', checks: { register: { ok: true } } })
    await eventually(async () => {
      const { checks } = (await ready(box)).body
      return !checks.queue.ok && !checks.bus.ok
    })
    expect([
      await metric(box, 'signalbox_queue_up'),
      await metric(box, 'signalbox_bus_up'),
    ]).toEqual(['0', '0'])
    // A process that only takes requests goes on taking them: a cancel must get through.
    expect((await ready(edge)).status).toBe(200)
    expect((await ready(edge)).body.checks.bus).toMatchObject({ ok: false, needed: false })
    expect(await metric(edge, 'signalbox_queue_up')).toBeUndefined()
    const created = await call(box.api, 'POST', '/runs', { body })
    await new Promise((resolve) => setTimeout(resolve, 7_000))
    const said = box.logged.filter((line) => /warn .*(queue|bus)/.test(line))
    expect(new Set(said).size).toBe(said.length)
    expect(said.length).toBeLessThan(8)
    expect(box.logged.join('\n')).not.toContain('geheim')

    await redis(port)
    await becomes(box, 200)
    const joined = await call(box.api, 'GET', `/runs/${created.body.run_id}/join`)
    expect(joined.body).toMatchObject({ outcome: 'completed' })
  })

  it('that is full takes no jobs, and is said', async () => {
    const port = await freePort()
    await redis(port, '--maxmemory', '1', '--maxmemory-policy', 'noeviction')
    const box = await start({ env: { REDIS_URL: `redis://127.0.0.1:${port}` } })
    const ill = await becomes(box, 503)
    expect(ill.body.checks.queue).toMatchObject({ ok: false, needed: true })
  })
})

const health = (age: () => number | null, look: () => Promise<void>) =>
  watchHealth({
    roles: ['orchestrator'],
    probe: {
      look: async () => {
        await look()
        return { readOnly: false, schemaTrouble: null, feedIsAhead: false }
      },
      write: async () => {},
      close: async () => {},
    },
    writes: new Writes(),
    reconcilerAgeMs: age,
    lookAgeMs: age,
    queue: null,
    bus: async () => {},
    metrics: createMetrics({ defaults: false }),
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })

describe('liveness', () => {
  it('asks for a restart when the reconciler stands still though Postgres answers, and only then', async () => {
    let now = 0
    const real = performance.now.bind(performance)
    performance.now = () => real() + now
    try {
      let age: number | null = 0
      let away = false
      const watched = health(
        () => age,
        async () => {
          if (away) throw new Error('away')
        },
      )
      const at = (ms: number, ageMs: number | null) => {
        now = ms
        age = ageMs
      }
      expect(await watched.live()).toBe(true)
      at(90_000, 90_000)
      expect(await watched.live()).toBe(true)
      expect((await watched.ready()).checks['reconciler']).toMatchObject({
        ok: false,
        needed: true,
      })
      at(130_000, 130_000)
      expect(await watched.live()).toBe(false)
      away = true
      at(140_000, 140_000)
      expect(await watched.live()).toBe(true)
      away = false
      at(150_000, 150_000)
      expect(await watched.live()).toBe(true)
      at(280_000, 280_000)
      expect(await watched.live()).toBe(false)
      at(290_000, null)
      expect(await watched.live()).toBe(true)
      await watched.close()
    } finally {
      performance.now = real
    }
  })
})
