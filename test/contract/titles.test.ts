/**
 * Titles in both registers: the row of a thread is a projection of the notes of its runs. Would catch: a title that a person gave and that is
 * gone, one that comes too late and stands, one of a run that had its turn before, an effect that ends with its run.
 */
import type { JsonObject, TitleEffect } from '@signalbox/core'
import { type Register, systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { describe, expect, it } from 'vitest'
import {
  about,
  admission,
  claim,
  decision,
  event,
  fact,
  finalDecision,
  newRun,
  type RunIds,
  settling,
} from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()
const registers: readonly (readonly [string, () => Register])[] = [
  ['in memory', () => createMemoryRegister(systemClock)],
  ['in Postgres', () => bench.register],
]

const titleEffect = (run: RunIds, n: number): TitleEffect => ({
  id: `${run.runId}.${n}`,
  kind: 'title.make',
  mode: 'idempotent',
  queue: 'title',
  delayMs: 0,
  make: 'model',
})

const titled = (payload: JsonObject) => event('thread.titled', { payload })
const unchanged = (run: RunIds) =>
  event('title.unchanged', {
    payload: { effectId: `${run.runId}.1`, attempt: 1, reason: 'empty' },
  })

describe.each(registers)('titles %s', (_name, registerOf) => {
  const onThread = async (over: Partial<RunIds> = {}) => {
    const register = registerOf()
    const run = newRun(over)
    const { tenantId, threadId } = run
    await register.ensureThread({
      threadId,
      tenantId,
      metadata: {},
      createdAt: 1,
      contentKey: 'ab'.repeat(32),
    })
    /** A run of the thread, alone on it. */
    const begin = async () => {
      const one = newRun({ tenantId, threadId })
      expect(await register.append(admission(one))).toMatchObject({ code: 'ok', admitted: true })
      return one
    }
    const end = async (one: RunIds, outcome: 'completed' | 'refused' = 'completed') => {
      await register.append({ ...about(one), facts: [fact('model.completed')] })
      const head = await register.head(one.runId)
      const { decided = 0, facts = 0 } = head ?? {}
      const final = finalDecision(decided, facts, { outcome })
      expect(await register.append({ ...about(one), decision: final })).toMatchObject({
        decisionCode: 'ok',
      })
    }
    const note = async (one: RunIds, payload: JsonObject) =>
      register.append({ ...about(one), notes: [titled(payload)] })
    const title = () => register.threadTitle({ tenantId, threadId })
    return { register, thread: { tenantId, threadId }, begin, end, note, title }
  }

  it('are none before a note says one, and of no other thread', async () => {
    const { register, begin, note, title, thread } = await onThread()
    expect(await title()).toBeNull()
    const run = await begin()
    await note(run, { title: 'One', by: 'words' })
    expect(await title()).toEqual({
      title: 'One',
      by: 'words',
      runId: run.runId,
      isOfCompleted: false,
    })
    expect(await register.threadTitle({ ...thread, tenantId: 'somebody else' })).toBeNull()
    expect(await register.threadTitle({ ...thread, threadId: 'elsewhere' })).toBeNull()
  })

  it('of the first words stand against other first words', async () => {
    const { begin, end, note, title } = await onThread()
    const run = await begin()
    await note(run, { title: 'One', by: 'words' })
    await end(run, 'refused')
    const next = await begin()
    await note(next, { title: 'Two', by: 'words' })
    expect(await title()).toMatchObject({ title: 'One', runId: run.runId })
  })

  it('are made better by their run, and by another only while no run of theirs has completed', async () => {
    const { begin, end, note, title } = await onThread()
    const run = await begin()
    const effectId = `${run.runId}.1`
    await note(run, { title: 'One', by: 'words' })
    await end(run, 'refused')
    await note(run, { title: 'New conversation', by: 'words', effectId })
    expect(await title()).toMatchObject({ title: 'New conversation', isOfCompleted: false })
    const next = await begin()
    await end(next)
    await note(next, { title: 'Two', by: 'words', effectId: `${next.runId}.1` })
    expect(await title()).toMatchObject({
      title: 'Two',
      runId: next.runId,
      isOfCompleted: true,
    })
    // It comes too late.
    await note(run, { title: 'New conversation', by: 'words', effectId })
    expect(await title()).toMatchObject({ title: 'Two' })
    await note(next, { title: 'Three', by: 'model', effectId: `${next.runId}.2` })
    expect(await title()).toMatchObject({ title: 'Three', by: 'model' })
    await note(next, { title: 'Four', by: 'model', effectId: `${next.runId}.3` })
    expect(await title()).toMatchObject({ title: 'Three' })
  })

  it('that could not be made leave what there is, and the run has had its turn', async () => {
    const { register, begin, end, note, title } = await onThread()
    const run = await begin()
    await note(run, { title: 'One', by: 'words' })
    await end(run, 'refused')
    const next = await begin()
    await end(next)
    await register.append({ ...about(next), notes: [unchanged(next)] })
    expect(await title()).toMatchObject({ title: 'One', runId: next.runId, isOfCompleted: true })
    const third = await begin()
    await end(third)
    await note(third, { title: 'Three', by: 'model', effectId: `${third.runId}.1` })
    expect(await title()).toMatchObject({ title: 'One' })
  })

  it('§19 title 4: of a person stand for good, whichever way they came', async () => {
    const { register, thread, begin, end, note, title } = await onThread()
    const run = await begin()
    await note(run, { title: 'One', by: 'words' })
    await note(run, { title: 'Mine', by: 'user' })
    await end(run)
    await note(run, { title: 'Two', by: 'model', effectId: `${run.runId}.1` })
    await register.append({ ...about(run), notes: [unchanged(run)] })
    expect(await title()).toMatchObject({ title: 'Mine', by: 'user' })
    const given = { title: 'Also mine', by: 'user', runId: null } as const
    expect(await register.giveTitle(thread, given)).toBe('ok')
    expect(await title()).toEqual({ ...given, isOfCompleted: false })
    await note(run, { title: 'Again mine', by: 'user' })
    expect(await title()).toMatchObject({ title: 'Again mine' })
  })

  it('of an origin are for a copy that has none', async () => {
    const { register, thread, title } = await onThread()
    const given = { title: 'Origin', by: 'words', runId: null } as const
    expect(await register.giveTitle(thread, given)).toBe('ok')
    expect(await register.giveTitle(thread, { ...given, title: 'Later' })).toBe('ok')
    expect(await title()).toMatchObject({ title: 'Origin', by: 'words' })
    const nowhere = { ...thread, threadId: 'elsewhere' }
    expect(await register.giveTitle(nowhere, given)).toBe('no_thread')
    await register.hideThread(thread)
    expect(await title()).toBeNull()
    expect(await register.giveTitle(thread, given)).toBe('no_thread')
  })

  it('are made after the end: claimed, kept and settled then, and once', async () => {
    const { register, begin } = await onThread()
    const run = await begin()
    const effect = titleEffect(run, 5)
    await register.append({ ...about(run), facts: [fact('model.completed')] })
    const { decided = 0, facts = 0 } = (await register.head(run.runId)) ?? {}
    const final = finalDecision(decided, facts, { effects: [effect] })
    await register.append({ ...about(run), decision: final })
    const claimed = await register.append({ ...about(run), claims: [claim(effect.id)] })
    expect(claimed.claims).toMatchObject([{ code: 'ok', attempt: 1 }])
    expect(await register.renew([{ effectId: effect.id, attempt: 1 }], 60_000)).toEqual([
      { effectId: effect.id, kept: true, cancel: false },
    ])
    const settle = settling(effect.id)
    const note = titled({ title: 'Two', by: 'model', effectId: effect.id })
    const settled = () => register.append({ ...about(run), notes: [note], settle })
    expect(await settled()).toMatchObject({ settled: true })
    expect(await settled()).toMatchObject({ settled: false })
    const log = await register.events(run.runId, {})
    expect(log.filter(({ type }) => type === 'thread.titled')).toHaveLength(1)
  })

  it('are made although a cancel was asked, and hold up no end', async () => {
    const { register, begin } = await onThread()
    const run = await begin()
    const effect = titleEffect(run, 5)
    await register.append({ ...about(run), facts: [fact('model.completed')] })
    const before = await register.head(run.runId)
    const { decided = 0, facts = 0 } = before ?? {}
    await register.append({
      ...about(run),
      decision: decision(decided, facts, { effects: [effect] }),
    })
    await register.append({ ...about(run), facts: [fact('cancel.requested', 'cancel')] })
    const claimed = await register.append({ ...about(run), claims: [claim(effect.id)] })
    expect(claimed.claims).toMatchObject([{ code: 'ok' }])
    const after = await register.head(run.runId)
    const final = finalDecision(after?.decided ?? 0, after?.facts ?? 0, { outcome: 'cancelled' })
    expect(await register.append({ ...about(run), decision: final })).toMatchObject({
      decisionCode: 'ok',
    })
    expect((await register.effect(effect.id))?.status).toBe('started')
  })
})
