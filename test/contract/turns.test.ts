/**
 * Turns in both registers: whatever tenants wait for, each is served in turn, however much another has waiting. Would catch: a
 * list that is ordered by time or by priority alone, a tenant whose one run waits for a thousand of somebody else.
 */
import { createMemoryRegister } from '@signalbox/testing/memory'
import { type Register, systemClock } from '@signalbox/engine'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  about,
  admission,
  creation,
  newRun,
  type RunIds,
  startEffect,
  toolEffect,
} from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()
const registers: readonly (readonly [string, () => Register])[] = [
  ['in memory', () => createMemoryRegister(systemClock)],
  ['in Postgres', () => bench.register],
]

const runsOf = (tenantId: string, count: number): readonly RunIds[] =>
  Array.from({ length: count }, () => newRun({ tenantId }))

/** Calls that are due as soon as their delay is over, and for the reconciler at once then. */
async function calls(register: Register, runs: readonly RunIds[], over = {}): Promise<void> {
  await register.appendMany(
    runs.map((run) => admission(run, { effects: [toolEffect(run, 1, { delayMs: 1, ...over })] })),
  )
  await setTimeout(5)
}

const look = (register: Register, limit: number) =>
  register.takeDue(['tool.call'], 3_600_000, limit)

describe.each(registers)('%s, a tenant with one thing to do', (_name, open) => {
  it('is looked after with the first of a thousand calls that came before', async () => {
    const register = open()
    const single = newRun({ tenantId: 'look-b' })
    await calls(register, runsOf('look-a', 1000))
    await calls(register, [single])
    const taken = await look(register, 3)
    expect(taken.map(({ tenantId }) => tenantId)).toContain('look-b')
    expect(taken.length).toBeGreaterThanOrEqual(2)
    // Nothing was passed over for good: all the others come as well, each once.
    const ids = new Set(taken.map(({ effectId }) => effectId))
    for (let more = taken; more.length > 0;) {
      more = await look(register, 400)
      for (const { effectId } of more) ids.add(effectId)
    }
    expect(ids.size).toBe(1001)
  })

  it('is decided and admitted with the first of hundreds of more urgent runs', async () => {
    const register = open()
    const single = newRun({ tenantId: 'queue-b' })
    const urgent = runsOf('queue-a', 300).map((run) => creation(run, { priority: 999 }))
    await register.appendMany([...urgent, creation(single)])
    for (const list of [await register.readyRuns(3), await register.admissibleRuns(3)]) {
      expect(list).toHaveLength(3)
      expect(list).toContainEqual({ tenantId: 'queue-b', runId: single.runId })
    }
  })

  it('has its turn at a queue of calls, wherever the turns stand', async () => {
    const register = open()
    const queue = 'turns'
    expect(await register.nextWaiting(queue, '')).toBeNull()
    await calls(register, runsOf('turn-a', 20), { queue })
    await calls(register, runsOf('turn-b', 1), { queue })
    await calls(register, runsOf('turn-c', 2), { queue, delayMs: 3_600_000 })
    const after = async (tenant: string) => (await register.nextWaiting(queue, tenant))?.tenantId
    expect([await after(''), await after('turn-a'), await after('turn-b')]).toEqual([
      'turn-a',
      'turn-b',
      'turn-a',
    ])
    expect(await register.nextWaiting('other', '')).toBeNull()
    await look(register, 100)
  })

  it('waits for no kind of work but calls at such a queue, and for none that began', async () => {
    const register = open()
    const queue = 'kinds'
    const [started, other] = [newRun({ tenantId: 'kind-a' }), newRun({ tenantId: 'kind-b' })]
    await calls(register, [started], { queue })
    await register.append(admission(other, { effects: [startEffect(other, 1, { queue })] }))
    const first = await register.nextWaiting(queue, '')
    expect(first).toMatchObject({ runId: started.runId, status: 'pending', queue })
    const claims = [
      { effectId: `${started.runId}.1`, owner: 'w', leaseMs: 60_000, at: 1, salt: 'ab'.repeat(16) },
    ]
    await register.append({ ...about(started), claims })
    expect(await register.nextWaiting(queue, '')).toBeNull()
  })

  it('never has less than another until it has nothing left', async () => {
    const register = open()
    const left = new Map([
      ['even-a', 50],
      ['even-b', 1],
      ['even-c', 17],
      ['even-d', 4],
    ])
    for (const [tenantId, count] of left) await calls(register, runsOf(tenantId, count))
    while (Math.max(...left.values()) > 0) {
      const taken = await look(register, 7)
      expect(taken.length).toBeGreaterThan(0)
      const got = [...left].map(([tenantId, had]) => {
        const count = taken.filter((each) => each.tenantId === tenantId).length
        left.set(tenantId, had - count)
        return { count, had }
      })
      const most = Math.max(...got.map(({ count }) => count))
      for (const { count, had } of got)
        expect(count).toBeGreaterThanOrEqual(Math.min(had, most - 1))
    }
    expect(Math.min(...left.values())).toBe(0)
  })
})
