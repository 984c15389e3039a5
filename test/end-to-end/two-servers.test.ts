/**
 * Two servers, each a process of its own, over one Postgres: what two clients ask of both at once has one answer. Would catch:
 * two winners of a race, or none; a run that is superseded and goes on; a cancel that only the server of the create
 * understands. The winner waits for a human, so that nothing here depends on who is how fast.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  createTestDatabase,
  type TestDatabase,
} from '../../packages/postgres/test/support/database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, eventually } from '../../packages/server/test/support/http.ts'

const root = join(import.meta.dirname, '../..')
const cli = join(root, 'packages/cli/bin/signalbox.js')
const door = pathToFileURL(join(root, 'packages/cli/src/index.ts')).href

/** Of races with `reject`, and of races that one run wins and another has to leave, of either kind half of them. */
const rounds = 20
const cancels = 4

const config = `
import { defineConfig, defineTool, z } from ${JSON.stringify(door)}

const note = defineTool({
  name: 'note',
  description: 'Notes something.',
  effect: 'idempotent',
  input: z.object({}),
  run: async () => 'noted',
})

export default defineConfig({
  agents: {
    asker: {
      model: { provider: 'scripted', model: 'ask' },
      tools: ['note'],
      guardrails: { approvalTools: ['note'] },
    },
  },
  tools: [note],
  scripts: { ask: (prompt) => prompt.at(-1).role === 'user' ? { calls: [{ name: 'note', args: {} }] } : { text: 'Done.' } },
})
`

let folder = ''
let database: TestDatabase | null = null
const servers: ChildProcess[] = []
/** Where the two listen. */
let urls: readonly string[] = []

async function serve(databaseUrl: string): Promise<string> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, REDIS_URL: '' }
  const child = spawn(process.execPath, [cli, 'serve', '--port', '0'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  servers.push(child)
  return new Promise((resolve, reject) => {
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      const found = /"url":"(http:[^"]+)"/.exec(printed)?.[1]
      if (found) resolve(found)
    })
    child.on('exit', (code) => reject(new Error(`serve exited with ${code}: ${printed}`)))
  })
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-two-'))
  await writeFile(join(folder, 'signalbox.config.mjs'), config)
  database = await createTestDatabase()
  const { adminUrl: url } = database
  urls = await Promise.all([serve(url), serve(url)])
})

afterAll(async () => {
  await Promise.all(
    servers.map(async (server) => {
      if (server.exitCode !== null || server.signalCode !== null) return
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
    }),
  )
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

const bodyOf = (strategy: string) => ({
  assistant_id: 'asker',
  input: 'Note it.',
  multitask_strategy: strategy,
})

/** Both servers are asked at once for a run on the same thread. */
const race = (threadId: string, strategy: string) =>
  Promise.all(
    urls.map((url) => call(url, 'POST', `/threads/${threadId}/runs`, { body: bodyOf(strategy) })),
  )

/** As the other server sees it than the one that was asked for it. */
const runOf = async (n: number, runId: string) =>
  (await call(urls[1 - n] ?? '', 'GET', `/runs/${runId}`)).body

/** Runs of all rounds at once would wait for each other more than they race. */
async function eachRound(times: number, play: (threadId: string) => Promise<void>): Promise<void> {
  const left = Array.from({ length: times }, () => crypto.randomUUID())
  const lane = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) await play(next)
  }
  await Promise.all([lane(), lane(), lane(), lane()])
}

test('of two creates with reject one is the run of the thread, and the other is refused', async () => {
  await eachRound(rounds, async (threadId) => {
    const answers = await race(threadId, 'reject')
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 422]))
    expect(answers.find(({ status }) => status === 422)?.body).toMatchObject({
      code: 'thread_busy',
    })
    const { body } = await call(urls[0] ?? '', 'GET', `/threads/${threadId}/runs`)
    expect(body).toHaveLength(1)
  })
})

test.each([
  ['interrupt', 'cancelled'],
  ['rollback', 'rolled_back'],
])('of two creates with %s one ends the other, and goes on', async (strategy, outcome) => {
  await eachRound(rounds / 2, async (threadId) => {
    const answers = await race(threadId, strategy)
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const runs = answers.map(({ body }) => String(body.run_id))
    const seen = () => Promise.all(runs.map((runId, n) => runOf(n, runId)))
    const won = await eventually(async () => {
      const now = await seen()
      const isOver = now.some((run) => run.outcome === outcome)
      return isOver ? now.find((run) => run.state === 'approval') : undefined
    })
    const { body: asked } = await call(urls[0] ?? '', 'GET', `/approvals?run_id=${won.run_id}`)
    const path = `/approvals/${asked[0].approval_id}`
    const answer = await call(urls[1] ?? '', 'POST', path, { body: { decision: 'approve' } })
    expect(answer.status).toBe(200)
    const ended = await eventually(async () => {
      const now = await seen()
      return now.every((run) => run.outcome !== null) ? now : undefined
    })
    expect(new Set(ended.map((run) => run.outcome))).toEqual(new Set([outcome, 'completed']))
  })
})

test('a cancel by Idempotency-Key at one server ends a run whose create the other has not answered', async () => {
  await eachRound(cancels, async (threadId) => {
    const key = crypto.randomUUID()
    const created = call(urls[0] ?? '', 'POST', `/threads/${threadId}/runs/wait`, {
      body: bodyOf('enqueue'),
      headers: { 'idempotency-key': key },
    })
    // Its run waits for a human, so that only the cancel ends it.
    await eventually(async () => {
      const { status } = await call(urls[1] ?? '', 'POST', `/runs/${key}/cancel`, { body: {} })
      return status < 300 ? true : undefined
    })
    await created
    // A client that waits is answered too when the run asks a human, which may be before the cancel is carried out.
    const run = await eventually(async () => {
      const now = await runOf(0, key)
      return now.outcome === null ? undefined : now
    })
    expect(run).toMatchObject({ outcome: 'cancelled', thread_id: threadId })
  })
})
