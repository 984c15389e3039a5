/**
 * Titles of threads, from the first words to the answer of a model, with the register in memory. Would catch: a title of what was refused,
 * of what a guardrail cut or of a deleted run, one over a person's, one that is made twice or that fails its run, and a statement more for
 * an agent that gives none.
 */
import { effectId, limits, type ModelTurn, noteSchemas } from '@signalbox/core'
import {
  type Engine,
  type Model,
  type ModelRequest,
  type Register,
  systemClock,
} from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { describe, expect, onTestFinished, test } from 'vitest'
import { expire, mortal } from './support/faulty.ts'
import { begin, caller, outcomeOf } from './support/governed.ts'
import { agent, functionTools, type Turn, turnModel, until, world } from './support/world.ts'

const threadId = 't1'
const thread = { tenantId: caller.tenantId, threadId }
const byModel = agent([], { title: { maxWords: 4 } })
const byWords = agent([], { title: 'words' })

/** Turns have ids of their own: what is asked under another one is a title. */
const isTitle = ({ messageId }: ModelRequest): boolean => !messageId.startsWith('m_')

const turnOf = (request: ModelRequest, patch: Partial<ModelTurn> = {}): ModelTurn => ({
  verdict: 'complete',
  message: { id: request.messageId, role: 'assistant', parts: [] },
  suppressed: [],
  evidence: [],
  finish: { unified: 'stop' },
  usage: { inputTokens: 100, outputTokens: 7 },
  provider: 'scripted',
  model: 'test',
  ...patch,
})

const saying = (request: ModelRequest, text: string, patch: Partial<ModelTurn> = {}): ModelTurn =>
  turnOf(request, {
    message: { id: request.messageId, role: 'assistant', parts: [{ type: 'text', text }] },
    ...patch,
  })

type Call = Model['call']

/** Answers the turns of a run. */
function playing(...turns: readonly Turn[]): Call {
  const model = turnModel(turns)
  return (request, sink, signal) => model.call(request, sink, signal)
}

/** A model that answers turns as `turns` does, and titles as `title` does. */
function namer(title: Call, turns: Call = playing('the answer')) {
  const asked: ModelRequest[] = []
  const model: Model = {
    call(request, sink, signal) {
      if (!isTitle(request)) return turns(request, sink, signal)
      asked.push(request)
      return title(request, sink, signal)
    },
  }
  return { model, asked }
}

const titles =
  (text: string, patch: Partial<ModelTurn> = {}): Call =>
  async (request) =>
    saying(request, text, patch)

async function started(model: Model, register: Register = createMemoryRegister(systemClock)) {
  await register.ensureThread({
    ...thread,
    metadata: {},
    createdAt: 1,
    contentKey: 'ab'.repeat(32),
  })
  const { engine } = world({
    model,
    tools: functionTools({}),
    register,
    settings: { pollMs: 10 },
  })
  await engine.start()
  onTestFinished(() => engine.stop(1_000))
  return { engine, register }
}

const said = (text: string) => ({
  threadId,
  input: [{ id: 'u1', role: 'user' as const, parts: [{ type: 'text' as const, text }] }],
})

const notesOf = async (register: Register, runId: string) =>
  (await register.events(runId, {})).filter(
    ({ type }) => type === 'thread.titled' || type === 'title.unchanged',
  )

/** The last note of a run about a title, once there are so many. */
const noted = (register: Register, runId: string, n: number) =>
  until(async () => (await notesOf(register, runId))[n - 1])

const titleOf = async (register: Register) => (await register.threadTitle(thread))?.title ?? null

/** The effect that makes a title: the last one its run has asked for. */
const statusOf = async (register: Register, runId: string, n: number) =>
  (await register.effect(effectId(runId, n)))?.status

