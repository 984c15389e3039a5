/**
 * The rules of an item, on both registers: what a part that is refused costs, as the table of the port says. Would catch: a fact
 * that is lost because the decision that came with it breaks a rule, a rule that only one register knows.
 */
import { limits } from '@signalbox/core'
import type { AppendItem, DecisionDraft, Register } from '@signalbox/engine'
import { systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { setTimeout as rest } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { begin, eventOf, outcomeOf } from '../../packages/engine/test/support/governed.ts'
import {
  agent,
  functionTools,
  toolSpec,
  turnModel,
  world,
} from '../../packages/engine/test/support/world.ts'
import { withAppend } from '../../packages/engine/test/support/faulty.ts'
import {
  about,
  admission,
  claim,
  creation,
  decision,
  event,
  fact,
  finalDecision,
  newRun,
  type RunIds,
  settling,
  timer,
  toolEffect,
  webhookEffect,
} from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()
const registers: readonly (readonly [string, () => Register])[] = [
  ['in memory', () => createMemoryRegister(systemClock)],
  ['in Postgres', () => bench.register],
]

const stateOf = (bytes: number) => ({ s: 'x'.repeat(bytes - JSON.stringify({ s: '' }).length) })
const long = 'x'.repeat(limits.idCharsMax + 1)
const step = (over: object) => event('run.transitioned', over)

/** What a decision may be wrong with; the effect `.1` and the run are there. */
const wrongDecisions: readonly [string, (run: RunIds) => Partial<DecisionDraft>][] = [
  ['a state that is too large', () => ({ state: stateOf(limits.stateBytesMax + 1) })],
  ['no transition', () => ({ events: [event('call.denied')] })],
  ['no outcome at its end', () => ({ status: 'ended' })],
  ['the effect of another run', () => ({ effects: [toolEffect(newRun(), 2)] })],
  ['an effect that is there', (run) => ({ effects: [toolEffect(run, 1)] })],
  ['an effect twice', (run) => ({ effects: [toolEffect(run, 2), toolEffect(run, 2)] })],
  ['an effect with a long queue', (run) => ({ effects: [toolEffect(run, 2, { queue: long })] })],
  [
    'an effect that begins before it',
    (run) => ({ effects: [toolEffect(run, 2, { delayMs: -1 })] }),
  ],
  ['a timer without a name', () => ({ timers: [timer('', 1)] })],
  ['a timer that is no time', () => ({ timers: [timer('t', 1.5)] })],
  ['an event with a long verdict', () => ({ events: [step({ verdict: long })] })],
  ['an event with a NUL', () => ({ events: [step({ payload: { text: 'a\0b' } })] })],
  ['an event without a salt', () => ({ events: [step({ salt: '' })] })],
]

/** A running run with one effect. */
async function running(register: Register): Promise<RunIds> {
  const run = newRun()
  const item = admission(run, { effects: [toolEffect(run, 1)] })
  expect((await register.append(item)).decisionCode).toBe('ok')
  return run
}

describe.each(registers)('%s', (_name, open) => {
  it.each(wrongDecisions)('a decision with %s costs no fact', async (_what, wrong) => {
    const register = open()
    const run = await running(register)
    const item: AppendItem = {
      ...about(run),
      facts: [fact('tool.completed', 'done')],
      decision: decision(2, 4, wrong(run)),
      claims: [claim(`${run.runId}.1`)],
    }
    expect(await register.append(item)).toMatchObject({
      code: 'ok',
      detail: expect.any(String),
      factCodes: ['ok'],
      decisionCode: 'rejected',
      claims: [{ code: 'gone' }],
      seq: 4,
      facts: 4,
      decided: 2,
    })
    const alone = { ...about(run), decision: decision(2, 4, wrong(run)) }
    expect(await register.append(alone)).toMatchObject({
      code: 'ok',
      decisionCode: 'rejected',
      seq: 4,
    })
    expect(await register.readyRuns(1000)).toContainEqual(about(run))
    // Another decision stands: nothing of the refused one was left behind.
    const right = { effects: [toolEffect(run, 2)], timers: [timer('t', 1)] }
    const other = await register.append({ ...about(run), decision: decision(2, 4, right) })
    expect(other.decisionCode).toBe('ok')
  })

  it('a run is created although its first decision is refused', async () => {
    const register = open()
    const run = newRun()
    const bad = admission(run, { state: stateOf(limits.stateBytesMax + 1) })
    expect(await register.append(bad)).toMatchObject({
      code: 'ok',
      admitted: true,
      factCodes: ['ok', 'ok'],
      decisionCode: 'rejected',
    })
    expect(await register.head(run.runId)).toMatchObject({ status: 'queued', decided: 0, facts: 2 })
  })

  it('the state of an end may be a little larger, but not much', async () => {
    const register = open()
    const run = await running(register)
    await register.append({ ...about(run), facts: [fact('a.done')] })
    const end = (bytes: number) => ({
      ...about(run),
      decision: finalDecision(2, 4, { state: stateOf(bytes) }),
    })
    const over = await register.append(end(limits.finalStateBytesMax + 1))
    expect(over).toMatchObject({ decisionCode: 'rejected', detail: 'state_too_large' })
    expect(await register.append(end(limits.finalStateBytesMax))).toMatchObject({
      decisionCode: 'ok',
    })
  })

  it.each([
    ['of an owner that is no name', { owner: 'a b' }],
    ['without a lease', { leaseMs: 0 }],
    ['without a salt', { salt: '' }],
  ])('a claim %s costs itself alone', async (_what, wrong) => {
    const register = open()
    const run = await running(register)
    const id = `${run.runId}.1`
    const item = { ...about(run), facts: [fact('a.done')], claims: [claim(id, wrong), claim(id)] }
    expect(await register.append(item)).toMatchObject({
      code: 'ok',
      factCodes: ['ok'],
      claims: [{ code: 'rejected' }, { code: 'ok', attempt: 1 }],
    })
  })

  it.each<[string, Partial<AppendItem>]>([
    ['fact', { facts: [fact('a.done'), fact('b.done', 'b', { actor: long })] }],
    ['note', { facts: [fact('a.done')], notes: [event('tool.late', { tool: long })] }],
    ['settling', { facts: [fact('a.done')], settle: settling('no id', { attempt: 1 }) }],
  ])('a %s that breaks a rule costs the item', async (_what, parts) => {
    const register = open()
    const run = await running(register)
    expect(await register.append({ ...about(run), ...parts })).toMatchObject({ code: 'rejected' })
    expect((await register.head(run.runId))?.seq).toBe(3)
  })

  it.each<[string, Parameters<typeof creation>[1], Partial<AppendItem>]>([
    ['without its first fact', {}, { facts: [fact('a.done')] }],
    ['of nobody', { agent: '' }, {}],
    ['of a priority that is none', { priority: 12_345 }, {}],
  ])('a create %s is refused whole', async (_what, create, over) => {
    const register = open()
    const run = newRun()
    const bad = { ...creation(run, create), ...over }
    expect(await register.append(bad)).toMatchObject({ code: 'rejected' })
    expect(await register.head(run.runId)).toBeNull()
  })

  it('an end leaves nothing open but what tells of it', async () => {
    const register = open()
    const run = newRun()
    const effects = [1, 2, 3].map((n) => toolEffect(run, n, { mode: n === 2 ? 'once' : 'read' }))
    await register.append(admission(run, { effects: [...effects, webhookEffect(run, 4)] }))
    const claims = [1, 2].map((n) => claim(`${run.runId}.${n}`))
    await register.append({ ...about(run), claims })
    await register.append({ ...about(run), facts: [fact('cancel.requested', 'cancel')] })
    const { seq = 0 } = (await register.head(run.runId)) ?? {}
    // The end waits for claims whose leases stand: leases.test.ts.
    const leases = [1, 2].map((n) => ({ effectId: `${run.runId}.${n}`, attempt: 1 }))
    await register.renew(leases, 0)
    await rest(2)
    await register.append({ ...about(run), decision: finalDecision(2, seq) })
    const left = await register.openEffects(run.runId)
    expect(left.map(({ kind }) => kind)).toEqual(['webhook.deliver'])
    const late = fact('tool.completed', 'late')
    expect(await register.append({ ...about(run), facts: [late] })).toMatchObject({
      factCodes: ['ended'],
    })
    const note = { ...about(run), notes: [event('tool.late')] }
    expect(await register.append(note)).toMatchObject({ code: 'ok' })
  })

  it('a run whose decisions are refused is faulted once, and keeps its facts', async () => {
    const truth = open()
    const register = withAppend(truth, (item, next) => {
      const { decision: made } = item
      if (!made || made.status === 'ended' || made.stateName !== 'tools') return next(item)
      return next({ ...item, decision: { ...made, state: stateOf(limits.stateBytesMax + 1) } })
    })
    const tools = functionTools({ look: async () => 'seen' })
    const model = turnModel([[{ tool: 'look', args: {} }]])
    const { engine } = world({ model, tools, register })
    await engine.start()
    const runId = await begin(engine, agent([toolSpec('look')]))
    expect(await outcomeOf(truth, runId)).toBe('failed')
    await engine.stop(0)
    const { payload, seq } = await eventOf(truth, runId, 'run.faulted')
    expect(payload).toEqual({ code: 'undecidable', message: 'state_too_large' })
    const types = (await truth.events(runId, {})).map(({ type }) => type)
    expect(types.slice(-3)).toEqual(['model.completed', 'run.faulted', 'run.transitioned'])
    expect(seq).toBe(types.length - 1)
  })
})
