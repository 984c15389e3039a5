/**
 * A rolling deploy: processes of this build and of a newer one on one register, killed and replaced by turns, one of them
 * alone at times. No run is faulted, no answer of a human is lost, and an old process that is alone with what it does not
 * know stays quiet.
 */
import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client as Postgres } from 'pg'
import { z } from 'zod'
import { seeded } from '../../simulation/seeded.ts'
import { forThisMachine } from '../../support/for-this-machine.ts'
import type { Child } from '../child.ts'
import { Client, patient } from '../client.ts'
import { operate } from '../operator.ts'
import { type Build, makeBuild } from '../rolling/build.ts'
import type { Setting } from '../sending.ts'
import { roles, Stack } from '../stack.ts'
import { countOpen } from '../tables.ts'
import { crowd, longestMs } from './crowd.ts'
import type { Day, Outcome } from './days.ts'
import { settleMs } from './outages.ts'

const threads = 'roll-'
const patienceMs = 120_000
/** How long an old process is alone, until it has looked at everything, and while its queries are counted. */
const aloneMs = 8_000
const countedMs = 6_000
const countsMax = 5
/** How long the new build is beside the old one again, before that goes for good. */
const besideMs = 8_000
/** A quiet process asks less than twenty times a second, a role and what it was left with included. */
const queriesMax = 60

interface Deploy {
  readonly stack: Stack
  readonly build: Build
  readonly client: Client
  readonly unit: () => number
  readonly old: readonly Child[]
  readonly next: readonly Child[]
  readonly violations: string[]
}

/** `times`: runs of each kind, sent in each of three waves. `kills`: of each build. */
export const rolling = (times: number, kills: number): Day => ({
  name: 'a rolling deploy',
  async play({ seed, keep }) {
    const build = await makeBuild()
    const stack = await Stack.start('postgres', null, { scene: 'production' })
    let isBad = true
    try {
      const outcome = await roll({ stack, build, seed, times, kills })
      isBad = outcome.violations.length > 0
      if (isBad) console.error(`  the last words of its processes: ${stack.log}`)
      return outcome
    } finally {
      await stack.stop(keep || isBad)
      await build.remove()
    }
  },
})

interface Plan {
  readonly stack: Stack
  readonly build: Build
  readonly seed: number
  readonly times: number
  readonly kills: number
}

async function roll({ stack, build, seed, times, kills }: Plan): Promise<Outcome> {
  const unit = seeded(seed)
  const old = roles.map((role) => stack.child(role))
  /** Builds whose API clients reach. */
  let served: readonly (readonly Child[])[] = [old]
  const client = new Client(
    () => served[Math.floor(unit() * served.length)]?.[0]?.url ?? null,
    patient(patienceMs),
  )
  const setting = (wave: number): Setting => ({
    name: `${threads}${wave}`,
    client,
    databaseUrl: stack.databaseUrl,
    receiverUrl: stack.receiver.url,
  })
  await crowd(times)(setting(1))
  const next = roles.map((role) => stack.add(role, { entry: build.entry }))
  await Promise.all(next.map((child) => child.up()))
  const deploy: Deploy = { stack, build, client, unit, old, next, violations: [] }
  served = [old, next]
  const over = new AbortController()
  const human = operate(client, unit, over.signal)
  const sent: Promise<void>[] = []
  await killByTurns(deploy, 2 * kills, (done) => {
    // A part of the wave behind each kill, so that each one meets runs in every state.
    for (; sent.length < Math.ceil(times * done);) sent.push(crowd(1, sent.length)(setting(2)))
  })
  await Promise.all(sent)
  served = [next]
  await crowd(times)(setting(3))
  served = [old]
  await Promise.all(next.map((child) => child.end()))
  // Also what the old build cannot judge is answered by way of it.
  await sleep(aloneMs)
  over.abort()
  await human
  const quiet = await countQueries(deploy)
  const replaced = roles.map((role) => stack.add(role, { entry: build.entry }))
  await Promise.all(replaced.map((child) => child.up()))
  served = [old, replaced]
  const end = new AbortController()
  const last = operate(client, unit, end.signal)
  await sleep(besideMs)
  served = [replaced]
  await Promise.all(old.map((child) => child.end()))
  const isOver = await ended(stack)
  end.abort()
  await last
  const { violations, counts } = await judge(deploy)
  const figures = Object.entries({ ...counts, ...quiet, kills: stack.kills.length })
  return {
    violations: [
      ...deploy.violations,
      ...(isOver ? [] : ['I12 not everything ended in time']),
      ...violations,
    ],
    figures: figures.map(([what, n]) => `${n} ${what}`).join(', '),
  }
}

/** `before` each kill, told which share of them is done with it. */
async function killByTurns(
  { old, next, unit }: Deploy,
  kills: number,
  before: (done: number) => void,
): Promise<void> {
  for (let n = 0; n < kills; n++) {
    before((n + 1) / kills)
    const build = n % 2 === 0 ? old : next
    await sleep(500 + 1_000 * unit())
    const child = build[Math.floor(unit() * build.length)]
    await child?.kill('killed in a rolling deploy')
    await child?.up()
  }
}

/**
 * The new build was taken back: what it has left must not make the old one busy. Its own runs go on meanwhile, for longer on a slow
 * machine, so it is counted until it is quiet: a process that spins never is.
 */
async function countQueries({ stack, violations }: Deploy) {
  const counts: number[] = []
  while (counts.length < countsMax && (counts.at(-1) ?? Infinity) > queriesMax) {
    const before = await transactions(stack.databaseUrl)
    await sleep(countedMs)
    const counted = (await transactions(stack.databaseUrl)) - before
    counts.push(Math.round(counted / (countedMs / 1_000)))
  }
  const said = counts.join(', then ')
  if ((counts.at(-1) ?? 0) > queriesMax)
    violations.push(`the old build alone asks ${said} times a second (D11)`)
  return { 'queries a second of the old build alone': said }
}

async function transactions(databaseUrl: string): Promise<number> {
  const client = new Postgres({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ n: string }>(
      'select sum(xact_commit + xact_rollback) as n from pg_stat_database',
    )
    return Number(rows[0]?.n)
  } finally {
    await client.end()
  }
}

/** A run of the newer machine stands still while the old build is alone, so the longest may have everything before it yet. */
async function ended({ databaseUrl }: Stack): Promise<boolean> {
  const deadline = Date.now() + forThisMachine(settleMs + longestMs)
  while (Date.now() < deadline) {
    if ((await countOpen(databaseUrl, threads)) === 0) return true
    await sleep(200)
  }
  return false
}

const Judged = z.object({
  violations: z.array(z.string()),
  counts: z.record(z.string(), z.number()),
})

async function judge({ stack, build, client }: Deploy): Promise<z.infer<typeof Judged>> {
  const orders = {
    databaseUrl: stack.databaseUrl,
    threads,
    world: stack.world,
    received: stack.receiver.received.map(({ id }) => id),
    created: [...client.created],
    acknowledged: client.acknowledged,
    complaints: client.complaints,
  }
  const said = await new Promise<string>((resolve, reject) => {
    const child = execFile(
      process.execPath,
      ['--no-warnings', build.judge.pathname],
      { maxBuffer: 64e6 },
      (error, stdout) => (error ? reject(error) : resolve(stdout)),
    )
    child.stdin?.end(JSON.stringify(orders))
  })
  return Judged.parse(JSON.parse(said))
}