describe('a thread is called', () => {
  test('by the first words at once, and by a model when the run has completed', async () => {
    const gate = Promise.withResolvers<void>()
    const { model, asked } = namer(titles('Quarterly report'), async (request, sink, signal) => {
      await gate.promise
      return playing('Here it is.')(request, sink, signal)
    })
    const { engine, register } = await started(model)
    const runId = await begin(engine, byModel, said('# Write a report\nof the quarter'))
    expect(await register.threadTitle(thread)).toEqual({
      title: 'Write a report',
      by: 'words',
      runId,
      isOfCompleted: false,
    })
    gate.resolve()
    const note = await noted(register, runId, 2)
    expect(note).toMatchObject({
      type: 'thread.titled',
      verdict: 'model',
      payload: {
        title: 'Quarterly report',
        by: 'model',
        effectId: effectId(runId, 2),
        attempt: 1,
        usage: { inputTokens: 100, outputTokens: 7 },
        provider: 'scripted',
        model: 'test',
      },
    })
    expect(await register.threadTitle(thread)).toMatchObject({
      title: 'Quarterly report',
      by: 'model',
      isOfCompleted: true,
    })
    expect(await statusOf(register, runId, 2)).toBe('done')
    const [request] = asked
    expect(asked).toHaveLength(1)
    expect(request).toMatchObject({ tools: [], guard: null })
    expect(request?.model.maxOutputTokens).toBe(limits.titleTokensMax)
    const text = JSON.stringify(request?.prompt)
    expect(text).toContain('at most 4 words')
    expect(text).toContain('# Write a report')
    expect(text).toContain('Here it is.')
    expect(text).not.toContain('You write.')
  })

  test('by its first words for good, where no model is to be asked: no effect, no call', async () => {
    const { model, asked } = namer(titles('never'))
    const { engine, register } = await started(model)
    const runId = await begin(engine, byWords, said('go'))
    expect(await outcomeOf(register, runId)).toBe('completed')
    expect((await notesOf(register, runId)).map(({ verdict }) => verdict)).toEqual(['words'])
    expect(await register.effect(effectId(runId, 2))).toBeNull()
    const second = await begin(engine, byWords, said('something else'))
    expect(await outcomeOf(register, second)).toBe('completed')
    expect(await notesOf(register, second)).toEqual([])
    expect(await titleOf(register)).toBe('go')
    expect(asked).toEqual([])
  })

  test('once: later runs have nothing to do with it', async () => {
    const { model, asked } = namer(titles('Quarterly report'))
    const { engine, register } = await started(model)
    const runId = await begin(engine, byModel, said('go'))
    await noted(register, runId, 2)
    const second = await begin(engine, byModel, said('go on'))
    expect(await outcomeOf(register, second)).toBe('completed')
    const [created] = await register.events(second, { limit: 1 })
    expect(created?.payload).not.toHaveProperty('title')
    expect(await register.openEffects(second)).toEqual([])
    expect(asked).toHaveLength(1)
  })

  test('as nothing, by an agent that gives no titles: the same events and the same reads', async () => {
    const reads: unknown[] = []
    const truth = createMemoryRegister(systemClock)
    const register: Register = {
      ...truth,
      threadTitle: async (ref) => {
        reads.push(ref)
        return null
      },
    }
    const { engine } = await started(namer(titles('never')).model, register)
    const runId = await begin(engine, agent([]), said('go'))
    expect(await outcomeOf(register, runId)).toBe('completed')
    const log = await register.events(runId, {})
    expect(log.map(({ type }) => type)).toEqual([
      'run.created',
      'run.admitted',
      'run.transitioned',
      'effect.started',
      'model.completed',
      'run.transitioned',
    ])
    expect(log[0]?.payload).not.toHaveProperty('title')
    expect(reads).toEqual([])
  })

  test('by the model that is named among those of the agent', async () => {
    const { model, asked } = namer(titles('Quarterly report'))
    const { engine, register } = await started(model)
    const named = agent([], {
      fallbackModels: [{ provider: 'scripted', model: 'small', maxOutputTokens: 50 }],
      title: { model: 'small' },
    })
    await noted(register, await begin(engine, named, said('go')), 2)
    expect(asked[0]?.model).toMatchObject({ model: 'small', maxOutputTokens: 50 })
  })
})

