/**
 * 200 cancels of commands in whole runs, on each backend of the queue (§19): everything of a command is gone, and what became of it
 * is never unknown. Would catch: a cancel that ends the shell and not its tree, one that is told before the tree is gone.
 *
 * Times are aims beside the speed of the machine: they are told. What is checked is that nothing is left.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConfigInput } from '@signalbox/server'
import { afterEach, describe, expect, it } from 'vitest'
import { redisMissing, RedisServer, skipRedis } from '../../bullmq/test/support/redis-server.ts'
import { call, eventually } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const required = process.env['SIGNALBOX_REQUIRE_ALL'] === '1'
const hasBwrap = (process.env['PATH'] ?? '')
  .split(delimiter)
  .some((each) => existsSync(join(each, 'bwrap')))
const isSkipped = process.platform !== 'linux' || (!hasBwrap && !required)
const why = isSkipped ? ' [skipped: bwrap is not installed]' : ''
const cancels = 200
const atOnce = 4

/** Ways to stay; `%` is found again. */
const scripts = [
  'setsid sleep % & sleep %',
  'nohup sleep % >/dev/null 2>&1 & sleep %',
  '( ( sleep % & ) & ); sleep %',
  "trap '' HUP INT QUIT TERM; while :; do sleep %; done",
  'sleep % & kill -STOP $!; sleep %',
]

/** The mark of a run is its input: a number of seconds that nothing else sleeps. */
const config: ConfigInput = {
  agents: {
    worker: { model: { provider: 'scripted', model: 'working' }, tools: ['bash'] },
  },
  scripts: {
    working: (prompt) => {
      const [, mark = '1', way = '0'] = /mark (3\d+\.5) (\d)/.exec(JSON.stringify(prompt)) ?? []
      const script = scripts[Number(way)] ?? ''
      return {
        calls: [{ name: 'bash', args: { command: `echo x > f; ${script.replaceAll('%', mark)}` } }],
      }
    },
  },
  sandbox: { use: 'bubblewrap' },
  queues: { sandbox: { concurrency: atOnce } },
}

let box: TestSignalbox | undefined
let redis: RedisServer | undefined
afterEach(async () => {
  await box?.stop()
  await redis?.close()
  redis = undefined
})

function processesWith(text: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!Number.isInteger(pid) || pid === process.pid) return false
      try {
        const isDead = /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
        return !isDead && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text)
      } catch {
        return false
      }
    })
}

async function cancelOne(api: string, n: number): Promise<number> {
  const mark = `3${randomBytes(4).readUInt32BE() % 1_000_000}.5`
  const body = { assistant_id: 'worker', input: `mark ${mark} ${n % scripts.length}` }
  const runId = String((await call(api, 'POST', '/runs', { body })).body.run_id)
  await eventually(async () => processesWith(`sleep ${mark}`).length > 0)
  await sleep((n % 5) * 10)
  const began = performance.now()
  expect((await call(api, 'POST', `/runs/${runId}/cancel?wait=1`)).status).toBe(204)
  const goneMs = performance.now() - began
  expect(processesWith(mark)).toEqual([])
  const told = await call(api, 'GET', `/runs/${runId}/events?limit=1000`)
  const events: readonly { readonly type: string }[] = told.body.events
  const types = events.map(({ type }) => type)
  expect(types).toContain('tool.aborted')
  expect(types).not.toContain('tool.unknown')
  expect(types).not.toContain('tool.completed')
  return goneMs
}

/** How long each took from its cancel until everything was gone, shortest first. */
async function cancelAll(redisUrl: string | null): Promise<readonly number[]> {
  box = await startTest(config, redisUrl === null ? {} : { env: { REDIS_URL: redisUrl } })
  const { api } = box
  const took: number[] = []
  for (let n = 0; n < cancels; n += atOnce)
    took.push(
      ...(await Promise.all(Array.from({ length: atOnce }, (_, k) => cancelOne(api, n + k)))),
    )
  const sorted = took.toSorted((a, b) => a - b)
  const [middle, late] = [sorted[cancels / 2], sorted[cancels - 3]]
  console.info(`cancel to gone: p50 ${middle?.toFixed(0)} ms, p99 ${late?.toFixed(0)} ms`)
  return sorted
}

describe.skipIf(isSkipped)(`cancels of commands${why}`, () => {
  it('§19 200 of process trees, queue in PostgreSQL', async () => {
    expect(await cancelAll(null)).toHaveLength(cancels)
  })

  it.skipIf(skipRedis)(`§19 200 of process trees, queue in Redis${redisMissing}`, async () => {
    redis = await RedisServer.start()
    expect(await cancelAll(redis.url)).toHaveLength(cancels)
  })
})
