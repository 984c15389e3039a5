/**
 * What governance asks of a register, of both of them: grants, safety stops, and the circuit of a model (agent-governance
 * §4.3, §8 "Circuit breaker"). Time passes by itself in neither: one has a clock of ours, in the other we age the rows.
 */
import type { JsonObject } from '@signalbox/core'
import type { BreakerSettings, Register } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import pg from 'pg'
import { afterAll, describe, expect, it } from 'vitest'
import {
  about,
  admission,
  creation,
  event,
  fact,
  newRun,
  type RunIds,
  uuid7,
} from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()
const clock = { at: 1_790_000_000_000, now: () => clock.at }
const memory = createMemoryRegister(clock)
let admin: pg.Client | undefined

afterAll(() => admin?.end())

async function ageCircuits(ms: number): Promise<void> {
  if (!admin) {
    admin = new pg.Client(bench.database.adminUrl)
    await admin.connect()
  }
  await admin.query(
    `update signalbox.breaker set opened_at = opened_at - $1 * interval '1 ms',
       probe_at = probe_at - $1 * interval '1 ms'`,
    [ms],
  )
}

interface Subject {
  readonly name: string
  readonly register: Register
  readonly elapse: (ms: number) => Promise<void>
}

const subjects: readonly Subject[] = [
  { name: 'memory', register: memory, elapse: async (ms) => void (clock.at += ms) },
  {
    name: 'postgres',
    get register() {
      return bench.register
    },
    elapse: ageCircuits,
  },
]

describe.each(subjects)('grants of the $name register', (subject) => {
  const always = { decision: 'approve', scope: 'always', argsHash: 'h1', callId: 'c', tool: 'pay' }

  async function answered(tenantId: string, over: JsonObject, agent = 'writer'): Promise<void> {
    const run = newRun({ tenantId })
    await subject.register.append(creation(run, { agent }))
    const answer = fact('approval.answered', 'approval:c', {
      tool: 'pay',
      payload: { ...always, ...over },
    })
    await subject.register.append({ ...about(run), facts: [answer] })
  }

  const pay = { tool: 'pay', argsHash: 'h1' }
  const asked = (tenantId: string, agent = 'writer') =>
    subject.register.grants({ tenantId, agent }, [pay])

  it('are what a human approved always, for this tool with these arguments, in order', async () => {
    const tenantId = uuid7()
    await answered(tenantId, {})
    await answered(tenantId, { argsHash: 'h2' })
    const calls = [
      { tool: 'pay', argsHash: 'h3' },
      { tool: 'pay', argsHash: 'h2' },
      { tool: 'bash', argsHash: 'h1' },
      pay,
    ]
    expect(await subject.register.grants({ tenantId, agent: 'writer' }, calls)).toEqual([
      false,
      true,
      false,
      true,
    ])
    expect(await subject.register.grants({ tenantId, agent: 'writer' }, [])).toEqual([])
  })

  it.each([
    ['once', { scope: 'once' }],
    ['in this run', { scope: 'run' }],
    ['rejected always', { decision: 'reject' }],
    ['edited always', { decision: 'edit' }],
  ])('are none that were %s', async (_name, over) => {
    const tenantId = uuid7()
    await answered(tenantId, over)
    expect(await asked(tenantId)).toEqual([false])
  })

  it('are of one agent of one tenant', async () => {
    const tenantId = uuid7()
    await answered(tenantId, {}, 'reader')
    expect(await asked(tenantId)).toEqual([false])
    expect(await asked(uuid7(), 'reader')).toEqual([false])
    expect(await asked(tenantId, 'reader')).toEqual([true])
  })
})

describe.each(subjects)('safety stops of the $name register', (subject) => {
  async function stoppedAt(tenantId: string, endUser: string, times: readonly number[]) {
    const run = newRun({ tenantId })
    await subject.register.append(creation(run, {}, { input: [], endUser }))
    const notes = times.map((at) => event('safety.suppressed', { at }))
    await subject.register.append({
      ...about(run),
      notes: [...notes, event('turn.cut', { at: 9_999 })],
    })
  }

  it('are times of the end user over all runs, newest first', async () => {
    const tenantId = uuid7()
    await stoppedAt(tenantId, 'ann', [1_000, 3_000])
    await stoppedAt(tenantId, 'ann', [2_000])
    await stoppedAt(tenantId, 'bob', [2_500])
    await stoppedAt(uuid7(), 'ann', [2_600])
    const ann = { tenantId, endUser: 'ann' }
    expect(await subject.register.safetyStops(ann, 0, 10)).toEqual([3_000, 2_000, 1_000])
    expect(await subject.register.safetyStops(ann, 2_000, 10)).toEqual([3_000, 2_000])
    expect(await subject.register.safetyStops(ann, 2_001, 10)).toEqual([3_000])
    expect(await subject.register.safetyStops(ann, 0, 1)).toEqual([3_000])
    expect(await subject.register.safetyStops({ tenantId, endUser: 'eve' }, 0, 10)).toEqual([])
  })

  it('are none for a run without an end user', async () => {
    const run: RunIds = newRun({ tenantId: uuid7() })
    await subject.register.append({ ...admission(run), notes: [event('safety.suppressed')] })
    const nobody = { tenantId: run.tenantId, endUser: '' }
    expect(await subject.register.safetyStops(nobody, 0, 10)).toEqual([])
  })
})