/** Plays a run whose title was to be made by `title`, but is not: the thread keeps the first words. Returns the note that says so. */
async function unchanged(title: Call, definition = byModel) {
  const { model } = namer(title)
  const { engine, register } = await started(model)
  const runId = await begin(engine, definition, said('the first words'))
  const note = await noted(register, runId, 2)
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(await titleOf(register)).toBe('the first words')
  expect(await statusOf(register, runId, 2)).toBe('done')
  expect(note.type).toBe('title.unchanged')
  return { verdict: note.verdict, payload: noteSchemas['title.unchanged'].parse(note.payload) }
}

describe('first words pass the stream guardrails of the agent', () => {
  const secrets = [{ use: 'secrets' as const }]
  const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef-AA'

  test('words that a guardrail takes out are in no title, not by halves', async () => {
    const { engine, register } = await started(namer(titles('never')).model)
    const guarded = agent([], { title: 'words', guardrails: { stream: secrets } })
    // A title has no room for the whole key: its first half alone is not known for one.
    await begin(engine, guarded, said(`${key}, that is the key of the project`))
    const title = await titleOf(register)
    expect(title).toContain('that is the key')
    expect(title).not.toContain('sk-ant')
    expect(title).not.toContain('abcdef')
  })

  test.each([4_056, 4_060, 4_080, 4_095, 8_150, 8_180])(
    'a secret behind %i blank lines is in no title, whatever part of it is looked at',
    async (lines) => {
      const token = `ghp_${'aB3dE5gH7jK9'.repeat(3)}`
      const { engine, register } = await started(namer(titles('never')).model)
      const guarded = agent([], { title: 'words', guardrails: { stream: secrets } })
      await begin(engine, guarded, said(`${'\n'.repeat(lines)}${token}`))
      const title = await titleOf(register)
      for (const part of ['ghp', 'aB3']) expect(title).not.toContain(part)
    },
  )

  test('a guardrail that objects leaves a title of nothing', async () => {
    const { engine, register } = await started(namer(titles('never')).model)
    const terms = [{ use: 'banned-terms' as const, terms: ['canary'], action: 'fail' as const }]
    const guarded = agent([], { title: 'words', guardrails: { stream: terms } })
    await begin(engine, guarded, said('Report of the canary'))
    expect(await titleOf(register)).toBe('New conversation')
  })

  test.each(['Report of the can**ar**y', 'Report of the can`ar`y', 'Report of the can\u200Bary'])(
    'a word that only the title shows is judged, too: %s',
    async (text) => {
      const { engine, register } = await started(namer(titles('never')).model)
      const terms = [{ use: 'banned-terms' as const, terms: ['canary'], action: 'fail' as const }]
      const guarded = agent([], { title: 'words', guardrails: { stream: terms } })
      await begin(engine, guarded, said(text))
      expect(await titleOf(register)).toBe('New conversation')
    },
  )

  test('and what they have nothing to say of is a title as it is', async () => {
    const { engine, register } = await started(namer(titles('never')).model)
    const guarded = agent([], { title: 'words', guardrails: { stream: secrets } })
    await begin(engine, guarded, said('# Write a report\nof the third quarter'))
    expect(await titleOf(register)).toBe('Write a report')
  })
})

