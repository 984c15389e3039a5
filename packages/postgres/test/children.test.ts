/** Runs that runs have started: who may be one, what waits for them, and what the reconciler finds of them. */
import { setTimeout as rest } from 'node:timers/promises'
import type { Register } from '@signalbox/engine'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRegister } from '../src/register/register.ts'
import {
  about,
  admission,
  birth,
  claim,
  decision,
  fact,
  fence,
  finalDecision,
  newRun,
  type RunIds,
  startEffect,
  toolEffect,
  uuid7,
} from './support/drafts.ts'
import { useRegister } from './support/register.ts'
import { age, claimOf, ended, type Subject, withStart } from './support/stories.ts'

const bench = useRegister()

const cancel = fact('cancel.requested', 'cancel')

async function end(run: RunIds): Promise<void> {
  const head = await bench.register.head(run.runId)
  const { decided = 0, facts = 0 } = head ?? {}
  const result = await bench.register.append({
    ...about(run),
    facts: [fact('x.done')],
    decision: finalDecision(decided, Math.max(facts, head?.seq ?? 0) + 1),
  })
  expect(result.decisionCode).toBe('ok')
}

/** Goes on without a lease, as after `child.started`. */
async function handOver({ run, id }: Subject): Promise<void> {
  const gate = fence(id, 'started', { becomes: 'started' })
  const started = fact('child.started', `${id}:started`, { fence: gate })
  const result = await bench.register.append({ ...about(run), facts: [started] })
  expect(result.factCodes).toEqual(['ok'])
}

async function born(parent: RunIds, over: Parameters<typeof birth>[2] = {}): Promise<RunIds> {
  const child = newRun()
  expect(await bench.register.append(birth(child, parent, over))).toMatchObject({ code: 'ok' })
  return child
}

/** Sends the first item of a batch alone, and then all others together: those came while that statement was out. */
function inOneStatement(): Register {
  const batch = { maxInFlight: 1 }
  const register = createRegister({ engineUrl: bench.database.engineUrl, batch })
  onTestFinished(() => register.close())
  return register
}

const ref = ({ tenantId, runId }: RunIds) => ({ tenantId, runId })
const isOneOf = (all: readonly { runId: string }[], run: RunIds) =>
  all.some(({ runId }) => runId === run.runId)
const isEndedChild = async (run: RunIds) => isOneOf(await bench.register.endedChildren(1000), run)
const isOrphan = async (run: RunIds) => isOneOf(await bench.register.orphans(1000), run)

