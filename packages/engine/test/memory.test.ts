/**
 * Learning from runs, from their end to the items of a memory, with the register in memory. Would catch: a run that is learned from twice or not at
 * all, words that nobody may keep, a memory of nobody or of everybody, and an agent without one that costs anything.
 */
import {
  factSchemas,
  limits,
  MemoryConfig,
  type ModelTurn,
  noteSchemas,
  payloadOf,
} from '@signalbox/core'
import { memoryOf, type Register, systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { describe, expect, onTestFinished, test } from 'vitest'
import { begin, caller, outcomeOf } from './support/governed.ts'
import {
  ann,
  isLearning,
  keepsLikes,
  learning,
  memoriesOf,
  messagesIn,
  remembering,
  type Scene,
  shownTo,
} from './support/remembering.ts'
import { agent, until } from './support/world.ts'

const started = async (...args: Parameters<typeof remembering>): Promise<Scene> => {
  const scene = remembering(...args)
  await scene.engine.start()
  onTestFinished(() => scene.engine.stop(1_000))
  return scene
}

/** The run that learns, once it has ended. */
const learnerOf = async (scene: Scene, runId: string) => {
  const { register } = scene
  const note = await scene.noted(runId)
  if (note.type !== 'memory.asked') throw new Error(`${note.type} ${note.verdict}`)
  const learner = payloadOf(noteSchemas['memory.asked'], note).runId
  return { learner, outcome: await outcomeOf(register, learner) }
}

const said = (text: string) => [
  { id: text, role: 'user' as const, parts: [{ type: 'text' as const, text }] },
]

describe('a run that completed', () => {
  test('is learned from by a run of its own, with the words that each item comes from', async () => {
    const scene = await started(learning())
    const runId = await scene.say('Hello. I like green tea')
    const { learner, outcome } = await learnerOf(scene, runId)
    expect(outcome).toBe('completed')
    const { register } = scene
    const log = await register.events(learner, {})
    expect(log.map(({ type }) => type)).toEqual([
      'run.created',
      'run.admitted',
      'run.transitioned',
      'effect.started',
      'model.completed',
      'run.transitioned',
      'effect.started',
      'tool.completed',
      'run.transitioned',
    ])
    const head = await register.head(learner)
    const memory = memoryOf({ ...caller, ...ann }, learning())
    expect(head).toMatchObject({
      threadId: memory?.threadId,
      agent: 'signalbox:memory',
      priority: -100,
      laned: true,
    })
    const created = payloadOf(factSchemas['run.created'], log[0]!)
    const through = { runId, seq: expect.any(Number) }
    expect(created.learn).toEqual({ threadId: 't1', from: null, through })
    expect(created.input).toEqual([])
    const { pinned } = payloadOf(factSchemas['model.completed'], log[4]!)
    expect(pinned).toEqual({ learned: { ...created.learn, words: [{ runId, seq: 1 }] } })
    const completed = payloadOf(factSchemas['tool.completed'], log[7]!)
    expect(completed.output).toMatchObject({ isError: false })
    expect(completed.memory).toMatchObject([
      { op: 'add', kind: 'preference', by: 'model', confidence: 0.9, sources: [{ runId, seq: 1 }] },
    ])
    // The text of an item stands in a blob of the memory alone.
    expect(JSON.stringify(completed)).not.toContain('green tea')
    expect(await scene.remembered()).toEqual(['Likes green tea.'])
    expect(await register.openEffects(runId)).toEqual([])
  })

  test('is shown to the learner as numbered words and answers, without anything else', async () => {
    const scene = await started(learning({}, { instructions: 'A secret rule.' }), {
      answer: () => 'As you like.',
    })
    await learnerOf(scene, await scene.say('I like tea. My key is sk-ant-api03-REDACTEDREDACTED'))
    const [request] = scene.asked
    expect(request?.tools.map(({ name }) => name)).toEqual(['forget', 'remember', 'revise'])
    expect(request?.guard).not.toBeNull()
    const text = shownTo(request!)
    expect(messagesIn(text)).toEqual([
      { n: 1, text: 'I like tea. My key is [redacted:anthropic-key]' },
    ])
    expect(text).toContain('<answer>As you like.</answer>')
    expect(JSON.stringify(request?.prompt)).not.toContain('A secret rule.')
  })

  test('is learned from once, and the next one begins where it has ended', async () => {
    const scene = await started(learning())
    await learnerOf(scene, await scene.say('I like tea'))
    await learnerOf(scene, await scene.say('I like milk'))
    expect(
      scene.asked.map((request) => messagesIn(shownTo(request)).map(({ text }) => text)),
    ).toEqual([['I like tea'], ['I like milk']])
    expect(shownTo(scene.asked[1]!)).toContain('>Likes tea.</note>')
    expect(await scene.remembered()).toEqual(['Likes tea.', 'Likes milk.'])
  })

  test('leaves it to a newer one of its thread that is under way, and that one learns for both', async () => {
    const gate = Promise.withResolvers<void>()
    const scene = await started(learning(), {
      answer: async ({ prompt }) => {
        if (JSON.stringify(prompt).includes('second')) await gate.promise
        return 'ok'
      },
    })
    const definition = learning({ delayMs: 300 })
    const first = await begin(scene.engine, definition, {
      threadId: 't1',
      input: said('I like tea'),
      ...ann,
    })
    const second = await begin(scene.engine, definition, {
      threadId: 't1',
      input: said('second. I like milk'),
      ...ann,
    })
    const note = await scene.noted(first)
    expect([note.type, note.verdict]).toEqual(['memory.skipped', 'newer_run'])
    gate.resolve()
    await learnerOf(scene, second)
    expect(scene.asked).toHaveLength(1)
    expect(messagesIn(shownTo(scene.asked[0]!)).map(({ n, text }) => `${n} ${text}`)).toEqual([
      '1 I like tea',
      '2 second. I like milk',
    ])
    expect(await scene.remembered()).toEqual(['Likes tea.', 'Likes milk.'])
  })

  test('that says nothing to keep costs one call of the model, and no other', async () => {
    const scene = await started(learning())
    const { learner } = await learnerOf(scene, await scene.say('What is the capital of Chile?'))
    expect(scene.asked).toHaveLength(1)
    const log = await scene.register.events(learner, {})
    expect(log.filter(({ type }) => type === 'tool.completed')).toEqual([])
    expect(await scene.remembered()).toEqual([])
  })
})

const expectSilence = async (scene: Scene, runId: string) => {
  expect(await scene.register.openEffects(runId)).toEqual([])
  const log = await scene.register.events(runId, {})
  expect(log.filter(({ type }) => type.startsWith('memory.'))).toEqual([])
  expect(scene.asked).toEqual([])
}

describe('§19 memory 3: nothing is learned', () => {
  test('of a private run, and neither is anything shown to it', async () => {
    const scene = await started(learning())
    const runId = await scene.say('I like tea', { memory: 'off' })
    await expectSilence(scene, runId)
    const [created] = await scene.register.events(runId, {})
    expect(created?.payload).not.toHaveProperty('memory')
  })

  test('of a private thread, also where it became one afterwards', async () => {
    const scene = await started(learning())
    const thread = {
      ...caller,
      threadId: 't1',
      metadata: {},
      createdAt: 1,
      contentKey: 'ab'.repeat(32),
    }
    await scene.register.ensureThread(thread)
    await scene.register.setMemory(thread, true)
    await expectSilence(scene, await scene.say('I like tea'))
    await scene.register.setMemory(thread, false)
    const late = await started(learning({ delayMs: 200 }), { register: scene.register })
    const runId = await begin(late.engine, learning({ delayMs: 200 }), { threadId: 't1', ...ann })
    await outcomeOf(scene.register, runId)
    await scene.register.setMemory(thread, true)
    expect((await late.noted(runId)).verdict).toBe('off')
  })

  test('of whom nobody knows, and of a run without words', async () => {
    const scene = await started(learning())
    const nobody = await begin(scene.engine, learning(), { threadId: 't2' })
    await outcomeOf(scene.register, nobody)
    await expectSilence(scene, nobody)
    await expectSilence(scene, await scene.say('  '))
  })

  test('of a rerun, and it is shown what the other run was shown', async () => {
    const scene = await started(learning())
    await learnerOf(scene, await scene.say('I like tea'))
    const other = await scene.say('And now?', { threadId: 't2' })
    await learnerOf(scene, other)
    const answer = await scene.engine.commands.rerun({
      ...caller,
      runId: other,
      threadId: 't3',
      definition: null,
      metadata: {},
      alias: null,
      ...ann,
    })
    if (answer.code !== 'created') throw new Error(answer.code)
    await outcomeOf(scene.register, answer.runId)
    const log = await scene.register.events(answer.runId, {})
    expect(log.filter(({ type }) => type.startsWith('memory.'))).toEqual([])
    const requests = scene.answered.slice(-2).map(({ prompt }) => prompt)
    expect(requests[1]).toEqual(requests[0])
    expect(JSON.stringify(requests[1])).toContain('Likes tea.')
  })

  test('of a run that was cancelled, and the next one that completes learns of its own words alone', async () => {
    const gate = Promise.withResolvers<void>()
    const scene = await started(learning(), {
      answer: async ({ prompt }) => {
        if (JSON.stringify(prompt).includes('coffee') && !JSON.stringify(prompt).includes('tea'))
          await gate.promise
        return 'ok'
      },
    })
    const runId = await begin(scene.engine, learning(), {
      threadId: 't1',
      input: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'I like coffee' }] }],
      ...ann,
    })
    await until(async () => scene.answered.length === 1 || null)
    await scene.engine.commands.cancel({ ...caller, runId, action: 'interrupt' })
    gate.resolve()
    expect(await outcomeOf(scene.register, runId)).toBe('cancelled')
    await learnerOf(scene, await scene.say('I like tea'))
    expect(await scene.remembered()).toEqual(['Likes tea.'])
  })

  test('of a run that its user deleted meanwhile', async () => {
    const scene = await started(learning({ delayMs: 200 }))
    const runId = await begin(scene.engine, learning({ delayMs: 200 }), { threadId: 't1', ...ann })
    await outcomeOf(scene.register, runId)
    await scene.engine.commands.hideRun({ ...caller, runId })
    expect((await scene.noted(runId)).verdict).toBe('gone')
  })

  test('while the person has paused it; and what is in flight is refused', async () => {
    const memory = memoryOf({ ...caller, ...ann }, learning())!
    const place = { ...caller, threadId: memory.threadId }
    const register = createMemoryRegister(systemClock)
    const scene = await started(learning(), {
      register,
      learn(text) {
        // The person forbids it while the model thinks.
        register.tables.memoryOff.add(`${caller.tenantId}\u0000${memory.threadId}`)
        return keepsLikes(text)
      },
    })
    const { learner } = await learnerOf(scene, await scene.say('I like tea'))
    const log = await register.events(learner, {})
    const results = log.filter(({ type }) => type === 'tool.completed')
    expect(results.map(({ payload }) => payload['memory'])).toEqual([undefined])
    expect(JSON.stringify(results)).toContain('paused')
    expect((await scene.noted(await scene.say('I like milk'))).verdict).toBe('paused')
    await register.setMemory(place, false)
    expect(await scene.remembered()).toEqual([])
  })
})

