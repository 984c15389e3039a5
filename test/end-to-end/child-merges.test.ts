/**
 * Twenty runs side by side that edit the files of one tree, in two groups whose runs are started by one at the top: three orchestrators and three workers, each a
 * process of its own over one Postgres, are killed at random all the while. Every edit that fits is there, in the order of the events, and none is
 * there twice (`subagents.files: 'merge'`). Would catch: an edit that dies with the process that made it, or with the one that took it over; one that
 * is made again by whoever comes after; a run that is told of twice.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createTestDatabase,
  type TestDatabase,
} from '../../packages/postgres/test/support/database.ts'
import { call } from '../../packages/server/test/support/http.ts'

const main = join(import.meta.dirname, 'merging-process.ts')
const leaves = 20
/** Trees that are played one after the other. */
const trees = 3
/** Between two kills; the shortest and the longest. Milliseconds. */
const calm = [300, 1_500] as const

/** A seed that says which process is killed when: printed, so that a failure can be looked into. */
const seed = Number(process.env['SIGNALBOX_MERGES_SEED'] ?? Date.now() % 1_000_000)

/** Mulberry32. */
function randomOf(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

let dir = ''
let database: TestDatabase | null = null
let url = ''
const living = new Set<ChildProcess>()

/** Starts a process; answers once it serves. */
async function begin(
  role: 'api' | 'orchestrator' | 'worker',
): Promise<{ process: ChildProcess; url: string }> {
  const env = { ...process.env, DATABASE_URL: database?.adminUrl ?? '', REDIS_URL: '' }
  const child = fork(main, [JSON.stringify({ role, dir })], { env, execArgv: [], stdio: 'inherit' })
  living.add(child)
  child.once('exit', () => living.delete(child))
  const [said] = await once(child, 'message')
  return { process: child, url: String(said.url ?? '') }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

const roles = [
  'orchestrator',
  'worker',
  'orchestrator',
  'worker',
  'orchestrator',
  'worker',
] as const
const places: (ChildProcess | null)[] = roles.map(() => null)

async function fill(n: number): Promise<void> {
  const role = roles[n]
  if (role) places[n] = (await begin(role)).process
}

/** Kills one after the other until it is stopped; whoever is killed is started again. Answers how many were. */
async function killing(random: () => number, stop: AbortSignal): Promise<number> {
  const starting: Promise<void>[] = []
  let kills = 0
  while (!stop.aborted) {
    const [least, most] = calm
    await setTimeout(least + random() * (most - least), undefined, { signal: stop }).catch(() => {})
    const n = Math.floor(random() * places.length)
    const victim = places[n]
    if (stop.aborted || !victim) continue
    places[n] = null
    await end(victim)
    kills += 1
    starting.push(fill(n))
  }
  await Promise.all(starting)
  return kills
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'signalbox-merges-'))
  database = await createTestDatabase()
  url = (await begin('api')).url
  await Promise.all(roles.map((_, n) => fill(n)))
})

afterAll(async () => {
  await Promise.all([...living].map(end))
  await database?.drop()
  await rm(dir, { recursive: true, force: true })
})

const get = async (path: string) => (await call(url, 'GET', path)).body

interface Told {
  readonly type: string
  readonly payload: {
    readonly childRunId: string
    readonly outcome: string
    readonly effectId: string
  }
}
const endsIn = async (runId: string): Promise<readonly Told['payload'][]> => {
  const { events } = await get(`/runs/${runId}/events?limit=1000`)
  return events
    .filter(({ type }: Told) => type === 'child.ended')
    .map(({ payload }: Told) => payload)
}

/** The number that a run was started with: the words of its first event. */
async function numberOf(runId: string): Promise<number> {
  const { events } = await get(`/runs/${runId}/events?limit=1`)
  return Number(events[0].payload.input[0].parts[0].text)
}

async function playTree(threadId: string): Promise<number> {
  const stop = new AbortController()
  const random = randomOf(seed + threadId.length * 7_919 + Number(threadId.slice(-1)))
  const kills = killing(random, stop.signal)
  await call(url, 'POST', '/threads', { body: { thread_id: threadId } })
  const { body: created } = await call(url, 'POST', `/threads/${threadId}/runs`, {
    body: { assistant_id: 'top', input: 'Go.' },
  })
  for (let outcome = null; outcome === null; await setTimeout(200))
    ({ outcome } = await get(`/runs/${created.run_id}`))
  stop.abort()
  const killed = await kills
  expect((await get(`/runs/${created.run_id}`)).outcome).toBe('completed')
  const groups = await endsIn(created.run_id)
  expect(groups).toHaveLength(2)
  const inOrder: number[] = []
  for (const group of groups) {
    const ends = await endsIn(group.childRunId)
    // Each is told of once, whoever told it.
    expect(new Set(ends.map(({ effectId }) => effectId)).size).toBe(ends.length)
    expect(ends.map(({ outcome }) => outcome)).toEqual(ends.map(() => 'completed'))
    for (const { childRunId } of ends) inOrder.push(await numberOf(childRunId))
  }
  expect(inOrder.toSorted((a, b) => a - b)).toEqual(Array.from({ length: leaves }, (_, n) => n))
  const text = (path: string): Promise<string> => get(`/threads/${threadId}/files/${path}`)
  // Both edits of each of them, in the one line that they are about.
  expect(await text('doc')).toBe(
    Array.from({ length: leaves }, (_, n) => `slot ${n}: done;\n`).join(''),
  )
  // One line of each, in the order of the events that took them over.
  expect(await text('log')).toBe(`${inOrder.map((n) => `${n}\n`).join('')}<end>`)
  // All want the same words changed: the later event wins.
  expect(await text('shared')).toBe(`leaf ${inOrder.at(-1)}`)
  for (const n of inOrder) expect(await text(`own/${n}`)).toBe(`by ${n}`)
  return killed
}

test('every edit of twenty runs is there once, in the order of the events, whoever is killed', async () => {
  let killed = 0
  for (let n = 1; n <= trees; n++) killed += await playTree(`tree-${n}`)
  console.log(`seed ${seed}: ${killed} processes were killed`)
  expect(killed).toBeGreaterThanOrEqual(trees * 3)
})
