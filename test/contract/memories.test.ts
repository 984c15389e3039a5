/**
 * Memories in both registers: what their runs changed, and what is known of the runs that they were made of. Would catch: a register that learns from
 * what the other does not, one that shows what was deleted, a memory among the threads, and one that its erasure leaves readable.
 */
import { noteSchemas, payloadOf } from '@signalbox/core'
import { memoryOf, type Register, systemClock, systemRandom } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { describe, expect, it, onTestFinished } from 'vitest'
import { begin, caller, outcomeOf } from '../../packages/engine/test/support/governed.ts'
import {
  learning,
  memoriesOf,
  remembering,
} from '../../packages/engine/test/support/remembering.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()
const registers: readonly (readonly [string, () => Register])[] = [
  ['in memory', () => createMemoryRegister(systemClock)],
  ['in Postgres', () => bench.register],
]

const { tenantId } = caller

describe.each(registers)('memories %s', (_name, registerOf) => {
  /** Somebody whom nobody else is. */
  const begun = async () => {
    const register = registerOf()
    const user = { id: `ann-${systemRandom.hex(6)}`, role: null }
    const scene = remembering(learning(), { register, settings: { pollMs: 20 } })
    await scene.engine.start()
    onTestFinished(() => scene.engine.stop(1_000))
    const found = memoryOf({ tenantId, user }, learning())
    if (!found) throw new Error('there is somebody')
    const memory = { tenantId, threadId: found.threadId }
    const threadId = `t-${systemRandom.hex(6)}`
    const say = (words: string, more: Parameters<typeof scene.say>[1] = {}) =>
      scene.say(words, { threadId, user, ...more })
    const learned = async (runId: string) => {
      const learner = payloadOf(noteSchemas['memory.asked'], await scene.noted(runId)).runId
      await outcomeOf(register, learner)
      return learner
    }
    const texts = async () =>
      (await memoriesOf(register).shown(memory)).items.map(({ text }) => text)
    return { register, scene, memory, about: found.about, threadId, user, say, learned, texts }
  }

  it('are learned, found by what they are about, and stand on threads of their own', async () => {
    const { register, memory, about, threadId, say, learned, texts } = await begun()
    const first = await say('I like tea')
    const learner = await learned(first)
    const second = await say('I like milk')
    await learned(second)
    expect(await texts()).toEqual(['Likes tea.', 'Likes milk.'])
    expect(await register.learnedFrom(memory, threadId)).toMatchObject({
      threadId,
      through: { runId: second },
      words: [{ runId: second, seq: 1 }],
    })
    expect(await register.learnedFrom(memory, 'another thread')).toBeNull()
    const learnings = await register.learnings(memory, 5)
    expect(learnings.map(({ outcome }) => outcome)).toEqual(['completed', 'completed'])
    expect(learnings[1]?.runId).toBe(learner)
    expect((await register.learnings(memory, 1)).length).toBe(1)
    expect(await register.memories(tenantId, about)).toMatchObject([{ ...memory, about }])
    expect(await register.memories('another', about)).toEqual([])
    expect((await register.memories(tenantId, { scope: 'user+agent' })).length).toBeGreaterThan(0)
  })

  it('are as they were at a moment, whatever came later', async () => {
    const { register, memory, say, learned } = await begun()
    await learned(await say('I like tea'))
    const before = await memoriesOf(register).read(memory, null)
    await learned(await say('I like milk'))
    const after = await memoriesOf(register).read(memory, before.at)
    expect([...after.texts.values()]).toEqual(['Likes tea.'])
    expect(after.at).toEqual(before.at)
    const events = await register.memoryEvents(memory, null)
    expect(events.filter(({ type }) => type === 'tool.completed')).toHaveLength(2)
  })

  it('take no run of a client, and no run of a memory stands elsewhere', async () => {
    const { register, scene, memory, threadId, say, learned } = await begun()
    await learned(await say('I like tea'))
    const create = { ...caller, definition: learning(), input: [], metadata: {}, alias: null }
    const answer = await scene.engine.commands.createRun({ ...create, threadId: memory.threadId })
    expect(answer.code).toBe('no_thread')
    const thread = { tenantId, metadata: {}, createdAt: 1, contentKey: 'ab'.repeat(32) }
    await register.ensureThread({ ...thread, threadId })
    const edit = { messages: [], memory: [{ op: 'reset' as const, at: 1 }] }
    expect((await scene.engine.commands.createRun({ ...create, threadId, edit })).code).toBe(
      'no_thread',
    )
    expect(
      await register.ensureMemory({
        tenantId,
        threadId,
        about: {},
        createdAt: 1,
        contentKey: 'ab'.repeat(32),
      }),
    ).toBe(false)
  })

  it('are known by what stands of their sources', async () => {
    const { register, scene, say, learned, texts } = await begun()
    const first = await say('I like tea')
    await learned(first)
    const second = await say('I like milk')
    await learned(second)
    const moments = [first, second].map((runId) => ({ runId, seq: 1 }))
    const strange = { runId: systemRandom.uuid(), seq: 1 }
    const late = { runId: first, seq: 999 }
    const sorted = async () =>
      (await register.standing(tenantId, [...moments, strange, late]))
        .map(({ runId }) => runId)
        .toSorted()
    expect(await sorted()).toEqual([first, second].toSorted())
    expect(await register.standing('another', moments)).toEqual([])
    await scene.engine.commands.hideRun({ ...caller, runId: first })
    expect(await sorted()).toEqual([second])
    expect(await texts()).toEqual(['Likes milk.'])
    const standings = await register.standings(tenantId, [first, second, strange.runId])
    expect(new Map(standings.map((each) => [each.runId, each]))).toEqual(
      new Map([
        [first, expect.objectContaining({ outcome: 'completed', isHidden: true, place: 1 })],
        [second, expect.objectContaining({ outcome: 'completed', isHidden: false, place: 2 })],
      ]),
    )
    expect(await register.standings('another', [first])).toEqual([])
  })

  it('wait for a newer run that will be learned from into the same memory, and for no other', async () => {
    const { register, scene, memory, threadId, user, say } = await begun()
    const first = await say('I like tea')
    const place = { tenantId, threadId, runId: first }
    expect(await register.learnsLater(place, memory.threadId)).toBe(false)
    const later = { threadId, delayMs: 60_000 }
    await begin(scene.engine, learning(), { ...later, user, memory: 'off' })
    await begin(scene.engine, learning(), { ...later, user: { id: 'bob', role: null } })
    expect(await register.learnsLater(place, memory.threadId)).toBe(false)
    const newer = await begin(scene.engine, learning(), { ...later, user })
    expect(await register.learnsLater(place, memory.threadId)).toBe(true)
    expect(await register.learnsLater({ ...place, runId: newer }, memory.threadId)).toBe(false)
  })

  it('are off for a thread, or paused, until somebody says otherwise', async () => {
    const { register, memory, threadId, say, learned } = await begun()
    await learned(await say('I like tea'))
    const thread = { tenantId, threadId: `${threadId}-x` }
    expect(await register.setMemory(thread, true)).toBe('no_thread')
    expect(await register.isMemoryOff(thread)).toBe(false)
    await register.ensureThread({
      ...thread,
      metadata: {},
      createdAt: 1,
      contentKey: 'ab'.repeat(32),
    })
    for (const place of [thread, memory]) {
      expect(await register.setMemory(place, true)).toBe('ok')
      expect(await register.isMemoryOff(place)).toBe(true)
      expect(await register.isMemoryOff({ ...place, tenantId: 'another' })).toBe(false)
      expect(await register.setMemory(place, false)).toBe('ok')
      expect(await register.isMemoryOff(place)).toBe(false)
    }
  })

  it('§19 memory 6: that were erased are read by nobody any more, and go on empty', async () => {
    const { register, memory, threadId, say, learned, texts } = await begun()
    await learned(await say('I like tea'))
    const [event] = (await register.memoryEvents(memory, null)).filter(
      ({ type }) => type === 'tool.completed',
    )
    const keys = JSON.stringify(event?.payload['memory']).match(/[0-9a-f]{64}/g) ?? []
    expect((await register.blobs(memory, keys)).size).toBe(1)
    expect((await register.blobs({ ...memory, tenantId: 'another' }, keys)).size).toBe(0)
    expect(await register.eraseMemory({ tenantId, threadId }, 'cd'.repeat(32))).toBeNull()
    expect(
      await register.eraseMemory({ ...memory, tenantId: 'another' }, 'cd'.repeat(32)),
    ).toBeNull()
    expect(await register.eraseMemory(memory, 'cd'.repeat(32))).toBe(1)
    expect((await register.blobs(memory, keys)).size).toBe(0)
    expect(await texts()).toEqual([])
    await learned(await say('I like milk'))
    expect(await texts()).toEqual(['Likes milk.'])
  })
})
