/** What the reconciler finds, and the rows of effects. The clock is the database's. */
import type { Register } from '@signalbox/engine'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import {
  about,
  admission,
  decision,
  event,
  fact,
  fence,
  finalDecision,
  newRun,
  timer,
  toolEffect,
} from './support/drafts.ts'
import { useRegister } from './support/register.ts'
import { age, claimOf, withEffect } from './support/stories.ts'

const bench = useRegister()

async function takeOne(id: string): ReturnType<Register['takeDue']> {
  const taken = await bench.register.takeDue(['tool.call'], 10_000, 1000)
  return taken.filter((effect) => effect.effectId === id)
}

/** Milliseconds from when an effect is due to when the reconciler looks at it. */
async function lookAfter(id: string): Promise<number> {
  const client = new pg.Client(bench.database.adminUrl)
  await client.connect()
  try {
    const sql = `select extract(epoch from next_look - due) * 1000 as ms from signalbox.effect where id = $1`
    return Number((await client.query<{ ms: string }>(sql, [id])).rows[0]?.ms)
  } finally {
    await client.end()
  }
}

const fired = (at: number) => fact('timer.fired', `timer:a:${at}`)

describe('what the reconciler finds', () => {
  it('is an effect two seconds after its commit, once per look', async () => {
    const { id, run } = await withEffect(bench)
    expect(await lookAfter(id)).toBe(2000)
    // A minute ahead, so that a slow machine is not late for "not yet".
    await age(bench, id, -60_000)
    expect(await takeOne(id)).toEqual([])
    await age(bench, id, 62_000)
    expect(await takeOne(id)).toMatchObject([
      { effectId: id, runId: run.runId, threadId: run.threadId, dispatches: 1, status: 'pending' },
    ])
    // From then on it is found by the number of calls that wait, and not by its time.
    await age(bench, id, 10_000)
    expect(await takeOne(id)).toEqual([])
  })

  it('is a delayed effect as soon as its delay is over', async () => {
    const { id } = await withEffect(bench, { delayMs: 60_000 })
    await age(bench, id, 60_000)
    expect(await takeOne(id)).toHaveLength(1)
  })

  it('is a started effect only when its lease expired, and none of an ended run', async () => {
    const subject = await withEffect(bench)
    await claimOf(bench, subject)
    expect(await takeOne(subject.id)).toEqual([])
    await age(bench, subject.id, 60_000)
    expect(await takeOne(subject.id)).toMatchObject([{ status: 'started', attempt: 1 }])
    await age(bench, subject.id, 60_000)
    const facts = [fact('run.faulted')]
    await bench.register.append({ ...about(subject.run), facts, decision: finalDecision(2, 5) })
    expect(await takeOne(subject.id)).toEqual([])
  })

  it('is of the asked kinds only, and nothing twice by two at once', async () => {
    const { id } = await withEffect(bench)
    await age(bench, id, 2000)
    expect(await bench.register.takeDue(['model.call'], 1000, 1000)).toEqual([])
    const taken = await Promise.all([takeOne(id), takeOne(id), takeOne(id)])
    expect(taken.flat()).toHaveLength(1)
  })

  it('is a timer, until the fact about it is written', async () => {
    const run = newRun()
    await bench.register.append(admission(run, { timers: [timer('a', 0), timer('b', 60_000)] }))
    const mine = async () =>
      (await bench.register.dueTimers(1000)).filter((one) => one.runId === run.runId)
    const [due] = await mine()
    expect(due).toMatchObject({ ...about(run), timerId: 'a' })
    const wrong = fired((due?.fireAt ?? 0) + 1)
    expect((await bench.register.append({ ...about(run), facts: [wrong] })).factCodes).toEqual([
      'duplicate',
    ])
    const right = fired(due?.fireAt ?? 0)
    expect((await bench.register.append({ ...about(run), facts: [right] })).factCodes).toEqual([
      'ok',
    ])
    expect(await mine()).toEqual([])
    expect((await bench.register.append({ ...about(run), facts: [right] })).factCodes).toEqual([
      'duplicate',
    ])
  })

  it('is a moved timer at its new time, and no cleared one', async () => {
    const run = newRun()
    await bench.register.append(admission(run, { timers: [timer('a', 60_000), timer('b', 0)] }))
    const facts = [fact('x.done')]
    const change = decision(2, 4, { timers: [timer('a', 0)], clearTimers: ['b'] })
    await bench.register.append({ ...about(run), facts, decision: change })
    const due = await bench.register.dueTimers(1000)
    expect(due.filter((one) => one.runId === run.runId).map((one) => one.timerId)).toEqual(['a'])
  })

  it('is announced by nextDue', async () => {
    const nextDue = (lookedMs: number) => bench.register.nextDue(['tool.call'], lookedMs)
    const { id } = await withEffect(bench, { delayMs: 60_000 })
    expect(await nextDue(0)).toBeLessThanOrEqual(60_000)
    await age(bench, id, 3_600_000)
    expect(await nextDue(7_200_000)).toBe(0)
    await takeOne(id)
  })

  it('are runs with undecided facts', async () => {
    const { run } = await withEffect(bench)
    const isReady = async () =>
      (await bench.register.readyRuns(1000)).some((one) => one.runId === run.runId)
    expect(await isReady()).toBe(false)
    await bench.register.append({ ...about(run), notes: [event('tool.late')] })
    expect(await isReady()).toBe(false)
    await bench.register.append({ ...about(run), facts: [fact('x.done')] })
    expect(await isReady()).toBe(true)
    await bench.register.append({ ...about(run), decision: decision(2, 5) })
    expect(await isReady()).toBe(false)
  })
})

describe('effect rows', () => {
  it('bring the call as the model asked for it', async () => {
    const run = newRun()
    await bench.register.append(admission(run))
    const part = {
      type: 'tool_call',
      id: 'call_1',
      name: 'write',
      args: { path: 'a' },
      argsHash: 'h',
    }
    const other = { ...part, id: 'call_2', args: { path: 'b' } }
    const payload = { turn: { message: { parts: [{ type: 'text', text: 't' }, other, part] } } }
    await bench.register.append({
      ...about(run),
      facts: [fact('model.completed', `${run.runId}.0`, { payload })],
      decision: decision(2, 4, { effects: [toolEffect(run, 1)] }),
    })
    expect(await bench.register.effect(`${run.runId}.1`)).toMatchObject({ call: part })
    expect(await bench.register.openEffects(run.runId)).toMatchObject([{ call: part }])
    await age(bench, `${run.runId}.1`, 2000)
    expect(await takeOne(`${run.runId}.1`)).toMatchObject([{ call: part }])
  })

  it('leave out what is over', async () => {
    const { run, id } = await withEffect(bench)
    expect(await bench.register.openEffects(run.runId)).toHaveLength(1)
    const never = fact('tool.aborted', 'x', {
      fence: fence(id, 'pending', { becomes: 'cancelled' }),
    })
    await bench.register.append({ ...about(run), facts: [never] })
    expect(await bench.register.openEffects(run.runId)).toEqual([])
    expect(await bench.register.effect('nobody')).toBeNull()
  })
})
