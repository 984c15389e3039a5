/**
 * Threads in both registers: what begins elsewhere, what is changed, what is hidden. Would catch: a thread that hears more of
 * its origin than was said to it, metadata that is replaced, a run on a thread that is gone, an id that is given twice.
 */
import { conversationTypes } from '@signalbox/core'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { type Register, systemClock, type Thread } from '@signalbox/engine'
import { describe, expect, it } from 'vitest'
import {
  about,
  admission,
  creation,
  event,
  fact,
  finalDecision,
  newRun,
  type RunIds,
} from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()
const registers: readonly (readonly [string, () => Register])[] = [
  ['in memory', () => createMemoryRegister(systemClock)],
  ['in Postgres', () => bench.register],
]

const threadOf = ({ tenantId, threadId }: RunIds, over: Partial<Thread> = {}): Thread => ({
  threadId,
  tenantId,
  metadata: {},
  createdAt: 1,
  contentKey: 'ab'.repeat(32),
  ...over,
})

/** A run that was admitted on a thread of its own, and has four events. */
const begun = async (register: Register, over: Partial<RunIds> = {}): Promise<RunIds> => {
  const run = newRun(over)
  await register.ensureThread(threadOf(run))
  await register.append(admission(run))
  await register.append({ ...about(run), facts: [fact('tool.completed')] })
  return run
}

const heard = async (register: Register, { threadId, runId }: RunIds) =>
  (await register.conversation(threadId, runId))
    .filter(({ type }) => conversationTypes.some((one) => one === type))
    .map((one) => `${one.runId} ${one.seq}`)

