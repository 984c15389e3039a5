/** Runs that are already under way, and what tests do to them again and again. */
import type { Effect } from '@signalbox/core'
import type { Claimed } from '@signalbox/engine'
import pg from 'pg'
import {
  about,
  admission,
  claim,
  finalDecision,
  newRun,
  type RunIds,
  startEffect,
  toolEffect,
} from './drafts.ts'
import type { Bench } from './register.ts'

/** A running run: facts 1 and 2, decision 3. */
export async function running(
  bench: Bench,
  effects: (run: RunIds) => Effect[] = () => [],
): Promise<RunIds> {
  const run = newRun()
  const result = await bench.register.append(admission(run, { effects: effects(run) }))
  if (result.decisionCode !== 'ok') throw new Error(`not running: ${JSON.stringify(result)}`)
  return run
}

/** A run that ended with its first decision, at seq 3. */
export async function ended(bench: Bench): Promise<RunIds> {
  const run = newRun()
  await bench.register.append({ ...admission(run), decision: finalDecision(0, 2) })
  return run
}

export interface Subject {
  readonly run: RunIds
  /** Id of its one effect, a tool call. */
  readonly id: string
}

/** A running run with one effect. */
export async function withEffect(
  bench: Bench,
  over: Parameters<typeof toolEffect>[2] = {},
): Promise<Subject> {
  const run = await running(bench, (ids) => [toolEffect(ids, 1, over)])
  return { run, id: `${run.runId}.1` }
}

/** A running run with one effect that starts a run. */
export async function withStart(bench: Bench): Promise<Subject> {
  const run = await running(bench, (ids) => [startEffect(ids, 1)])
  return { run, id: `${run.runId}.1` }
}

export async function claimOf(
  bench: Bench,
  { run, id }: Subject,
  over: Parameters<typeof claim>[1] = {},
): Promise<Claimed | undefined> {
  const result = await bench.register.append({ ...about(run), claims: [claim(id, over)] })
  return result.claims[0]
}

/** Moves the times of an effect into the past, as a superuser: cheaper than to wait. */
export async function age(bench: Bench, id: string, ms: number): Promise<void> {
  const client = new pg.Client(bench.database.adminUrl)
  await client.connect()
  await client.query(
    `update signalbox.effect set due = due - $2 * interval '1 ms',
       next_look = next_look - $2 * interval '1 ms', lease_until = lease_until - $2 * interval '1 ms'
     where id = $1`,
    [id, ms],
  )
  await client.end()
}
