/**
 * Pauses, in both registers. Would catch: an effect that starts although its target is paused; one that is offered to workers
 * again and again meanwhile, or never again afterwards; a pause that stops what it does not mean, or another tenant's work.
 */
import type { Effect } from '@signalbox/core'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { ledgerRunId, type Register, systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { describe, expect, it } from 'vitest'
import {
  about,
  admission,
  claim,
  creation,
  fact,
  newRun,
  type RunIds,
  startEffect,
  toolEffect,
  webhookEffect,
} from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'
import { lifting, pausing } from '../../packages/postgres/test/support/pauses.ts'

const bench = useRegister()
const inMemory = createMemoryRegister(systemClock)
const registers: readonly (readonly [string, () => Register])[] = [
  ['in memory', () => inMemory],
  ['in Postgres', () => bench.register],
]

/** A tenant of its own: the tests share a register. */
const freshTenant = (): string => `t-${randomUUID().slice(0, 8)}`
const hour = 3_600_000
const kinds = ['model.call', 'tool.call', 'run.start', 'webhook.deliver'] as const

const agent = { kind: 'agent', name: 'writer' } as const
const tool = { kind: 'tool', name: 'write' } as const

const modelEffect = (run: RunIds, n: number): Effect => ({
  id: `${run.runId}.${n}`,
  kind: 'model.call',
  mode: 'idempotent',
  queue: 'model',
  delayMs: 0,
  turn: 1,
  retry: 0,
  tries: 1,
  model: 0,
  correction: 0,
  messageId: 'm',
})

async function begin(
  register: Register,
  tenantId: string,
  make: (run: RunIds) => Effect = (run) => toolEffect(run, 1),
): Promise<RunIds> {
  const run = newRun({ tenantId })
  const { decisionCode } = await register.append(admission(run, { effects: [make(run)] }))
  expect(decisionCode).toBe('ok')
  return run
}

const codeOf = async (
  register: Register,
  run: RunIds,
  over: Parameters<typeof claim>[1] = {},
): Promise<string | undefined> => {
  const result = await register.append({ ...about(run), claims: [claim(`${run.runId}.1`, over)] })
  return result.claims[0]?.code
}

/** The runs of a tenant whose effects a look finds; what other tests have left is taken along. */
const look = async (register: Register, tenantId: string): Promise<readonly string[]> => {
  const taken = await register.takeDue(kinds, hour, 1000)
  return taken.filter((row) => row.tenantId === tenantId).map(({ runId }) => runId)
}

const waiting = async (register: Register, queue: string): Promise<number> =>
  (await register.waitingCalls()).find((each) => each.queue === queue)?.calls ?? 0

describe.each(registers)('%s, a pause', (_name, open) => {
  it.each([
    ['of an agent', agent],
    ['of a tool', tool],
    ['of a queue', { kind: 'queue', name: 'tools' } as const],
  ])('%s refuses the claims of its calls, until it is lifted', async (_what, target) => {
    const register = open()
    const tenantId = freshTenant()
    const run = await begin(register, tenantId)
    const set = await register.pause(pausing(tenantId, target))
    expect(set).toMatchObject({ code: 'created', confirmed: true })
    expect(await codeOf(register, run)).toBe('paused')
    expect(await codeOf(register, run)).toBe('paused')
    const events = await register.events(run.runId, {})
    expect(events.map(({ type }) => type)).not.toContain('effect.started')
    expect(await register.effect(`${run.runId}.1`)).toMatchObject({ status: 'pending', attempt: 0 })
    expect(await register.lift(...lifting(tenantId, set.pauseId))).toBe(true)
    await look(register, tenantId)
    expect(await codeOf(register, run)).toBe('ok')
  })

  it('of another name, kind or tenant changes nothing', async () => {
    const register = open()
    const tenantId = freshTenant()
    const run = await begin(register, tenantId)
    await register.pause(pausing(tenantId, { kind: 'agent', name: 'write' }))
    await register.pause(pausing(tenantId, { kind: 'tool', name: 'writer' }))
    await register.pause(pausing(tenantId, { kind: 'queue', name: 'write' }))
    await register.pause(pausing(freshTenant(), agent))
    expect(await codeOf(register, run)).toBe('ok')
  })

  it('stops what an agent asks of models and of other runs, and no webhook', async () => {
    const register = open()
    const tenantId = freshTenant()
    const model = await begin(register, tenantId, (run) => modelEffect(run, 1))
    const start = await begin(register, tenantId, (run) => startEffect(run, 1))
    const hook = await begin(register, tenantId, (run) => webhookEffect(run, 1))
    await register.pause(pausing(tenantId, agent))
    expect(await codeOf(register, model)).toBe('paused')
    expect(await codeOf(register, start)).toBe('paused')
    expect(await codeOf(register, hook)).toBe('ok')
  })

  it('of a tool stops the runs that are started by its name, and no model', async () => {
    const register = open()
    const tenantId = freshTenant()
    const model = await begin(register, tenantId, (run) => modelEffect(run, 1))
    const start = await begin(register, tenantId, (run) => startEffect(run, 1))
    await register.pause(pausing(tenantId, { kind: 'tool', name: 'task' }))
    expect(await codeOf(register, model)).toBe('ok')
    expect(await codeOf(register, start)).toBe('paused')
  })

  it('of a queue means tool calls alone', async () => {
    const register = open()
    const tenantId = freshTenant()
    const model = await begin(register, tenantId, (run) => modelEffect(run, 1))
    await register.pause(pausing(tenantId, { kind: 'queue', name: 'model' }))
    expect(await codeOf(register, model)).toBe('ok')
  })

  it('refuses a claim that comes with the decision, and the decision stands', async () => {
    const register = open()
    const tenantId = freshTenant()
    const run = newRun({ tenantId })
    await register.pause(pausing(tenantId, tool))
    const claims = [claim(`${run.runId}.1`)]
    const item = { ...admission(run, { effects: [toolEffect(run, 1)] }), claims }
    expect(await register.append(item)).toMatchObject({
      admitted: true,
      decisionCode: 'ok',
      claims: [{ code: 'paused', attempt: 0 }],
    })
  })

  it('does not touch what runs: it is renewed, reported, and repeated by nobody', async () => {
    const register = open()
    const tenantId = freshTenant()
    const [kept, lost, once] = [
      await begin(register, tenantId),
      await begin(register, tenantId),
      await begin(register, tenantId, (run) => toolEffect(run, 1, { mode: 'once' })),
    ]
    expect(await codeOf(register, kept)).toBe('ok')
    expect(await codeOf(register, lost, { leaseMs: 1 })).toBe('ok')
    expect(await codeOf(register, once, { leaseMs: 1 })).toBe('ok')
    const { pauseId } = await register.pause(pausing(tenantId, agent))
    await setTimeout(5)
    const held = [{ effectId: `${kept.runId}.1`, attempt: 1 }]
    expect(await register.renew(held, hour)).toMatchObject([{ kept: true, cancel: false }])
    await register.renew([{ effectId: `${lost.runId}.1`, attempt: 1 }], 0)
    await register.renew([{ effectId: `${once.runId}.1`, attempt: 1 }], 0)
    await setTimeout(5)
    expect(await codeOf(register, lost, { owner: 'w-2' })).toBe('paused')
    expect(await codeOf(register, once, { owner: 'w-2' })).toBe('lost')
    expect(await look(register, tenantId)).not.toContain(lost.runId)
    const fence = {
      effectId: `${kept.runId}.1`,
      attempt: 1,
      expect: 'started',
      becomes: 'done',
    } as const
    const done = fact('tool.completed', 'done', { fence })
    expect(await register.append({ ...about(kept), facts: [done] })).toMatchObject({
      factCodes: ['ok'],
    })
    await register.lift(...lifting(tenantId, pauseId))
    expect(await look(register, tenantId)).toContain(lost.runId)
    expect(await codeOf(register, lost, { owner: 'w-2' })).toBe('ok')
  })

  it('admits no run of its agent, and those of others', async () => {
    const register = open()
    const tenantId = freshTenant()
    const { pauseId } = await register.pause(pausing(tenantId, agent))
    const [run, other, waits] = [newRun({ tenantId }), newRun({ tenantId }), newRun({ tenantId })]
    expect(await register.append(admission(run))).toMatchObject({
      code: 'ok',
      admitted: false,
      decisionCode: 'not_admitted',
    })
    const elsewhere = admission(other)
    const create = elsewhere.create && { ...elsewhere.create, agent: 'reader' }
    expect(await register.append({ ...elsewhere, ...(create && { create }) })).toMatchObject({
      admitted: true,
    })
    await register.append(creation(waits, { lanes: [{ key: tenantId, most: 1 }] }))
    const found = async () => {
      const refs = await register.admissibleRuns(1000)
      return refs.filter((ref) => ref.tenantId === tenantId).map(({ runId }) => runId)
    }
    expect(await found()).toEqual([])
    expect(await register.nextInThread(tenantId, run.threadId)).toBeNull()
    expect(await register.nextInLanes(waits.runId, 10)).toEqual([])
    const admitted = fact('run.admitted', 'admitted')
    const asked = { ...about(run), admit: true, facts: [admitted] }
    expect(await register.append(asked)).toMatchObject({ factCodes: ['not_admitted'] })
    await register.lift(...lifting(tenantId, pauseId))
    expect(await found()).toEqual([run.runId, waits.runId])
    expect(await register.append(asked)).toMatchObject({ factCodes: ['ok'] })
  })

  it('is over by its time, for claims at once and for what it held with the next look', async () => {
    const register = open()
    const tenantId = freshTenant()
    const [run, fresh] = [await begin(register, tenantId), await begin(register, tenantId)]
    await register.pause(pausing(tenantId, tool, { until: Date.now() + 300 }))
    expect(await codeOf(register, run)).toBe('paused')
    await setTimeout(400)
    expect(await codeOf(register, fresh)).toBe('ok')
    await look(register, tenantId)
    expect(await codeOf(register, run)).toBe('ok')
  })
})

describe.each(registers)('%s, what waits for a pause', (_name, open) => {
  it('is refused once, and then neither counted nor found, until the pause is over', async () => {
    const register = open()
    const tenantId = freshTenant()
    const queue = `q-${tenantId}`
    const onQueue = (run: RunIds) => toolEffect(run, 1, { queue, delayMs: 1 })
    const [first, second] = [
      await begin(register, tenantId, onQueue),
      await begin(register, tenantId, onQueue),
    ]
    const model = await begin(register, tenantId, (run) => modelEffect(run, 1))
    const { pauseId } = await register.pause(pausing(tenantId, agent))
    await setTimeout(5)
    for (const run of [first, second, model]) expect(await codeOf(register, run)).toBe('paused')
    expect(await waiting(register, queue)).toBe(0)
    expect(await register.takeWaiting(queue, 1, 10)).toEqual([])
    expect(await register.nextWaiting(queue, '')).toBeNull()
    await setTimeout(2_100)
    expect(await look(register, tenantId)).toEqual([])
    expect(await look(register, tenantId)).toEqual([])
    await register.lift(...lifting(tenantId, pauseId))
    expect(await look(register, tenantId)).toEqual([model.runId])
    expect(await waiting(register, queue)).toBe(2)
    const next = await register.takeWaiting(queue, 1, 10)
    expect(next.map(({ runId }) => runId)).toEqual([first.runId, second.runId])
  })

  it('of two pauses goes on when both are over', async () => {
    const register = open()
    const tenantId = freshTenant()
    const run = await begin(register, tenantId)
    const [one, two] = [
      await register.pause(pausing(tenantId, agent)),
      await register.pause(pausing(tenantId, tool)),
    ]
    expect(await codeOf(register, run)).toBe('paused')
    await register.lift(...lifting(tenantId, one.pauseId))
    await look(register, tenantId)
    expect(await codeOf(register, run)).toBe('paused')
    await register.lift(...lifting(tenantId, two.pauseId))
    await look(register, tenantId)
    expect(await codeOf(register, run)).toBe('ok')
  })

  it('is closed when its run is cancelled, also one whose worker was lost', async () => {
    const register = open()
    const tenantId = freshTenant()
    const [waits, lost] = [await begin(register, tenantId), await begin(register, tenantId)]
    expect(await codeOf(register, lost, { leaseMs: 1 })).toBe('ok')
    await register.pause(pausing(tenantId, tool))
    await register.renew([{ effectId: `${lost.runId}.1`, attempt: 1 }], 0)
    await setTimeout(5)
    for (const run of [waits, lost]) expect(await codeOf(register, run)).toBe('paused')
    expect(await look(register, tenantId)).toEqual([])
    for (const run of [waits, lost]) {
      const payload = { action: 'interrupt' }
      await register.append({ ...about(run), facts: [fact('cancel.requested', 'c', { payload })] })
      expect(await codeOf(register, run)).toBe('cancelled')
    }
    const found = await look(register, tenantId)
    expect(found.toSorted()).toEqual([waits.runId, lost.runId].toSorted())
  })

  it('is released, however much of it there is, a part with each look', async () => {
    const register = open()
    const tenantId = freshTenant()
    const runs: RunIds[] = []
    for (let n = 0; n < 7; n++)
      runs.push(await begin(register, tenantId, (run) => modelEffect(run, 1)))
    const { pauseId } = await register.pause(pausing(tenantId, agent))
    for (const run of runs) expect(await codeOf(register, run)).toBe('paused')
    await register.lift(...lifting(tenantId, pauseId))
    const found = new Set<string>()
    for (let n = 0; n < 40 && found.size < runs.length; n++)
      for (const { runId } of await register.takeDue(['model.call'], hour, 3)) found.add(runId)
    expect(runs.every(({ runId }) => found.has(runId))).toBe(true)
  })
})

describe.each(registers)('%s, setting and lifting', (_name, open) => {
  it('twice is one pause, and with other words it goes on with these', async () => {
    const register = open()
    const tenantId = freshTenant()
    const first = await register.pause(pausing(tenantId, agent))
    const again = await register.pause(pausing(tenantId, agent))
    expect(again).toEqual({ code: 'unchanged', pauseId: first.pauseId, confirmed: true })
    const until = Date.now() + hour
    const other = await register.pause(pausing(tenantId, agent, { until }))
    expect(other).toMatchObject({ code: 'taken', pauseId: first.pauseId })
    const { pauseId } = first
    const changed = await register.pause(pausing(tenantId, agent, { pauseId, until }))
    expect(changed).toMatchObject({ code: 'changed', pauseId })
    expect(await register.pauses(tenantId)).toMatchObject([{ pauseId, target: agent, until }])
    expect(await register.pauses(freshTenant())).toEqual([])
    expect(await register.lift(...lifting(freshTenant(), first.pauseId))).toBe(false)
    expect(await register.lift(...lifting(tenantId, 'nothing'))).toBe(false)
    expect(await register.lift(...lifting(tenantId, first.pauseId))).toBe(true)
    expect(await register.lift(...lifting(tenantId, first.pauseId))).toBe(false)
    const next = await register.pause(pausing(tenantId, agent))
    expect(next.code).toBe('created')
    expect(next.pauseId).not.toBe(first.pauseId)
    const recorded = await register.events(ledgerRunId(tenantId, Date.now()), {})
    expect(recorded.map(({ type, payload }) => [type, payload['pause']])).toEqual([
      ['pause.set', pauseId],
      ['pause.set', pauseId],
      ['pause.lifted', pauseId],
      ['pause.set', next.pauseId],
    ])
  })

  it('is refused beyond a hundred of a tenant, until one of them is over', async () => {
    const register = open()
    const tenantId = freshTenant()
    const ids: string[] = []
    for (let n = 0; n < 100; n++) {
      const { code, pauseId } = await register.pause(
        pausing(tenantId, { kind: 'agent', name: `a${n}` }),
      )
      expect(code).toBe('created')
      ids.push(pauseId)
    }
    expect((await register.pause(pausing(tenantId, tool))).code).toBe('full')
    expect((await register.pause(pausing(tenantId, { kind: 'agent', name: 'a3' }))).code).toBe(
      'unchanged',
    )
    await register.lift(...lifting(tenantId, ids[0] ?? ''))
    expect((await register.pause(pausing(tenantId, tool))).code).toBe('created')
  })
})