describe('a failure leaves the words, and says why', () => {
  test.each<readonly [string, string, Call]>([
    ['§19 title 2: a refusal', 'first_person', titles("I can't help with that")],
    ['an apology', 'apology', titles('Sorry, no')],
    ['thoughts', 'thoughts', titles('<think>a report</think>Report')],
    ['several lines', 'lines', titles('Report\nof the quarter')],
    ['too long', 'too_long', titles('w'.repeat(61))],
    ['nothing', 'empty', titles(' ')],
    ['a refusal of the provider', 'safety', titles('Report', { verdict: 'refusal' })],
    ['a safety stop', 'safety', titles('Report', { verdict: 'safety' })],
    ['a stream that broke off', 'failed', titles('Report', { verdict: 'interrupted' })],
    ['an unknown end', 'failed', titles('Report', { verdict: 'unknown_terminal' })],
    ['the length', 'cap', titles('Report', { verdict: 'length' })],
    [
      'more tokens than a title may use',
      'cap',
      titles('Report', { usage: { inputTokens: 9, outputTokens: limits.titleTokensMax + 1 } }),
    ],
  ])('%s', async (_, reason, title) => {
    const { verdict, payload } = await unchanged(title)
    expect(verdict).toBe(reason)
    expect(payload).toMatchObject({ reason, provider: 'scripted', model: 'test' })
    // Nothing of the answer is kept.
    expect(JSON.stringify(payload)).not.toMatch(/report|help|sorry|www/i)
  })

  test('a provider that fails, by the class of its error', async () => {
    const error = { class: 'overloaded', retryable: true, message: 'secret words' } as const
    const { payload } = await unchanged(titles('', { verdict: 'error', error }))
    expect(payload).toMatchObject({ reason: 'failed', error: 'overloaded' })
    expect(JSON.stringify(payload)).not.toContain('secret')
  })

  test('a model that asks for a tool: nothing executes', async () => {
    const { payload } = await unchanged(async (request) =>
      turnOf(request, {
        message: {
          id: request.messageId,
          role: 'assistant',
          parts: [{ type: 'tool_call', id: 'c1', name: 'rm', args: {}, argsHash: 'h' }],
        },
      }),
    )
    expect(payload.reason).toBe('calls')
  })

  test('a model that throws', async () => {
    const { payload } = await unchanged(() => Promise.reject(new Error('no such model')))
    expect(payload).toMatchObject({ reason: 'failed', error: 'invalid_request' })
  })

  test('a stream without end is cut off, and charged', async () => {
    const { payload } = await unchanged(async (request, sink, signal) => {
      for (let n = 0; !signal.aborted; n++) {
        sink.delta(n % 2 === 0 ? 'text' : 'reasoning', 'x'.repeat(100))
        await new Promise((resolve) => setImmediate(resolve))
      }
      signal.throwIfAborted()
      return turnOf(request)
    })
    expect(payload).toMatchObject({
      reason: 'cap',
      usage: { outputTokens: limits.titleTokensMax, estimated: true },
    })
  })

  test('a guardrail of the agent that objects, or takes something out', async () => {
    const guardrail = { id: 'names', name: 'Names' }
    const trip = { guardrail, outcome: 'stop', feedback: 'f', partType: 'text', offset: 0 } as const
    const { payload } = await unchanged(titles('', { verdict: 'guardrail', trip }))
    expect(payload).toMatchObject({ reason: 'guardrail', guardrail })
    const redactions = [{ guardrail, kind: 'token', place: 'text' as const, count: 1 }]
    const taken = await unchanged(titles('Report of [token]', { redactions }))
    expect(taken.payload).toMatchObject({ reason: 'guardrail', guardrail })
  })

  test.each(['Report of the can**ar**y', '{"title":"Report of the c\\u0061nary"}'])(
    'a guardrail that objects to the title as it is shown: %s',
    async (answer) => {
      const stream = [{ use: 'banned-terms' as const, terms: ['canary'], action: 'fail' as const }]
      const guarded = agent([], { title: {}, guardrails: { stream } })
      const { verdict, payload } = await unchanged(titles(answer), guarded)
      expect(verdict).toBe('guardrail')
      expect(payload.guardrail).toBeDefined()
    },
  )

  test('the stream guardrails of the agent are given to the call', async () => {
    const { model, asked } = namer(titles('Quarterly report'))
    const { engine, register } = await started(model)
    const guarded = agent([], { title: {}, guardrails: { stream: [{ use: 'secrets' }] } })
    await noted(register, await begin(engine, guarded, said('go')), 2)
    expect(asked[0]?.guard).not.toBeNull()
  })
})

