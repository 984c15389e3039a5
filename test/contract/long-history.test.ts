/**
 * The end of a long history, with the real engine over both registers: whatever a run was doing when its history is full, it
 * ends, once, and nothing goes round. Would catch: a refused claim that is read as "somebody else has it", a cancel that needs
 * more events than are left, a timer that is fired for ever, a late result that is reported for ever.
 */
import { decisionSchemas, limits } from '@signalbox/core'
import { type AppendItem, type Engine, type Register, systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, named, runsOf } from '../../packages/engine/test/support/family.ts'
import { begin, caller, eventOf, outcomeOf } from '../../packages/engine/test/support/governed.ts'
import {
  agent,
  functionTools,
  type ScriptedCall,
  toolSpec,
  turnModel,
  until,
  world,
} from '../../packages/engine/test/support/world.ts'
import {
  about,
  admission,
  claim,
  event,
  newRun,
  settling,
  toolEffect,
  webhookEffect,
} from '../../packages/postgres/test/support/drafts.ts'
import { pausing } from '../../packages/postgres/test/support/pauses.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()
const registers: readonly (readonly [string, () => Register])[] = [
  ['in memory', () => createMemoryRegister(systemClock)],
  ['in Postgres', () => bench.register],
]

const engines: Engine[] = []
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.stop(0)
})

/** Fills the history of a run as far as work could: to the last hundred events, or to where notes are refused. */
async function fill(register: Register, runId: string): Promise<void> {
  for (let size = 1000; size > 0; size = size === 1 ? 0 : Math.ceil(size / 4)) {
    for (;;) {
      const { seq = 0 } = (await register.head(runId)) ?? {}
      if (seq + size > limits.eventsPerRunMax - 100) break
      const notes = Array.from({ length: size }, () => event('tool.late'))
      const { code } = await register.append({ ...caller, runId, notes })
      if (code !== 'ok') break
    }
  }
}

const notes = (size: number) => Array.from({ length: size }, () => event('tool.late'))

/** A register that counts what is appended about each run. */
function counting(truth: Register): {
  readonly register: Register
  readonly of: (runId: string) => number
} {
  const counts = new Map<string, number>()
  const append = (item: AppendItem) => {
    counts.set(item.runId, (counts.get(item.runId) ?? 0) + 1)
    return truth.append(item)
  }
  return { register: { ...truth, append }, of: (runId) => counts.get(runId) ?? 0 }
}

type Parts = Partial<Parameters<typeof world>[0]>

async function start(truth: Register, parts: Parts) {
  const { register, of } = counting(truth)
  const tools = functionTools({})
  const { engine } = world({ model: turnModel([]), tools, register, ...parts })
  engines.push(engine)
  await engine.start()
  return { engine, appendsOf: of }
}

/** A tool that stays in its calls until it is let go. */
function held() {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const look = async () => {
    reach()
    await opened
    return 'seen'
  }
  return { look, reached, open }
}

const typesOf = async (register: Register, runId: string) =>
  (await register.events(runId, {})).map(({ type }) => type)

/** It failed once for its length, within its history, and nothing is left open or goes round. */
async function expectFaulted(
  register: Register,
  runId: string,
  appendsOf: (runId: string) => number,
): Promise<void> {
  expect(await outcomeOf(register, runId)).toBe('failed')
  const faults = (await register.events(runId, {})).filter(({ type }) => type === 'run.faulted')
  expect(faults.map(({ payload }) => payload['code'])).toEqual(['history_too_long'])
  await setTimeout(300)
  const before = appendsOf(runId)
  await setTimeout(500)
  expect(appendsOf(runId) - before).toBeLessThanOrEqual(1)
  expect((await register.head(runId))?.seq).toBeLessThanOrEqual(limits.eventsPerRunMax)
  expect(await register.openEffects(runId)).toEqual([])
}

async function approve(engine: Engine, register: Register, runId: string): Promise<void> {
  const { payload } = await eventOf(register, runId, 'approval.requested')
  const { callId } = decisionSchemas['approval.requested'].parse(payload)
  const by = { id: 'ann', role: 'clerk' }
  const answer = { ...caller, runId, callId, decision: 'approve' as const, by }
  expect(await engine.commands.answerApproval(answer)).toEqual({ code: 'accepted' })
}

const calls = (count: number): ScriptedCall[] =>
  Array.from({ length: count }, (_, n) => ({ tool: 'look', args: { n } }))

