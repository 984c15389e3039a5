/**
 * Stories told twice: once undisturbed, once with processes killed and stopped at random. Each transcript must be the same,
 * those of the runs that runs started as well.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { project } from '@signalbox/core'
import { parentOf } from '../../invariants/run-record.ts'
import { seeded } from '../../simulation/seeded.ts'
import { forThisMachine } from '../../support/for-this-machine.ts'
import type { Child } from '../child.ts'
import { Client, patient } from '../client.ts'
import { operate } from '../operator.ts'
import { Stack } from '../stack.ts'
import { countOpen, readRuns, type StoredRun } from '../tables.ts'
import { logViolations } from '../../invariants/check-log.ts'
import { replayViolations } from '../../invariants/check-replay.ts'
import type { Day } from './days.ts'
import type { Story } from './stories.ts'

const patienceMs = 120_000
const settleMs = 240_000
const stoppedMsMax = 4_000
const pauseMs = { least: 200, more: 600 }

export interface Size {
  readonly runs: number
  /** Kills and stops, of all processes together. */
  readonly faults: number
}

export const transcripts = (backend: Stack['backend'], size: Size): Day => ({
  name: `transcripts of ${size.runs} runs on ${backend}, ${size.faults} kills and stops`,
  async play({ seed, keep }) {
    const stack = await Stack.start(backend, null, { scene: 'transcripts' })
    const more = [stack.add('orchestrator'), stack.add('worker')]
    await Promise.all(more.map((child) => child.up()))
    const children = [
      stack.child('api'),
      stack.child('orchestrator'),
      stack.child('worker'),
      ...more,
    ]
    let isBad = true
    try {
      const calm = await tellAll(stack, 'calm', size, async () => {})
      const unit = seeded(seed)
      const wild = await tellAll(stack, 'wild', size, () => disturb(children, unit))
      const violations = [
        ...calm.violations,
        ...wild.violations,
        ...differences(calm.told, wild.told),
      ]
      isBad = violations.length > 0
      if (isBad) console.error(`  the last words of its processes: ${stack.log}`)
      const unknowns = wild.runs.flatMap(({ log }) =>
        log.filter(({ type }) => type === 'tool.unknown'),
      )
      const figures = `${wild.runs.length} runs, ${wild.calls} calls, ${unknowns.length} unknown outcomes, tried again`
      return { violations, figures }
    } finally {
      await stack.stop(keep || isBad)
    }
  },
})

interface Told {
  readonly runs: readonly StoredRun[]
  readonly calls: number
  /** Transcripts by the place of their run. */
  readonly told: ReadonlyMap<string, string>
  readonly violations: readonly string[]
}

async function tellAll(
  stack: Stack,
  name: string,
  { runs: count, faults }: Size,
  disturbance: () => Promise<void>,
): Promise<Told> {
  const client = new Client(() => stack.child('api').url, patient(patienceMs))
  const over = new AbortController()
  // Of the answers to an unknown outcome it takes the first one: the call is made again.
  const human = operate(client, () => 0, over.signal)
  const threads = `${name}-`
  const create = (n: number) =>
    createStory(client, `${threads}${n}`, { seed: n + 1, isChild: false })
  for (let fault = 0, sent = 0; fault < faults; fault++) {
    const until = Math.round((count * (fault + 1)) / faults)
    const creates = Array.from({ length: until - sent }, (_, at) => create(sent + at))
    sent = until
    await Promise.all([...creates, disturbance()])
  }
  const isOver = await ended(stack, threads)
  over.abort()
  await human
  const runs = await readRuns(stack.databaseUrl, threads)
  const told = new Map(runs.map((run) => [placeOf(run, runs), transcriptOf(run)]))
  const faulted = runs.filter(({ log }) => log.some(({ type }) => type === 'run.faulted'))
  return {
    runs,
    calls: runs.flatMap(({ effects }) => effects.filter(({ spec }) => spec.kind === 'tool.call'))
      .length,
    told,
    violations: [
      ...(isOver ? [] : [`I12 not everything of ${name} ended in time`]),
      ...runs.flatMap((run) => [...logViolations(run), ...replayViolations(run)]),
      ...faulted.map(({ head }) => `${head.runId} is faulted`),
    ],
  }
}

async function createStory(client: Client, key: string, story: Story): Promise<void> {
  const body = { assistant_id: 'clerk', input: JSON.stringify(story) }
  const headers = { 'idempotency-key': key, 'x-user': 'requester' }
  const { status } = await client.request('POST', `/threads/${key}/runs`, { body, headers })
  if (status !== 200) throw new Error(`a create was refused with ${status}`)
}

/** A process dies, or stands still for a while: for longer than its leases, at times. */
async function disturb(children: readonly Child[], unit: () => number): Promise<void> {
  await sleep(pauseMs.least + pauseMs.more * unit())
  const child = children[Math.floor(unit() * children.length)]
  if (unit() < 0.5) return child?.kill('killed at random')
  child?.signal('SIGSTOP')
  await sleep(stoppedMsMax * unit() ** 2)
  child?.signal('SIGCONT')
}

async function ended({ databaseUrl }: Stack, threads: string): Promise<boolean> {
  const deadline = Date.now() + forThisMachine(settleMs)
  while (Date.now() < deadline) {
    if ((await countOpen(databaseUrl, threads)) === 0) return true
    await sleep(200)
  }
  return false
}

/** The thread of the run at the top, without the name of the telling, and the calls on the way down. */
function placeOf(run: StoredRun, runs: readonly StoredRun[]): string {
  const parent = parentOf(run)
  if (!parent) return run.head.threadId.replace(/^[a-z]+-/, '')
  const above = runs.find(({ head }) => head.runId === parent.runId)
  return `${above ? placeOf(above, runs) : '?'}/${unnamed(parent.callId)}`
}

/** How it ended, and all that was said, as the next model call would read it. */
const transcriptOf = ({ log, head }: StoredRun): string =>
  unnamed(JSON.stringify([head.stateName, project('', log)]))

/** Ids of runs differ from telling to telling, and ids of messages and calls hold their ends. */
const unnamed = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?:\.\d+)?/g, '<id>')
    // A long text is kept under a key of its own run; its beginning and its length stand beside it.
    .replaceAll(/\b[0-9a-f]{64}\b/g, '<key>')
    .replaceAll(/\b([a-z]+_)[0-9a-f]{12}\b/g, '$1<id>')
    .replaceAll(/\b([a-z]+_)[0-9a-f]{12}_/g, '$1<id>_')

function differences(
  calm: ReadonlyMap<string, string>,
  wild: ReadonlyMap<string, string>,
): readonly string[] {
  const places = new Set([...calm.keys(), ...wild.keys()])
  return [...places].flatMap((place) => {
    const [one = '', other = ''] = [calm.get(place), wild.get(place)]
    if (one === other) return []
    const at = Array.from(one).findIndex((letter, n) => letter !== other[n])
    const around = (text: string) => text.slice(Math.max(0, at - 80), at + 120)
    return [`story ${place} differs: …${around(one)}… became …${around(other)}…`]
  })
}