describe.each(registers)('threads %s', (_name, registerOf) => {
  it('hear their origin up to its moment, and go on from nothing behind it', async () => {
    const register = registerOf()
    const first = await begun(register)
    const { tenantId, runId } = first
    const fork = newRun({ tenantId })
    const origin = { runId, seq: 3 }
    for (const seq of [0, 999])
      expect(await register.ensureThread(threadOf(fork, { origin: { runId, seq } }))).toBeNull()
    expect(await register.ensureThread(threadOf(fork, { origin }))).not.toBeNull()
    // Its first run goes on from the middle of what was heard; its second from the end of that again.
    const early = creation(fork, { base: { runId, seq: 1 } })
    expect(await register.append(early)).toMatchObject({ code: 'ok' })
    await register.append({ ...about(fork), admit: true })
    expect(await heard(register, fork)).toEqual([`${runId} 1`, `${fork.runId} 1`])
    const second = newRun({ tenantId, threadId: fork.threadId })
    const again = (seq: number) => register.append(creation(second, { base: { runId, seq } }))
    expect(await again(4)).toMatchObject({ code: 'no_base' })
    expect(await again(3)).toMatchObject({ code: 'ok' })
    expect(await heard(register, first)).toEqual([`${runId} 1`, `${runId} 4`])
    expect(await heard(register, { ...fork, runId })).toEqual([`${runId} 1`])
    expect(await heard(register, { ...first, runId: fork.runId })).toEqual([])
  })

  it('hear of the run before their origin only what their origin has heard', async () => {
    const register = registerOf()
    const first = await begun(register)
    const { tenantId, threadId, runId } = first
    await register.append({ ...about(first), decision: finalDecision(2, 4) })
    const second = newRun({ tenantId, threadId })
    await register.append(creation(second, { base: { runId, seq: 3 } }))
    await register.append({ ...about(second), admit: true })
    const fork = newRun({ tenantId })
    const origin = { runId: second.runId, seq: 1 }
    expect(await register.ensureThread(threadOf(fork, { origin }))).not.toBeNull()
    const { threadId: on } = fork
    const from = (seq: number) =>
      register.append(creation(newRun({ tenantId, threadId: on }), { base: { runId, seq } }))
    expect(await from(4)).toMatchObject({ code: 'no_base' })
    expect(await from(3)).toMatchObject({ code: 'ok' })
    expect(await heard(register, { ...fork, runId })).toEqual([`${runId} 1`])
  })

  it('go on from what was heard of them, unless it was rolled back or is not theirs', async () => {
    const register = registerOf()
    const first = await begun(register)
    const { tenantId, threadId, runId } = first
    const since = async (run: RunIds, known: { runId: string; seq: number }) =>
      (await register.continuation(run.threadId, run.runId, known))
        ?.filter(({ type }) => conversationTypes.some((one) => one === type))
        .map((one) => `${one.runId} ${one.seq}`) ?? null
    expect(await since(first, { runId, seq: 1 })).toBeNull()
    await register.append({ ...about(first), decision: finalDecision(2, 4) })
    const second = newRun({ tenantId, threadId })
    await register.append(creation(second))
    await register.append({ ...about(second), admit: true })
    const own = `${second.runId} 1`
    expect(await since(second, { runId, seq: 1 })).toEqual([`${runId} 4`, own])
    expect(await since(second, { runId, seq: 4 })).toEqual([own])
    expect(await since(first, { runId: second.runId, seq: 1 })).toBeNull()
    const edited = newRun({ tenantId, threadId: newRun().threadId })
    const origin = { runId, seq: 3 }
    await register.ensureThread(threadOf(edited, { origin }))
    await register.append(creation(edited))
    await register.append({ ...about(edited), admit: true })
    expect(await since(edited, { runId, seq: 1 })).toEqual([`${edited.runId} 1`])
    expect(await since(edited, { runId, seq: 4 })).toBeNull()
    const { decided = 0, seq = 0 } = (await register.head(second.runId)) ?? {}
    const rolledBack = finalDecision(decided, seq, { outcome: 'rolled_back' })
    expect(await register.append({ ...about(second), decision: rolledBack })).toMatchObject({
      decisionCode: 'ok',
    })
    const third = newRun({ tenantId, threadId })
    await register.append(creation(third))
    await register.append({ ...about(third), admit: true })
    expect(await since(third, { runId: second.runId, seq: 1 })).toBeNull()
    expect(await since(third, { runId, seq: 4 })).toEqual([`${third.runId} 1`])
    // One that has no place yet has nothing to hear after what is being said.
    const waiting = newRun({ tenantId, threadId })
    await register.append(creation(waiting))
    expect(await since(waiting, { runId: third.runId, seq: 1 })).toBeNull()
  })

  it('merge metadata, within a limit, of their own tenant', async () => {
    const register = registerOf()
    const run = newRun()
    const change = (metadata: object, tenantId = run.tenantId) =>
      register.changeThread({ ...run, tenantId }, { metadata: { ...metadata } })
    expect(await change({ a: 1 })).toBe('no_thread')
    await register.ensureThread(threadOf(run, { metadata: { a: 1, b: { c: 1 } } }))
    expect(await change({ b: { d: 2 }, e: 3 })).toBe('ok')
    expect(await change({ a: 2 }, 'somebody else')).toBe('no_thread')
    expect(await change({ a: 'x'.repeat(70_000) })).toBe('too_large')
    const stands = await register.ensureThread(threadOf(run))
    expect(stands?.metadata).toEqual({ a: 1, b: { d: 2 }, e: 3 })
  })

  it('are hidden when nothing goes on, and their ids stay taken', async () => {
    const register = registerOf()
    const run = await begun(register)
    expect(await register.hideThread({ ...run, tenantId: 'somebody else' })).toBe('no_thread')
    expect(await register.hideThread(run)).toBe('busy')
    await register.append({ ...about(run), facts: [fact('cancel.requested')] })
    // An end that was asked for is enough for a user, and not for a ttl.
    const { runId: lastRunId } = run
    await register.changeThread(run, { metadata: {}, ttlMinutes: 1 })
    expect(await register.hideThread(run, { lastRunId })).toBe('busy')
    expect(await register.hideThread(run)).toBe('ok')
    expect(await register.hideThread(run)).toBe('no_thread')
    expect(await register.changeThread(run, { metadata: { a: 1 } })).toBe('no_thread')
    expect(await register.ensureThread(threadOf(run))).toBeNull()
    const late = newRun({ tenantId: run.tenantId, threadId: run.threadId })
    expect(await register.append(creation(late))).toMatchObject({ code: 'no_run' })
    // The run itself goes on to its end.
    const facts = (await register.head(run.runId))?.facts ?? 0
    const end = { ...about(run), decision: finalDecision(2, facts) }
    expect(await register.append(end)).toMatchObject({ decisionCode: 'ok' })
    const note = { ...about(run), notes: [event('run.hidden')] }
    expect(await register.append(note)).toMatchObject({ code: 'ok' })
  })
})