/** More than fit: what was kept for a call that has ended may be used by others. */
const turns = Array.from({ length: 40 }, () => calls(1))

const looks = agent([toolSpec('look')], { loop: { enabled: false } })
const one = { settings: { queues: [{ queue: 'tools', concurrency: 1 }] } }

describe.each(registers)('%s, a run whose history is full', (_name, open) => {
  it('fails with parallel calls open, some of which have not begun', async () => {
    const register = open()
    const gate = held()
    const tools = functionTools({ look: gate.look })
    const parts = { model: turnModel([calls(3), ...turns]), tools, ...one }
    const { engine, appendsOf } = await start(register, parts)
    const runId = await begin(engine, looks)
    await gate.reached
    await fill(register, runId)
    gate.open()
    await expectFaulted(register, runId, appendsOf)
  })

  it('fails when a human allows a call that there is no room for', async () => {
    const register = open()
    const tools = functionTools({ look: async () => 'seen' })
    const { engine, appendsOf } = await start(register, { model: turnModel([calls(2)]), tools })
    const asking = agent([toolSpec('look')], { guardrails: { approvalTools: ['look'] } })
    const runId = await begin(engine, asking)
    await eventOf(register, runId, 'approval.requested')
    await fill(register, runId)
    await approve(engine, register, runId)
    await expectFaulted(register, runId, appendsOf)
  })

  it('ends as cancelled, however many calls are open', async () => {
    const register = open()
    const gate = held()
    const tools = functionTools({ look: gate.look })
    const parts = { model: turnModel([calls(60)]), tools, ...one }
    const { engine } = await start(register, parts)
    const runId = await begin(engine, looks)
    await gate.reached
    await fill(register, runId)
    await engine.commands.cancel({ ...caller, runId, action: 'interrupt' })
    gate.open()
    expect(await outcomeOf(register, runId)).toBe('cancelled')
    expect((await register.head(runId))?.seq).toBeLessThanOrEqual(limits.eventsPerRunMax)
    expect(await register.openEffects(runId)).toEqual([])
  })

  it('takes the runs with it that it has started', async () => {
    const register = open()
    const gate = held()
    const helper = named('helper', [toolSpec('look')])
    const writer = named('writer', [runsOf('helper'), toolSpec('look')], {
      loop: { enabled: false },
    })
    const tools = functionTools({ look: gate.look })
    const model = turnModel([[ask('go'), ...calls(2)], ...turns])
    const helperModel = turnModel([calls(1), 'helped'])
    const { engine, appendsOf } = await start(register, {
      model: {
        call: (request, sink, signal) => {
          const [first] = request.prompt
          const isHelper = first?.role === 'system' && first.text.includes('helper')
          return (isHelper ? helperModel : model).call(request, sink, signal)
        },
      },
      tools,
      agents: (name) => (name === 'helper' ? helper : null),
      ...one,
    })
    const runId = await begin(engine, writer)
    await eventOf(register, runId, 'child.started')
    const child = await until(async () => (await register.children(runId))[0]?.runId)
    await gate.reached
    await fill(register, runId)
    gate.open()
    await expectFaulted(register, runId, appendsOf)
    expect(await outcomeOf(register, child)).not.toBe('')
  })

  it('does not keep the approvals of others from expiring', async () => {
    const register = open()
    const { engine, appendsOf } = await start(register, { model: turnModel([calls(2)]) })
    const asking = agent([toolSpec('look')], {
      guardrails: { approvalTools: ['look'] },
      approvals: { expiresMs: 6_000 },
    })
    const full = await begin(engine, asking)
    const other = await begin(engine, asking)
    await eventOf(register, full, 'approval.requested')
    await fill(register, full)
    await expectFaulted(register, full, appendsOf)
    await eventOf(register, other, 'approval.expired')
    expect(await outcomeOf(register, other)).toBe('completed')
  })

  it('refuses what is said to it, in the word for it', async () => {
    const register = open()
    const gate = held()
    const tools = functionTools({ look: gate.look })
    const { engine, appendsOf } = await start(register, {
      model: turnModel([calls(2)]),
      tools,
      ...one,
    })
    const runId = await begin(engine, looks)
    await gate.reached
    await fill(register, runId)
    const said = {
      id: 'u2',
      role: 'user' as const,
      parts: [{ type: 'text' as const, text: 'and' }],
    }
    const request = { ...caller, runId, key: 'k', messages: [said] }
    expect(await engine.commands.injectInput(request)).toEqual({ code: 'full' })
    expect(await typesOf(register, runId)).not.toContain('run.faulted')
    gate.open()
    await expectFaulted(register, runId, appendsOf)
  })

  it('says what became of each delivery that had begun, and of none it could not begin', async () => {
    const register = open()
    const run = newRun()
    const { runId } = run
    const effects = [1, 2, 3].map((n) => webhookEffect(run, n))
    await register.append(admission(run, { effects }))
    const [given, again, late] = effects.map(({ id }) => id)
    for (const id of [given, again])
      await register.append({ ...about(run), claims: [claim(id ?? '')] })
    const body = about(run)
    for (let size = 1000; size > 0; size = size === 1 ? 0 : Math.ceil(size / 4))
      while ((await register.append({ ...body, notes: notes(size) })).code === 'ok');
    const told = async (id: string | undefined, becomes: 'done' | 'pending') => {
      const note = event('webhook.failed', { payload: { effectId: id ?? '' } })
      return register.append({ ...body, notes: [note], settle: settling(id ?? '', { becomes }) })
    }
    expect(await told(given, 'done')).toMatchObject({ code: 'ok', settled: true })
    expect(await told(again, 'pending')).toMatchObject({ code: 'ok', settled: true })
    const said = (await register.events(runId, {})).slice(-2)
    expect(said.map(({ payload }) => payload['effectId'])).toEqual([given, again])
    // Trying again ends where it would need what is kept for the end of the run.
    let codes: readonly string[] = []
    for (let attempt = 2; codes.at(-1) !== 'full' && attempt < 10; attempt += 1) {
      const { claims } = await register.append({ ...body, claims: [claim(again ?? '')] })
      codes = [...codes, ...claims.map(({ code }) => code)]
      const note = event('webhook.failed', { payload: { effectId: again ?? '' } })
      const settle = settling(again ?? '', { attempt, becomes: 'pending' })
      await register.append({ ...body, notes: [note], settle })
    }
    expect(codes.at(-1)).toBe('full')
    expect((await register.head(runId))?.seq).toBeLessThanOrEqual(limits.eventsPerRunMax - 100)
    const { claims } = await register.append({ ...body, claims: [claim(late ?? '')] })
    expect(claims).toMatchObject([{ code: 'full' }])
  })

  it('is not asked for room by what a pause holds', async () => {
    const register = open()
    const run = newRun({ tenantId: `t-${randomUUID().slice(0, 8)}` })
    const paused = toolEffect(run, 1, { tool: 'write' })
    const free = toolEffect(run, 2, { tool: 'other' })
    await register.append(admission(run, { effects: [paused, free] }))
    await register.pause(pausing(run.tenantId, { kind: 'tool', name: 'write' }))
    const claimed = async ({ id }: { readonly id: string }) => {
      const { claims } = await register.append({ ...about(run), claims: [claim(id)] })
      return claims.map(({ code }) => code)
    }
    expect(await claimed(paused)).toEqual(['paused'])
    for (let size = 1000; size > 0; size = size === 1 ? 0 : Math.ceil(size / 4))
      while ((await register.append({ ...about(run), notes: notes(size) })).code === 'ok');
    expect(await claimed(free)).toEqual(['full'])
    expect(await claimed(paused)).toEqual(['paused'])
  })

  it('waits for a call that runs, records its result while there is room, and ends then', async () => {
    const register = open()
    const gate = held()
    const tools = functionTools({ look: gate.look, pay: async () => 'paid' })
    const model = turnModel([[...calls(1), { tool: 'pay', args: {} }]])
    const { engine, appendsOf } = await start(register, { model, tools })
    const asking = agent([toolSpec('look'), toolSpec('pay')], {
      guardrails: { approvalTools: ['pay'] },
    })
    const runId = await begin(engine, asking)
    await gate.reached
    await fill(register, runId)
    await approve(engine, register, runId)
    await until(async () => (await typesOf(register, runId)).includes('run.faulted'))
    await setTimeout(500)
    const before = appendsOf(runId)
    await setTimeout(500)
    // Once more, at the pace of what does not get on.
    expect(appendsOf(runId) - before).toBeLessThanOrEqual(2)
    expect(await register.head(runId)).toMatchObject({ status: 'running' })
    gate.open()
    await expectFaulted(register, runId, appendsOf)
    const types = await typesOf(register, runId)
    expect(types.slice(-3)).toEqual(['run.faulted', 'tool.completed', 'run.transitioned'])
  })
})