const ofScope = (scope: string, served: Parameters<typeof memoryOf>[0], name = 'writer') =>
  memoryOf(served, { name, memory: MemoryConfig.parse({ scope }) })

describe('a memory is', () => {
  test('of one user and one agent, unless the configuration says otherwise', () => {
    const bob = { tenantId: 'default', user: { id: 'bob', role: 'sales' } }
    const eve = { tenantId: 'default', user: { id: 'eve', role: 'sales' } }
    const ids = [
      ofScope('user', bob),
      ofScope('user', eve),
      ofScope('user', { ...bob, tenantId: 'other' }),
      ofScope('user+agent', bob),
      ofScope('user+agent', bob, 'clerk'),
      ofScope('agent', bob),
      ofScope('group:sales', bob),
      ofScope('user', { ...bob, endUser: 'u_1' }),
    ].map((each) => each?.threadId)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ofScope('user', bob, 'clerk')).toEqual(ofScope('user', bob))
    expect(ofScope('group:sales', eve)).toEqual(ofScope('group:sales', bob))
    expect(ofScope('group:staff', bob)).toBeNull()
    expect(ofScope('user', { tenantId: 'default' })).toBeNull()
    expect(ofScope('user+agent', { tenantId: 'default' })).toBeNull()
    // What operators wrote for an agent is for everybody.
    expect(ofScope('agent', { tenantId: 'default' })).toEqual(ofScope('agent', bob))
  })

  test('not learned into where operators alone write it', async () => {
    const scene = await started(learning({ scope: 'agent' }))
    const runId = await scene.say('I like tea')
    const [created] = await scene.register.events(runId, {})
    expect(created?.payload['memory']).toEqual({ threadId: expect.any(String) })
    expect(scene.asked).toEqual([])
  })

  test('on a thread where no client creates a run', async () => {
    const scene = await started(learning())
    await learnerOf(scene, await scene.say('I like tea'))
    const { threadId } = memoryOf({ ...caller, ...ann }, learning())!
    const answer = await scene.engine.commands.createRun({
      ...caller,
      threadId,
      definition: agent([]),
      input: [],
      metadata: {},
      alias: null,
    })
    expect(answer.code).toBe('no_thread')
  })
})