describe('a provider that can is held to one field', () => {
  const one = {
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title'],
    additionalProperties: false,
  }

  test('and what stands in it is the title', async () => {
    const { model, asked } = namer(titles('{"title":"Quarterly report"}'))
    const { engine, register } = await started(model)
    await noted(register, await begin(engine, byModel, said('go')), 2)
    expect(await titleOf(register)).toBe('Quarterly report')
    expect(asked.map(({ answer }) => answer)).toMatchObject([one])
  })

  test('asked for words, once, where it refuses such a request', async () => {
    const { model, asked } = namer(async (request) =>
      request.answer
        ? turnOf(request, {
            verdict: 'error',
            error: { class: 'invalid_request', retryable: false, message: 'no such form' },
          })
        : saying(request, 'Quarterly report'),
    )
    const { engine, register } = await started(model)
    const note = await noted(register, await begin(engine, byModel, said('go')), 2)
    expect(note.payload).toMatchObject({ title: 'Quarterly report', attempt: 1 })
    expect(asked.map(({ answer }) => answer === undefined)).toEqual([false, true])
  })

  test.each(['auth', 'overloaded', 'context_overflow'] as const)(
    'and not again where it fails otherwise: %s',
    async (kind) => {
      const { model, asked } = namer(async (request) =>
        turnOf(request, {
          verdict: 'error',
          error: { class: kind, retryable: false, message: 'no' },
        }),
      )
      const { engine, register } = await started(model)
      const note = await noted(register, await begin(engine, byModel, said('go')), 2)
      expect(note.payload).toMatchObject({ reason: 'failed', error: kind })
      expect(asked).toHaveLength(1)
    },
  )
})

const refused: Call = async (request) => saying(request, 'I will not', { verdict: 'refusal' })

describe('§19 title 3: a run that ended badly', () => {
  test.each([
    ['a model', byModel],
    ['words', byWords],
  ])(
    'names its thread as if nothing had been said, with %s; a later one that completes names it',
    async (_, definition) => {
      let turns: Call = refused
      const { model, asked } = namer(titles('Quarterly report'), (...call) => turns(...call))
      const { engine, register } = await started(model)
      const runId = await begin(engine, definition, said('how to do harm'))
      expect(await outcomeOf(register, runId)).toBe('refused')
      const note = await noted(register, runId, 2)
      expect(note.payload).toMatchObject({ title: 'New conversation', by: 'words' })
      expect(note.payload).not.toHaveProperty('sources')
      expect(await titleOf(register)).toBe('New conversation')
      expect(asked).toEqual([])
      turns = playing('x', 'the answer', 'the answer')
      const second = await begin(engine, definition, said('write a report'))
      await noted(register, second, 1)
      const byTheModel = definition === byModel
      expect(await titleOf(register)).toBe(byTheModel ? 'Quarterly report' : 'write a report')
      // Nothing of what was refused is shown to the model.
      expect(JSON.stringify(asked)).not.toContain('harm')
    },
  )
})

const titled = (engine: Engine, lastRunId: string | null, title = 'Mine') =>
  engine.commands.titleThread({ ...caller, threadId, lastRunId, title })

describe('§19 title 4: a person wins', () => {
  test('before there is a run, and the log says nothing of it', async () => {
    const { model, asked } = namer(titles('Quarterly report'))
    const { engine, register } = await started(model)
    expect(await titled(engine, null)).toBe('titled')
    const runId = await begin(engine, byModel, said('go'))
    expect(await outcomeOf(register, runId)).toBe('completed')
    expect(await notesOf(register, runId)).toEqual([])
    expect(await titleOf(register)).toBe('Mine')
    expect(asked).toEqual([])
  })

  test('while the run goes on: no model is asked', async () => {
    const gate = Promise.withResolvers<void>()
    const { model, asked } = namer(titles('never'), async (request, sink, signal) => {
      await gate.promise
      return playing('the answer')(request, sink, signal)
    })
    const { engine, register } = await started(model)
    const runId = await begin(engine, byModel, said('go'))
    expect(await titled(engine, runId)).toBe('titled')
    gate.resolve()
    const note = await noted(register, runId, 3)
    expect(note).toMatchObject({ type: 'title.unchanged', verdict: 'titled' })
    expect(asked).toEqual([])
    expect(await titleOf(register)).toBe('Mine')
  })

  test('while the model is asked: what it answers is said, and changes nothing', async () => {
    const gate = Promise.withResolvers<void>()
    const began = Promise.withResolvers<void>()
    const { model } = namer(async (request) => {
      began.resolve()
      await gate.promise
      return saying(request, 'Quarterly report')
    })
    const { engine, register } = await started(model)
    const runId = await begin(engine, byModel, said('go'))
    await began.promise
    expect(await titled(engine, runId)).toBe('titled')
    gate.resolve()
    await noted(register, runId, 3)
    const notes = (await notesOf(register, runId)).map(({ verdict, actor }) => [verdict, actor])
    expect(notes.map(([verdict]) => verdict)).toEqual(['words', 'user', 'model'])
    expect(notes[1]?.[1]).toBe(caller.actor)
    expect(await titleOf(register)).toBe('Mine')
  })

  test('afterwards, and again', async () => {
    const { model } = namer(titles('Quarterly report'))
    const { engine, register } = await started(model)
    const runId = await begin(engine, byModel, said('go'))
    await noted(register, runId, 2)
    await titled(engine, runId)
    await titled(engine, runId, 'Mine, too')
    expect(await titleOf(register)).toBe('Mine, too')
  })

  test('of a thread that is not there, nothing', async () => {
    const { engine } = await started(namer(titles('never')).model)
    const other = { ...caller, threadId: 'elsewhere', lastRunId: null, title: 'x' }
    expect(await engine.commands.titleThread(other)).toBe('unknown')
  })
})