const closed = (failures: number) => ({ state: 'closed', failures, waitMs: 0 })

describe.each(subjects)('the circuit of the $name register', (subject) => {
  const { elapse } = subject
  // As long as this, so that what the test itself takes does not count.
  const minute = 60_000
  const hour = 60 * minute
  const breaker: BreakerSettings = { threshold: 5, openMs: hour }
  const probe = { state: 'probe', failures: 5, waitMs: 0 }

  const admit = (model: string) => subject.register.admitCall(model, breaker)
  const report = async (model: string, ...outcomes: ('ok' | 'failed')[]) => {
    for (const outcome of outcomes) await subject.register.reportCall(model, outcome, breaker)
  }
  const five = ['failed', 'failed', 'failed', 'failed', 'failed'] as const

  async function opened(): Promise<string> {
    const model = `p/${uuid7()}`
    await report(model, ...five)
    return model
  }

  it('is closed until the threshold of failures in a row', async () => {
    const model = `p/${uuid7()}`
    expect(await admit(model)).toEqual(closed(0))
    await report(model, 'failed', 'failed', 'failed', 'failed')
    expect(await admit(model)).toEqual(closed(4))
    await report(model, 'ok')
    expect(await admit(model)).toEqual(closed(0))
    await report(model, 'failed', 'failed', 'failed', 'failed')
    expect(await admit(model)).toEqual(closed(4))
    await report(model, 'failed')
    const open = await admit(model)
    expect(open).toMatchObject({ state: 'open', failures: 5 })
    expect(open.waitMs).toBeGreaterThan(0)
    expect(open.waitMs).toBeLessThanOrEqual(hour)
  })

  it('opens at once with a threshold of one, and is of one model only', async () => {
    const model = `p/${uuid7()}`
    const nervous = { threshold: 1, openMs: hour }
    await subject.register.reportCall(model, 'failed', nervous)
    expect(await admit(model)).toMatchObject({ state: 'open', failures: 1 })
    expect(await admit(`${model}x`)).toEqual(closed(0))
  })

  it('lets one probe through after its time, and closes when that succeeds', async () => {
    const model = await opened()
    await elapse(hour / 2)
    const half = await admit(model)
    expect(half).toMatchObject({ state: 'open' })
    expect(half.waitMs).toBeLessThanOrEqual(hour / 2)
    await elapse(hour / 2)
    expect(await admit(model)).toEqual(probe)
    expect(await admit(model)).toMatchObject({ state: 'open', failures: 5 })
    await report(model, 'ok')
    expect(await admit(model)).toEqual(closed(0))
  })

  it('opens for as long again when the probe fails', async () => {
    const model = await opened()
    await elapse(hour)
    expect(await admit(model)).toEqual(probe)
    await elapse(hour / 3)
    await report(model, 'failed')
    await elapse(hour - minute)
    expect(await admit(model)).toMatchObject({ state: 'open', failures: 6 })
    // One more that began before the circuit opened: it is no probe, and prolongs nothing.
    await report(model, 'failed')
    await elapse(minute)
    expect(await admit(model)).toEqual({ ...probe, failures: 7 })
  })

  it('gives a probe up that never reports', async () => {
    const model = await opened()
    await elapse(hour)
    expect(await admit(model)).toEqual(probe)
    await elapse(hour - minute)
    expect(await admit(model)).toMatchObject({ state: 'open' })
    await elapse(minute)
    expect(await admit(model)).toEqual(probe)
    expect(await admit(model)).toMatchObject({ state: 'open' })
  })

  it('does not stay open for failures of calls that began before it opened', async () => {
    const model = await opened()
    await elapse(hour - minute)
    await report(model, 'failed')
    await elapse(minute)
    expect(await admit(model)).toEqual({ ...probe, failures: 6 })
  })

  it('gives one probe to twenty who ask at once', async () => {
    const model = await opened()
    await elapse(hour)
    const answers = await Promise.all(Array.from({ length: 20 }, () => admit(model)))
    const states = answers.map(({ state }) => state).toSorted()
    expect(states).toEqual([...Array.from({ length: 19 }, () => 'open'), 'probe'])
  })
})
