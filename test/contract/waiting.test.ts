/**
 * Calls that wait for a worker, in both registers. Would catch: a call that is counted and cannot be claimed, or can and is not; one
 * that is announced again all the time, or never again; one that nobody closes after a cancel.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { type Register, systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { describe, expect, it } from 'vitest'
import {
  about,
  admission,
  fact,
  newRun,
  type RunIds,
  toolEffect,
} from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()
const registers: readonly (readonly [string, () => Register])[] = [
  ['in memory', () => createMemoryRegister(systemClock)],
  ['in Postgres', () => bench.register],
]

/** A queue of its own: the tests share a register. */
const freshQueue = (): string => `q-${randomUUID().slice(0, 8)}`

async function begin(register: Register, queue: string, over = {}): Promise<RunIds> {
  const run = newRun()
  const effect = toolEffect(run, 1, { queue, ...over })
  await register.append(admission(run, { effects: [effect] }))
  return run
}

const claim = (register: Register, run: RunIds) =>
  register.append({
    ...about(run),
    claims: [
      { effectId: `${run.runId}.1`, owner: 'w', leaseMs: 60_000, at: 1, salt: 'ab'.repeat(16) },
    ],
  })

const countOf = async (register: Register, queue: string): Promise<number> =>
  (await register.waitingCalls()).find((each) => each.queue === queue)?.calls ?? 0

/** Long and short, whatever the machine is at. */
const [hour, moment] = [3_600_000, 1]
const take = async (
  register: Register,
  queue: string,
  { waitMs = moment, limit = 100 } = {},
): Promise<readonly string[]> =>
  (await register.takeWaiting(queue, waitMs, limit)).map(({ runId }) => runId)

describe.each(registers)('%s', (_name, open) => {
  it('counts the calls that may be claimed, by queue', async () => {
    const register = open()
    const [queue, other] = [freshQueue(), freshQueue()]
    expect(await countOf(register, queue)).toBe(0)
    const [first] = [await begin(register, queue), await begin(register, queue)]
    await begin(register, other)
    await begin(register, queue, { delayMs: 3_600_000 })
    expect([await countOf(register, queue), await countOf(register, other)]).toEqual([2, 1])
    await claim(register, first)
    expect(await countOf(register, queue)).toBe(1)
  })

  it('announces those again that were announced long ago, the oldest first, less often each time', async () => {
    const register = open()
    const queue = freshQueue()
    const runs = [await begin(register, queue)]
    await setTimeout(5)
    runs.push(await begin(register, queue))
    const [older, newer] = runs.map(({ runId }) => runId)
    await setTimeout(1_500)
    expect(await take(register, queue, { limit: 1 })).toEqual([older])
    expect(await take(register, queue, { waitMs: 1_400 })).toEqual([newer])
    expect(await register.effect(`${older}.1`)).toMatchObject({ dispatches: 1, status: 'pending' })
    // After the first time `waitMs`, after each other one twice as long.
    await setTimeout(5)
    expect(await take(register, queue)).toHaveLength(2)
    expect(await take(register, queue, { waitMs: hour })).toEqual([])
    await setTimeout(1_500)
    expect(await take(register, queue, { waitMs: 1_000 })).toHaveLength(2)
    await setTimeout(1_500)
    expect(await take(register, queue, { waitMs: 1_400 })).toEqual([])
    expect(await take(register, queue, { waitMs: 700 })).toHaveLength(2)
    expect(await register.effect(`${older}.1`)).toMatchObject({ dispatches: 4 })
    await claim(register, runs[0] ?? newRun())
    await setTimeout(5)
    expect(await take(register, queue)).toEqual([newer])
  })

  it('announces each that was lost once before any of them a second time', async () => {
    const register = open()
    const queue = freshQueue()
    const runs: string[] = []
    for (let n = 0; n < 4; n += 1) {
      runs.push((await begin(register, queue)).runId)
      await setTimeout(5)
    }
    // A look takes fewer than were lost, and each may be announced again before the next look.
    const looks: (readonly string[])[] = []
    for (let n = 0; n < 6; n += 1) {
      looks.push(await take(register, queue, { limit: 1 }))
      await setTimeout(20)
    }
    expect(looks.flat()).toEqual([...runs, ...runs.slice(0, 2)])
  })

  it('leaves those alone that were announced a moment ago', async () => {
    const register = open()
    const queue = freshQueue()
    await begin(register, queue)
    expect(await take(register, queue, { waitMs: hour })).toEqual([])
  })

  it('looks at a call by its time once, unless its run is to end', async () => {
    const register = open()
    const queue = freshQueue()
    const run = await begin(register, queue, { delayMs: 1 })
    let againMs = hour
    const look = async () => {
      const taken = await register.takeDue(['tool.call'], againMs, 1000)
      return taken.filter(({ runId }) => runId === run.runId)
    }
    await setTimeout(10)
    expect(await look()).toMatchObject([{ cancelRequested: false }])
    await setTimeout(50)
    expect(await look()).toEqual([])
    const asked = { ...fact('cancel.requested'), payload: { action: 'interrupt' } }
    await register.append({ ...about(run), facts: [asked] })
    againMs = moment
    expect(await look()).toMatchObject([{ cancelRequested: true }])
    await setTimeout(5)
    againMs = hour
    expect(await look()).toHaveLength(1)
    expect(await look()).toEqual([])
  })
})