describe('what outlives the run', () => {
  test('a process that dies between the answer and the note: another asks again, and one title stands', async () => {
    const register = createMemoryRegister(systemClock)
    const doomed = mortal(register, { before: ({ settle }) => settle !== undefined })
    const first = await started(namer(titles('The first')).model, doomed.register)
    const runId = await begin(first.engine, byModel, said('go'))
    await doomed.dead
    expect(await titleOf(register)).toBe('go')
    await expire(register, runId)
    await started(namer(titles('The second')).model, register)
    const note = await noted(register, runId, 2)
    expect(note.payload).toMatchObject({ title: 'The second', attempt: 2 })
    expect(await titleOf(register)).toBe('The second')
  })

  test('a run that was deleted meanwhile is told nothing of', async () => {
    const gate = Promise.withResolvers<void>()
    const { model, asked } = namer(titles('never'), async (request, sink, signal) => {
      await gate.promise
      return playing('the answer')(request, sink, signal)
    })
    const { engine, register } = await started(model)
    const runId = await begin(engine, byModel, said('go'))
    await engine.commands.hideRun({ ...caller, runId })
    gate.resolve()
    const note = await noted(register, runId, 2)
    expect(note).toMatchObject({ type: 'title.unchanged', verdict: 'gone' })
    expect(asked).toEqual([])
  })

  test('by the first file where nothing was said', async () => {
    const { model } = namer(titles('Quarterly report'))
    const { engine, register } = await started(model)
    const files = [{ path: 'uploads/quarter 3.pdf', key: 'k', bytes: 1 }]
    await begin(engine, byWords, { threadId, input: [], files })
    expect(await titleOf(register)).toBe('quarter 3.pdf')
  })

  test('a run that only has its thread summed up does not name it', async () => {
    const { model, asked } = namer(titles('Quarterly report'))
    const { engine, register } = await started(model)
    const runId = await begin(engine, byModel, { threadId, input: [], compact: {} })
    await outcomeOf(register, runId)
    expect(await notesOf(register, runId)).toEqual([])
    expect(await titleOf(register)).toBeNull()
    expect(asked).toEqual([])
  })

  test('neither a run that another one started nor a rerun names a thread', async () => {
    const { model, asked } = namer(titles('Quarterly report'))
    const { engine, register } = await started(model)
    const runId = await begin(engine, byModel, said('go'))
    await noted(register, runId, 2)
    const again = await engine.commands.rerun({
      ...caller,
      runId,
      threadId: 'again',
      definition: null,
      metadata: {},
      alias: null,
    })
    if (again.code !== 'created') throw new Error(again.code)
    expect(await outcomeOf(register, again.runId)).toBe('completed')
    expect(await notesOf(register, again.runId)).toEqual([])
    expect(await register.threadTitle({ ...thread, threadId: 'again' })).toBeNull()
    expect(asked).toHaveLength(1)
  })
})