describe('a child', () => {
  it('stands in its tree, and so do its effects', async () => {
    const { run: top } = await withStart(bench)
    const child = newRun()
    const item = birth(child, top)
    await bench.register.append({
      ...admission(child, { effects: [startEffect(child, 1)] }),
      ...(item.create ? { create: item.create } : {}),
    })
    const grandchild = await born(child, { rootId: top.runId })
    const parentOf = async (run: RunIds) => (await bench.register.head(run.runId))?.parent
    expect(await parentOf(top)).toBeNull()
    const rootId = top.runId
    const first = { runId: top.runId, effectId: `${top.runId}.1`, rootId }
    expect(await parentOf(child)).toEqual(first)
    expect((await bench.register.tail(child.runId, null))?.head.parent).toEqual(first)
    const second = { runId: child.runId, effectId: `${child.runId}.1`, rootId }
    expect(await parentOf(grandchild)).toEqual(second)
    expect((await bench.register.effect(`${top.runId}.1`))?.rootId).toBeNull()
    expect((await bench.register.effect(`${child.runId}.1`))?.rootId).toBe(rootId)
    expect(await bench.register.openEffects(child.runId)).toMatchObject([{ rootId }])
    await age(bench, `${child.runId}.1`, 2000)
    const due = await bench.register.takeDue(['run.start'], 60_000, 1000)
    expect(due.find(({ runId }) => runId === child.runId)).toMatchObject({ rootId })
  })

  it('has no parent that is cancelled, cancelling or ended (I14)', async () => {
    const asked = await withStart(bench)
    await bench.register.append({ ...about(asked.run), facts: [cancel] })
    const closing = await withStart(bench)
    await bench.register.append({
      ...about(closing.run),
      facts: [fact('timer.fired')],
      decision: decision(2, 4, { stateName: 'cancelling' }),
    })
    for (const parent of [asked.run, closing.run, await ended(bench)]) {
      const child = newRun()
      const alias = { key: `child:${parent.runId}`, bodyHash: 'b' }
      expect(await bench.register.append(birth(child, parent, { alias }))).toEqual({
        code: 'no_parent',
        runId: child.runId,
        admitted: false,
        seq: 0,
        facts: 0,
        decided: 0,
        factCodes: [],
        decisionCode: null,
        claims: [],
      })
      expect(await bench.register.head(child.runId)).toBeNull()
      // The alias is free still.
      const other = await born((await withStart(bench)).run, { alias })
      expect(await bench.register.head(other.runId)).not.toBeNull()
    }
  })

  it('has no parent that is nobody, itself, another tenant’s, or of another tree', async () => {
    const { run: top } = await withStart(bench)
    const child = await born(top)
    const self = newRun()
    for (const item of [
      birth(newRun(), newRun()),
      birth(self, self),
      birth(newRun({ tenantId: 'evil' }), top),
      birth(newRun(), top, { rootId: uuid7() }),
      birth(newRun(), child),
    ])
      expect(await bench.register.append(item)).toMatchObject({ code: 'no_parent' })
    expect(await bench.register.children(child.runId)).toEqual([])
  })

  it.each([
    ['an effect of another run', { effectId: `${uuid7()}.1` }, 'parent_malformed'],
    ['an effect without an id', { effectId: '' }, 'parent_malformed'],
    ['a parent that is no id', { runId: 'x' }, /^sql_22P02/],
    ['a root that is no id', { rootId: 'x' }, /^sql_22P02/],
  ])('is refused with %s', async (_what, over, detail) => {
    const { run } = await withStart(bench)
    const item = birth(newRun(), run)
    const { create } = item
    if (!create?.parent) throw new Error('a birth names the parent')
    const bad = { ...item, create: { ...create, parent: { ...create.parent, ...over } } }
    const result = await bench.register.append(bad)
    expect(result.code).toBe('rejected')
    expect(result.detail).toMatch(detail)
  })

  it('that is there already is repeated, whatever its parent does (I3)', async () => {
    const { run } = await withStart(bench)
    const child = newRun()
    const alias = { key: `child:${run.runId}`, bodyHash: 'b' }
    await bench.register.append(birth(child, run, { alias }))
    await bench.register.append({ ...about(run), facts: [cancel] })
    expect(await bench.register.append(birth(child, run, { alias }))).toMatchObject({
      code: 'ok',
      factCodes: ['duplicate'],
    })
    expect(await bench.register.append(birth(newRun(), run, { alias }))).toMatchObject({
      code: 'exists',
      runId: child.runId,
    })
    expect(await bench.register.append(birth(newRun(), run))).toMatchObject({ code: 'no_parent' })
  })

  it('is created no more when its call is settled: an attempt may come late', async () => {
    const { run, id } = await withStart(bench)
    const claimed = await claimOf(bench, { run, id })
    const attempt = claimed?.attempt ?? 0
    const settled = fact('tool.failed', id, { fence: fence(id, 'started', { attempt }) })
    await bench.register.append({ ...about(run), facts: [settled] })
    const late = birth(newRun(), run, { attempt: 1 })
    expect(await bench.register.append(late)).toMatchObject({ code: 'no_parent' })
  })

  it('is not created by an attempt that was taken over', async () => {
    const { run, id } = await withStart(bench)
    await claimOf(bench, { run, id })
    await age(bench, id, 3_600_000)
    expect(await claimOf(bench, { run, id })).toMatchObject({ code: 'ok', attempt: 2 })
    const [first, second] = [1, 2].map((attempt) => birth(newRun(), run, { attempt }))
    const results = await bench.register.appendMany([first, second].filter((each) => !!each))
    expect(results.map(({ code }) => code)).toEqual(['no_parent', 'ok'])
  })

  it('may be created in one batch with its parent, and not after its cancel there', async () => {
    const register = inOneStatement()
    const [parent, child] = [newRun(), newRun()]
    const together = [
      admission(newRun()),
      admission(parent, { effects: [startEffect(parent, 1)] }),
      birth(child, parent),
    ]
    const results = await register.appendMany(together)
    expect(results.map(({ code }) => code)).toEqual(['ok', 'ok', 'ok'])
    const late = [
      admission(newRun()),
      { ...about(parent), facts: [cancel] },
      birth(newRun(), parent),
    ]
    const [, cancelled, refused] = await register.appendMany(late)
    expect(cancelled?.factCodes).toEqual(['ok'])
    expect(refused).toMatchObject({ code: 'no_parent' })
  })
})