const failing = (): Partial<ModelTurn> => ({
  verdict: 'error',
  error: { class: 'auth', retryable: false, message: 'no' },
})

describe('a learning that fails', () => {
  test('leaves its range open: the next one learns it, too', async () => {
    let isDown = true
    const scene = await started(learning(), {
      broken: (request) => (isDown && isLearning(request) ? failing() : null),
    })
    expect((await learnerOf(scene, await scene.say('I like tea'))).outcome).toBe('failed')
    isDown = false
    await learnerOf(scene, await scene.say('I like milk'))
    expect(await scene.remembered()).toEqual(['Likes tea.', 'Likes milk.'])
  })

  test('three times in a row leaves the memory alone for a day, and then is tried again', async () => {
    let now = Date.now()
    const clock = { ...systemClock, now: () => now }
    const register = createMemoryRegister(clock)
    let isDown = true
    const scene = await started(learning(), {
      register,
      broken: (request) => (isDown && isLearning(request) ? failing() : null),
    })
    for (const words of ['one', 'two', 'three'])
      expect((await learnerOf(scene, await scene.say(`I like ${words}`))).outcome).toBe('failed')
    expect((await scene.noted(await scene.say('I like four'))).verdict).toBe('failing')
    isDown = false
    now -= limits.learnRestMs
    // The register has its own clock: the failures are of a day ago for a process of the day after.
    for (const run of register.tables.runs.values()) run.updatedAt -= limits.learnRestMs + 1
    await learnerOf(scene, await scene.say('I like five'))
    expect((await scene.remembered()).length).toBe(5)
  })
})

