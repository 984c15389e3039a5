/** With Redis as queue and wake bus, and with a Redis that is away: it is a hint, so nothing may depend on it (I13). */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import type { ConfigInput } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { freePort } from '../../../test/contract/free-port.ts'
import { call, eventually, health, readSse } from './support/http.ts'
import { RedisCluster } from '../../bullmq/test/support/redis-cluster.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

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
    clerk: (_, turn) =>
      turn === 0
        ? { text: 'I work. '.repeat(50), delayMs: 5, calls: [{ name: 'work', args: {} }] }
        : { text: 'Done.' },
  },
}
const body = { assistant_id: 'clerk', input: 'Work.' }

let redis: ChildProcess | undefined
let box: TestSignalbox | undefined

afterEach(async () => {
  await box?.stop()
  redis?.kill('SIGKILL')
})

describe.skipIf(skip)(`Redis${why}`, () => {
  it('carries hints, wakes and text; its death costs time only', async () => {
    const port = await freePort()
    const args = ['--port', String(port), '--save', '', '--appendonly', 'no', '--dir', tmpdir()]
    redis = spawn('redis-server', args, { stdio: 'ignore' })
    box = await startTest(config, { env: { REDIS_URL: `redis://127.0.0.1:${port}` } })
    const { api } = box
    const stream = async () => {
      const response = await fetch(`${api}/runs/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, stream_mode: 'signalbox' }),
      })
      const names: string[] = []
      if (response.body) for await (const { event } of readSse(response.body)) names.push(event)
      expect(names.at(-1)).toBe('end')
      return names
    }
    // Text is a hint: a bus that hears of the stream later than the model answers passes none of it on.
    await eventually(async () => (await stream()).includes('message.delta'))

    redis.kill('SIGKILL')
    await once(redis, 'exit')
    const created = await call(api, 'POST', '/runs', { body })
    expect(created.status).toBe(200)
    // Its calls wait for a poll now: the process says so, and goes on.
    await health(api, 503)
    redis = spawn('redis-server', args, { stdio: 'ignore' })
    const joined = await call(api, 'GET', `/runs/${created.body.run_id}/join`)
    expect(joined.body).toMatchObject({ outcome: 'completed' })
  })
})

describe.skipIf(skip)(`Redis Cluster${why}`, () => {
  it('carries a run; what a node that dies held costs time only', async () => {
    const cluster = await RedisCluster.start()
    onTestFinished(() => cluster.close())
    box = await startTest(
      { ...config, queue: { prefix: 'shared' } },
      { env: { REDIS_URL: cluster.url } },
    )
    const { api } = box
    const waited = await call(api, 'POST', '/runs/wait', { body })
    expect(waited.status).toBe(200)
    const holder = await cluster.holderOf('{shared}')
    expect(await holder.command('EXISTS', '{shared}:tools:meta')).toBe(1)

    await holder.kill()
    const created = await call(api, 'POST', '/runs', { body })
    expect(created.status).toBe(200)
    await holder.start()
    await cluster.whole()
    const joined = await call(api, 'GET', `/runs/${created.body.run_id}/join`)
    expect(joined.body).toMatchObject({ outcome: 'completed' })
  })

  it('is shared by installations of different prefixes', async () => {
    const cluster = await RedisCluster.start()
    onTestFinished(() => cluster.close())
    const env = { REDIS_URL: cluster.url }
    box = await startTest(config, { env })
    const other = await startTest(config, { env: { ...env, SIGNALBOX_QUEUE_PREFIX: 'other' } })
    onTestFinished(() => other.stop())
    for (const { api } of [box, other])
      expect((await call(api, 'POST', '/runs/wait', { body })).status).toBe(200)
    for (const prefix of ['signalbox', 'other']) {
      const holder = await cluster.holderOf(`{${prefix}}`)
      expect(await holder.command('EXISTS', `{${prefix}}:tools:meta`)).toBe(1)
    }
  })
})

describe('a Redis that cannot be reached', () => {
  it('does not keep the process from starting, and is warned about', async () => {
    const port = await freePort()
    box = await startTest(config, { env: { REDIS_URL: `redis://:geheim@127.0.0.1:${port}` } })
    const { api, logged } = box
    expect((await call(api, 'GET', '/live')).status).toBe(200)
    expect((await health(api, 503)).body).toMatchObject({ code: 'not_ready' })
    const created = await call(api, 'POST', '/runs', { body })
    expect(created.status).toBe(200)
    await eventually(async () =>
      logged.some((line) => line.startsWith('warn')) ? true : undefined,
    )
    expect(logged.join('\n')).not.toContain('geheim')
  })
})
