/**
 * A register that the build before wrote, with runs in every state, is migrated and goes on: its process is killed, so is the
 * first one that migrates, in the middle of it. Would catch: an upgrade that changes what stands in the register, half of one, and
 * functions that do not go on from what those of before have written.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createRegister, migrate, readMigrations, verifyChain } from '@signalbox/postgres'
import { afterAll, expect, it } from 'vitest'
import { approveFirst } from '../../packages/engine/test/support/governed.ts'
import { until } from '../../packages/engine/test/support/world.ts'
import { ask } from '../../packages/postgres/test/support/ask.ts'
import { migrateAsBefore, versionBefore } from '../../packages/postgres/test/support/before.ts'
import {
  createTestDatabase,
  type TestDatabase,
} from '../../packages/postgres/test/support/database.ts'
import { Hold, kill9, startMigrating } from '../../packages/postgres/test/support/held-migration.ts'
import { countOpen, readRuns } from '../crash/tables.ts'
import { logViolations } from '../invariants/check-log.ts'
import { replayViolations } from '../invariants/check-replay.ts'
import { engineOver, kinds, runsPerKind, threads } from './kinds.ts'

let database: TestDatabase | undefined
let before: ChildProcess | undefined
afterAll(async () => {
  before?.kill('SIGKILL')
  await database?.drop()
})

/** All that is recorded, in one number. */
const record = `select count(*)::int as events, md5(string_agg(run_id || '.' || seq || '.' || encode(hash, 'hex')
    || '.' || coalesce(payload::text, '-'), ',' order by run_id, seq)) as digest from signalbox.event`
const states = `select state_name as state, count(*)::int as n from signalbox.run group by 1 order by 1`
const version = 'select max(version)::int as version from signalbox.migration'

const byName = (one: { state: string }, other: { state: string }) =>
  one.state < other.state ? -1 : 1

async function startBefore({ engineUrl, adminUrl }: TestDatabase): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('process-before.ts', import.meta.url))
  const child = spawn(process.execPath, [program, engineUrl, adminUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process of before ended with ${String(code)}`)
  })
  // Its death is asked for, later.
  ended.catch(() => {})
  await Promise.race([once(child.stdout, 'data'), ended])
  return child
}

it('goes on with five hundred runs in every state, migrated at the second try', async () => {
  database = await createTestDatabase(true)
  const { adminUrl, engineUrl } = database
  await migrateAsBefore(adminUrl)
  before = await startBefore(database)
  const gone = once(before, 'exit')
  before.kill('SIGKILL')
  await gone
  const left = kinds.map((state) => ({ state, n: runsPerKind }))
  expect(await ask(adminUrl, states)).toEqual(left.toSorted(byName))
  const recorded = await ask(adminUrl, record)

  const hold = await Hold.at(adminUrl, 'ALTER TABLE', 'signalbox.migration')
  const killed = startMigrating(adminUrl)
  await expect.poll(() => hold.waiting()).toBe(1)
  await kill9(killed)
  await hold.release()
  await expect.poll(() => hold.sessions()).toBe(0)
  expect(await ask(adminUrl, version)).toEqual([{ version: versionBefore }])
  const { applied } = await migrate(adminUrl)
  expect(applied).toEqual((await readMigrations()).map(({ name }) => name))
  expect(await ask(adminUrl, record)).toEqual(recorded)

  const register = createRegister({ engineUrl })
  const engine = engineOver(register, { before: false })
  try {
    await engine.start()
    const waiting = await readRuns(adminUrl, `${threads}approval-`)
    const asking = waiting.filter(({ head }) => head.stateName === 'approval')
    expect(asking).toHaveLength(runsPerKind)
    for (const { head } of asking)
      expect(await approveFirst(engine, register, head.runId)).toBe('accepted')
    await until(async () => (await countOpen(adminUrl, threads)) === 0 || null)
  } finally {
    await engine.stop(1_000)
    await register.close()
  }
  const runs = await readRuns(adminUrl, threads)
  expect(runs).toHaveLength(kinds.length * runsPerKind)
  expect(
    runs.flatMap((run) => [
      ...replayViolations(run),
      ...logViolations(run),
      ...(verifyChain(run.log, run.end).ok ? [] : [`the chain of ${run.head.runId} is broken`]),
    ]),
  ).toEqual([])
  const ends = { failed: runsPerKind, cancelled: 2 * runsPerKind, completed: 6 * runsPerKind }
  expect(await ask(adminUrl, states)).toEqual(
    Object.entries(ends)
      .map(([state, n]) => ({ state, n }))
      .toSorted(byName),
  )
})