test('§19 memory 2: killed after each append, a learning is made once', async () => {
  const died = new Error('killed')
  for (let at = 0; at < 12; at++) {
    const register = createMemoryRegister(systemClock)
    let appends = -1
    const dying: Register = {
      ...register,
      append: async (item) => {
        const isLate = item.runId && register.tables.runs.get(item.runId)?.outcome !== null
        const isOfMemory =
          item.create?.memory === true ||
          register.tables.runs.get(item.runId)?.agent === 'signalbox:memory'
        const answer = await register.append(item)
        if ((isLate || isOfMemory) && ++appends === at) throw died
        return answer
      },
    }
    const settings = { leaseMs: 200, renewMs: 60, redispatchMs: 100 }
    const scene = await started(learning(), { register: dying, settings })
    const runId = await scene.say('I like tea')
    const { outcome } = await learnerOf({ ...scene, register }, runId)
    expect(outcome).toBe('completed')
    const runs = [...register.tables.runs.values()].filter(
      (run) => run.agent === 'signalbox:memory',
    )
    expect(runs).toHaveLength(1)
    expect(await scene.remembered()).toEqual(['Likes tea.'])
    const notes = (await register.events(runId, {})).filter(({ type }) =>
      type.startsWith('memory.'),
    )
    expect(notes).toHaveLength(1)
    await scene.engine.stop(100)
  }
}, 60_000)

test('an agent without a memory reads nothing more, and its log says nothing of one', async () => {
  const truth = createMemoryRegister(systemClock)
  const reads: string[] = []
  const register: Register = {
    ...truth,
    isMemoryOff: async (thread) => {
      reads.push('isMemoryOff')
      return truth.isMemoryOff(thread)
    },
    memoryEvents: async (...args) => {
      reads.push('memoryEvents')
      return truth.memoryEvents(...args)
    },
    blobs: async (...args) => {
      reads.push('blobs')
      return truth.blobs(...args)
    },
  }
  const scene = await started(agent([]), { register })
  const runId = await scene.say('I like tea')
  expect(reads).toEqual([])
  const log = await register.events(runId, {})
  expect(JSON.stringify(log.map(({ payload }) => payload))).not.toContain('memory')
  expect(JSON.stringify(log.map(({ payload }) => payload))).not.toContain('pinned')
  expect(memoriesOf(register)).toBeDefined()
})