describe('an effect that goes on without a lease', () => {
  it('is leased, never due, never lost, and not renewed; its attempt ends it', async () => {
    const subject = await withStart(bench)
    const { run, id } = subject
    await claimOf(bench, subject)
    await handOver(subject)
    expect(await bench.register.effect(id)).toMatchObject({ status: 'started', leaseUntil: null })
    await age(bench, id, 3_600_000)
    expect(await claimOf(bench, subject)).toEqual({ effectId: id, code: 'leased', attempt: 1 })
    const due = await bench.register.takeDue(['run.start'], 1000, 1000)
    expect(due.some(({ effectId }) => effectId === id)).toBe(false)
    const lost = fact('tool.unknown', 'l', { fence: fence(id, 'lost', { becomes: 'unknown' }) })
    expect((await bench.register.append({ ...about(run), facts: [lost] })).factCodes).toEqual([
      'fenced',
    ])
    expect(await bench.register.renew([{ effectId: id, attempt: 1 }], 60_000)).toEqual([
      { effectId: id, kept: false, cancel: false },
    ])
    expect(await bench.register.effect(id)).toMatchObject({ status: 'started', leaseUntil: null })
    const over = (attempt: number) =>
      fact('child.ended', id, { fence: fence(id, 'started', { attempt }) })
    const answers = await bench.register.append({ ...about(run), facts: [over(2)] })
    expect(answers.factCodes).toEqual(['fenced'])
    const right = await bench.register.append({ ...about(run), facts: [over(1)] })
    expect(right.factCodes).toEqual(['ok'])
    expect(await bench.register.effect(id)).toMatchObject({ status: 'done' })
  })

  it('is cancelled with its run, as all that is open', async () => {
    const run = newRun()
    const effects = [startEffect(run, 1), startEffect(run, 2), toolEffect(run, 3)]
    const ids = effects.map(({ id }) => id)
    await bench.register.append({
      ...admission(run, { effects: [...effects, startEffect(run, 4)] }),
      claims: ids.map((id) => claim(id)),
    })
    await handOver({ run, id: `${run.runId}.1` })
    await bench.register.renew(
      ids.map((effectId) => ({ effectId, attempt: 1 })),
      0,
    )
    await rest(2)
    await end(run)
    const statuses = await Promise.all(
      [1, 2, 3, 4].map(async (n) => (await bench.register.effect(`${run.runId}.${n}`))?.status),
    )
    expect(new Set(statuses)).toEqual(new Set(['cancelled']))
  })

  it('names the tool, and brings the call as the model asked for it', async () => {
    const { run, id } = await withStart(bench)
    const args = { prompt: 'write' }
    const part = { type: 'tool_call', id: 'call_1', name: 'task', args, argsHash: 'h' }
    const payload = { turn: { message: { parts: [part] } } }
    const result = await bench.register.append({
      ...about(run),
      facts: [fact('model.completed', `${run.runId}.0`, { payload })],
      claims: [claim(id)],
    })
    expect(result.claims).toMatchObject([{ code: 'ok' }])
    expect(await bench.register.effect(id)).toMatchObject({ call: part })
    const [started] = await bench.register.events(run.runId, { after: 4 })
    expect(started).toMatchObject({ type: 'effect.started', tool: 'task' })
  })
})

describe('the reconciler finds', () => {
  it('the children of a run, in the order of their ids', async () => {
    const { run } = await withStart(bench)
    const [first, second] = [await born(run), await born(run, { n: 2 })]
    await end(first)
    expect(await bench.register.children(run.runId)).toEqual([
      { ...ref(first), effectId: `${run.runId}.1`, ended: true },
      { ...ref(second), effectId: `${run.runId}.2`, ended: false },
    ])
    for (const nobody of [first.runId, uuid7(), 'no uuid', ''])
      expect(await bench.register.children(nobody)).toEqual([])
  })

  it('a child that has ended, while its parent waits for it', async () => {
    const subject = await withStart(bench)
    const { run, id } = subject
    await claimOf(bench, subject)
    await handOver(subject)
    const child = await born(run, { attempt: 1 })
    expect(await isEndedChild(child)).toBe(false)
    await end(child)
    expect(await isEndedChild(child)).toBe(true)
    const told = fact('child.ended', id, { fence: fence(id, 'started') })
    await bench.register.append({ ...about(run), facts: [told] })
    expect(await isEndedChild(child)).toBe(false)
    expect(await isOrphan(child)).toBe(false)
  })

  it('no ended child of a run that has ended', async () => {
    const subject = await withStart(bench)
    await claimOf(bench, subject)
    await handOver(subject)
    const child = await born(subject.run, { attempt: 1 })
    await end(subject.run)
    expect(await isOrphan(child)).toBe(true)
    await end(child)
    expect(await isEndedChild(child)).toBe(false)
    expect(await isOrphan(child)).toBe(false)
  })

  it('an orphan, until it is asked to end', async () => {
    const { run } = await withStart(bench)
    const child = await born(run)
    expect(await isOrphan(child)).toBe(false)
    await bench.register.append({ ...about(run), facts: [cancel] })
    expect(await isOrphan(child)).toBe(true)
    expect(await bench.register.orphans(0)).toEqual([])
    await bench.register.append({ ...about(child), facts: [cancel] })
    expect(await isOrphan(child)).toBe(false)
  })
})
