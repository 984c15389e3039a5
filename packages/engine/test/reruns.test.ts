/**
 * Reruns: what is recorded answers, nothing executes. Would catch: a tool, a child or a human that a rerun bothers; a result of
 * another call, or one that is made up; a source that is changed; content that stays behind in the thread of the source.
 */
import { type AgentDefinition, decisionSchemas, type JsonObject } from '@signalbox/core'
import { type Rerun, systemClock, systemRandom, type ToolHost } from '@signalbox/engine'
import { createMemoryRegister, type MemoryRegister } from '@signalbox/testing/memory'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createStreamGuardrails } from '../../policies/src/guardrails/stream-guardrails.ts'
import { createContent } from '../src/perform/content.ts'
import { performRecall } from '../src/perform/recall.ts'
import { createRecordings } from '../src/perform/recordings.ts'
import { createDigests } from '../src/record/digests.ts'
import { createWriter } from '../src/record/draft.ts'
import { begin, caller, eventOf, outcomeOf } from './support/governed.ts'
import {
  agent,
  functionTools,
  toolSpec,
  type Turn,
  turnModel,
  until,
  world,
} from './support/world.ts'

let register: MemoryRegister
const stops: (() => Promise<void>)[] = []
beforeEach(() => void (register = createMemoryRegister(systemClock)))
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** Tools that count what they do: `next` answers 1, 2, 3 …, `breaks` always throws. */
function counting() {
  const done: string[] = []
  const did = (name: string) => done.push(name)
  const tools = functionTools({
    next: async () => did('next'),
    pay: async () => did('pay'),
    breaks: async () => {
      did('breaks')
      throw new Error('no')
    },
  })
  return { tools, done }
}

async function engineOf(turns: readonly Turn[], tools: ToolHost, agents?: AgentDefinition) {
  const more = agents ? { agents: () => agents } : {}
  const { engine } = world({ model: turnModel(turns), tools, register, ...more })
  await engine.start()
  stops.push(() => engine.stop(1_000))
  return engine
}

const next: Turn = [{ tool: 'next', args: {} }]
const withTools = (more: JsonObject = {}) =>
  agent([toolSpec('next'), toolSpec('pay', 'once'), toolSpec('breaks', 'once')], more)

/** A run of its own engine, to its end. */
async function source(turns: readonly Turn[], definition = withTools()): Promise<string> {
  const { tools } = counting()
  const engine = await engineOf(turns, tools)
  const runId = await begin(engine, definition, { threadId: 'source' })
  await outcomeOf(register, runId)
  return runId
}

/** A rerun by an engine of its own, with another model, to its end. */
async function repeat(runId: string, turns: readonly Turn[], more: Partial<Rerun> = {}) {
  const { tools, done } = counting()
  const engine = await engineOf(turns, tools)
  const asked = { ...caller, runId, threadId: `again-${Math.random()}`, definition: null }
  const answer = await engine.commands.rerun({ ...asked, metadata: {}, alias: null, ...more })
  if (answer.code !== 'created') throw new Error(answer.code)
  return { runId: answer.runId, outcome: await outcomeOf(register, answer.runId), done }
}

const eventsOf = async (runId: string, ...types: readonly string[]) =>
  (await register.events(runId, {})).filter(({ type }) => types.includes(type))

const results = async (runId: string): Promise<readonly unknown[]> =>
  (await eventsOf(runId, 'tool.completed')).map(({ payload }) => payload['output'])

const toolsStarted = async (runId: string) =>
  (await eventsOf(runId, 'effect.started')).map(({ tool }) => tool)

const stopOf = async (runId: string) => (await eventsOf(runId, 'rerun.stopped'))[0]

/** What was said to the runs that a run hears, and to itself. */
async function heard(runId: string): Promise<string> {
  const { threadId = '' } = (await register.head(runId)) ?? {}
  const events = await register.conversation(threadId, runId)
  return events
    .filter(({ type }) => type === 'run.created')
    .map(({ payload }) => JSON.stringify(payload['input']))
    .join()
}

const say = (text: string) => ({
  input: [{ id: `u_${text}`, role: 'user' as const, parts: [{ type: 'text' as const, text }] }],
  threadId: 'source',
})

/** The texts of all blobs, in the order in which they were kept. */
const allBlobs = (): readonly string[] =>
  [...register.tables.blobs.values()].map(({ bytes }) => Buffer.from(bytes).toString('utf8'))

const kindsOf = (runId: string): readonly string[] =>
  [...register.tables.effects.values()]
    .filter((effect) => effect.runId === runId)
    .map(({ kind }) => kind)

describe('what is recorded', () => {
  test('answers, in the order in which it was recorded; nothing executes, and the source is as it was', async () => {
    const first = await source([next, next, 'done'])
    const before = JSON.stringify(await register.events(first, {}))
    const again = await repeat(first, [next, [{ tool: 'next', args: {} }], 'otherwise'])
    expect(again).toMatchObject({ outcome: 'completed', done: [] })
    expect(await results(again.runId)).toEqual(await results(first))
    expect(await results(first)).toMatchObject([
      { content: [{ text: '1' }] },
      { content: [{ text: '2' }] },
    ])
    expect(kindsOf(again.runId)).toEqual([
      'model.call',
      'tool.recall',
      'model.call',
      'tool.recall',
      'model.call',
    ])
    const [created] = await eventsOf(again.runId, 'run.created')
    expect(created?.payload['rerun']).toEqual({ runId: first })
    const recorded = await eventsOf(first, 'tool.completed')
    const recalled = await eventsOf(again.runId, 'tool.completed')
    expect(recalled.map(({ payload, verdict }) => [payload['recalled'], verdict])).toEqual(
      recorded.map(({ seq }) => [{ runId: first, seq }, 'recalled']),
    )
    expect(JSON.stringify(await register.events(first, {}))).toBe(before)
  })

  test('needs no worker, and tells nobody whom its own request does not name', async () => {
    const first = await source([next, 'done'])
    const { tools, done } = counting()
    const endpoint = { on: ['completed' as const], origin: 'https://hooks.test', endpoint: 'all' }
    const told: string[] = []
    const { engine } = world({
      model: turnModel([next, 'done']),
      tools,
      register,
      roles: ['orchestrator'],
      webhooks: {
        endpoints: () => [endpoint],
        deliver: async ({ to }) => {
          told.push('url' in to ? to.url : to.endpoint)
          return { code: 'delivered', status: 200 }
        },
      },
    })
    await engine.start()
    stops.push(() => engine.stop(1_000))
    const asked = { ...caller, runId: first, definition: null, metadata: {}, alias: null }
    for (const webhook of [{}, { webhook: 'https://mine.test/x' }]) {
      const threadId = `again-${Math.random()}`
      const answer = await engine.commands.rerun({ ...asked, ...webhook, threadId })
      if (answer.code !== 'created') throw new Error(answer.code)
      expect(await outcomeOf(register, answer.runId)).toBe('completed')
    }
    await until(async () => told.length > 0 || undefined)
    expect([told, done]).toEqual([['https://mine.test/x'], []])
  })

  test('may be the result of a rerun itself, and a failure', async () => {
    const both: Turn = [
      { tool: 'breaks', args: {} },
      { tool: 'next', args: {} },
    ]
    const first = await source([both, 'done'])
    const second = await repeat(first, [both, 'done'])
    const third = await repeat(second.runId, [both, 'done'])
    expect(third).toMatchObject({ outcome: 'completed', done: [] })
    const [failed] = await eventsOf(first, 'tool.failed')
    const [again] = await eventsOf(third.runId, 'tool.failed')
    expect(again?.payload['error']).toEqual(failed?.payload['error'])
    expect(await results(third.runId)).toEqual(await results(first))
  })

  test('no `effect.started` of a rerun names a tool: who lists executions does not find any', async () => {
    const first = await source([next, 'done'])
    const again = await repeat(first, [next, 'done'])
    expect(await toolsStarted(first)).toEqual([null, 'next', null])
    expect(await toolsStarted(again.runId)).toEqual([null, null, null])
  })
})

describe('a call that was never recorded stops the rerun', () => {
  test.each<[string, Turn, readonly Turn[], JsonObject]>([
    ['other arguments', next, [[{ tool: 'next', args: { x: 1 } }]], { reason: 'never_made' }],
    ['another tool', next, [[{ tool: 'pay', args: {} }]], { reason: 'never_made', tool: 'pay' }],
    ['once more', next, [next, next], { reason: 'used_up', recorded: 1 }],
  ])('%s', async (_, recorded, asked, said) => {
    const first = await source([recorded, 'done'])
    const again = await repeat(first, [...asked, 'done'])
    expect(again).toMatchObject({ outcome: 'failed', done: [] })
    const stop = await stopOf(again.runId)
    expect(stop?.payload).toMatchObject({ code: 'call_not_recorded', ...said })
    expect(stop?.payload['text']).toContain(`a call of ${stop?.tool} (c_`)
  })

  test('beside another that is: nothing of the turn executes', async () => {
    const first = await source([next, 'done'])
    const both: Turn = [
      { tool: 'pay', args: {} },
      { tool: 'next', args: {} },
    ]
    const again = await repeat(first, [both, 'done'])
    expect(again).toMatchObject({ outcome: 'failed', done: [] })
    expect((await register.head(again.runId))?.stateName).toBe('failed')
  })

  test('one whose outcome nobody knows', async () => {
    const unknown: ToolHost = {
      ...counting().tools,
      call: async () => ({
        status: 'failed',
        error: { code: 'x', message: 'x' },
        unknown: true,
      }),
    }
    const engine = await engineOf([[{ tool: 'pay', args: {} }], 'done'], unknown)
    const first = await begin(engine, withTools({ onUnknown: 'tell' }), { threadId: 'source' })
    await outcomeOf(register, first)
    const again = await repeat(first, [[{ tool: 'pay', args: {} }], 'done'])
    expect(again).toMatchObject({ outcome: 'failed', done: [] })
    expect((await stopOf(again.runId))?.payload).toMatchObject({ reason: 'unknown', recorded: 1 })
  })

  test('one that was erased since', async () => {
    const first = await source([next, 'done'])
    const log = register.tables.events.get(first) ?? []
    const at = log.findIndex(({ type }) => type === 'tool.completed')
    const event = log[at]
    if (event) log[at] = { ...event, payload: {}, salt: '' }
    const again = await repeat(first, [next, 'done'])
    expect((await stopOf(again.runId))?.payload).toMatchObject({ reason: 'erased' })
    expect(again.outcome).toBe('failed')
  })
})

test('a recall that is made again, because its process vanished, comes to the same', async () => {
  const first = await source([[...next, { tool: 'pay', args: {} }], next, 'done'])
  const again = await repeat(first, [[{ tool: 'pay', args: {} }, ...next], next, 'done'])
  const writer = createWriter({ actor: 'other', clock: systemClock, random: systemRandom })
  for (const fact of await eventsOf(again.runId, 'tool.completed')) {
    const row = await register.effect(fact.key ?? '')
    if (row?.spec.kind !== 'tool.recall') throw new Error('no recall')
    const deps = {
      register,
      recordings: createRecordings(register),
      writer,
      digests: createDigests({ register, random: systemRandom }),
      guardrails: createStreamGuardrails(() => null),
      content: createContent({ register, clock: systemClock, random: systemRandom }),
      views: { definition: async () => withTools() },
    }
    const repeated = await performRecall(deps, { row, effect: row.spec, attempt: 2 })
    expect(repeated).toMatchObject({
      type: 'tool.completed',
      key: fact.key,
      payload: { ...fact.payload, attempt: 2 },
    })
  }
  expect(await eventsOf(again.runId, 'tool.completed')).toHaveLength(3)
})

describe('humans and runs that were started', () => {
  const guarded = withTools({ guardrails: { approvalTools: ['pay'] } })
  const pay: Turn = [{ tool: 'pay', args: {} }]

  async function decided(decision: 'approve' | 'reject'): Promise<string> {
    const { tools } = counting()
    const engine = await engineOf([pay, 'done'], tools)
    const runId = await begin(engine, guarded, { threadId: 'source' })
    const asked = await eventOf(register, runId, 'approval.requested')
    const { callId } = decisionSchemas['approval.requested'].parse(asked.payload)
    await engine.commands.answerApproval({ ...caller, runId, callId, decision, note: 'too much' })
    await outcomeOf(register, runId)
    return runId
  }

  test('nobody is asked again: what was approved is recalled', async () => {
    const again = await repeat(await decided('approve'), [pay, 'done'])
    expect(again).toMatchObject({ outcome: 'completed', done: [] })
    const asked = await eventsOf(again.runId, 'approval.requested', 'approval.skipped')
    expect(asked.map(({ type, tool }) => [type, tool])).toEqual([['approval.skipped', 'pay']])
    expect(await results(again.runId)).toMatchObject([{ content: [{ text: '1' }] }])
  })

  test('what was rejected is rejected, with the same words', async () => {
    const first = await decided('reject')
    const again = await repeat(first, [pay, 'done'])
    expect(again).toMatchObject({ outcome: 'completed', done: [] })
    const [said] = await eventsOf(first, 'call.denied')
    const [denied] = await eventsOf(again.runId, 'tool.denied')
    const { code, message } = said?.payload ?? {}
    expect(denied?.payload).toMatchObject({
      answer: { reasons: [{ code, message }] },
      recalled: { runId: first, seq: said?.seq },
    })
  })

  test('another guardrail denies before anything is looked up', async () => {
    const first = await source([next, 'done'])
    const stricter = withTools({ guardrails: { deniedTools: ['next'] } })
    const again = await repeat(first, [next, 'done'], { definition: stricter })
    expect(again.outcome).toBe('completed')
    expect(await eventsOf(again.runId, 'call.denied')).toHaveLength(1)
    expect(kindsOf(again.runId)).toEqual(['model.call', 'model.call'])
  })

  test('a run that a call has started answers by what it said; none is started again', async () => {
    const helper = agent([], { name: 'helper' })
    const starts = agent([{ ...toolSpec('task'), runs: 'helper' }])
    const engine = await engineOf(
      [[{ tool: 'task', args: { prompt: 'x' } }], 'done'],
      counting().tools,
      helper,
    )
    const first = await begin(engine, starts, { threadId: 'source' })
    await outcomeOf(register, first)
    const again = await repeat(first, [[{ tool: 'task', args: { prompt: 'x' } }], 'done'])
    expect(again.outcome).toBe('completed')
    const [ended] = await eventsOf(first, 'child.ended')
    expect(await results(again.runId)).toEqual([ended?.payload['output']])
    expect(await register.children(again.runId)).toEqual([])
  })
})

describe('the thread of a rerun', () => {
  test('begins with what the source had heard, and not with what came after', async () => {
    const engine = await engineOf(['a', 'b', 'c'], counting().tools)
    const ids: string[] = []
    for (const words of ['one', 'two', 'three']) {
      const runId = await begin(engine, withTools(), say(words))
      await outcomeOf(register, runId)
      ids.push(runId)
    }
    const [one = '', two = ''] = ids
    const again = await repeat(two, ['', 'otherwise'])
    expect(await heard(again.runId)).toBe(await heard(two))
    expect(await heard(again.runId)).toMatch(/one.*two/)
    expect(await heard((await repeat(one, ['x'])).runId)).toBe(await heard(one))
    // The run that goes on from the rerun hears it in the place of the source.
    const { threadId = '' } = (await register.head(again.runId)) ?? {}
    const after = await begin(engine, withTools(), { ...say('four'), threadId })
    await outcomeOf(register, after)
    expect(await heard(after)).toMatch(/one.*two.*four/)
  })

  test('has the long texts and the files that the recorded calls left', async () => {
    const long = 'x'.repeat(60_000)
    const bytes = Buffer.from('content')
    const tools: ToolHost = {
      ...counting().tools,
      call: async () => ({
        status: 'completed',
        output: { content: [{ type: 'text', text: long }], isError: false },
        files: [{ path: 'a.txt', bytes, executable: false }],
      }),
    }
    const engine = await engineOf([next, 'done'], tools)
    const first = await begin(engine, withTools(), say(long))
    await outcomeOf(register, first)
    const again = await repeat(first, [next, 'done'])
    expect(await results(again.runId)).toEqual(await results(first))
    const { threadId = '', tenantId = '' } = (await register.head(again.runId)) ?? {}
    const keys = JSON.stringify(await eventsOf(again.runId, 'run.created', 'tool.completed')).match(
      /(?<="key":")[0-9a-f]{64}/g,
    )
    // The input, the result, the file.
    expect(keys).toHaveLength(3)
    for (const key of keys ?? [])
      expect(register.tables.blobs.has(`${tenantId}\u0000${threadId}\u0000${key}`)).toBe(true)
    const files = await register.changedFiles(threadId, again.runId)
    expect(files.map(({ payload }) => payload['files'])).toMatchObject([[{ path: 'a.txt' }]])
  })
})

test('what cannot be repeated says why', async () => {
  const { tools } = counting()
  const engine = await engineOf(['done'], tools)
  const ask = async (runId: string, tenantId = caller.tenantId) =>
    (
      await engine.commands.rerun({
        ...caller,
        tenantId,
        runId,
        threadId: 'again',
        definition: null,
        metadata: {},
        alias: null,
      })
    ).code
  const edit = await begin(engine, withTools(), { input: [], edit: { messages: [] } })
  await outcomeOf(register, edit)
  expect(await ask(edit)).toBe('edit')
  const waits = await begin(engine, withTools(), { delayMs: 60_000 })
  expect(await ask(waits)).toBe('run_open')
  const first = await source(['done'])
  expect(await ask(first, 'other')).toBe('no_run')
  expect(await ask('01930000-0000-7000-8000-000000000000')).toBe('no_run')
})

describe('under guardrails that the source did not have', () => {
  /** By GitHub's format. Put together here, so that no scanner takes it for a real one. */
  const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  const stream = [{ use: 'secrets', toolResults: true }]
  const definition = withTools({ guardrails: { stream, recordsFailures: true } })
  const answers: readonly (readonly [string, () => Promise<string>])[] = [
    ['a result', async () => `The key is ${token}.`],
    ['a long result', async () => `${'word '.repeat(8_000)}${token}${' more'.repeat(8_000)}`],
    [
      'the words of a failure',
      async () => {
        throw new Error(`refused: ${token}`)
      },
    ],
  ]

  test.each(answers)('%s is redacted before the rerun records it', async (_name, answer) => {
    const engine = await engineOf([next, 'done'], functionTools({ next: answer }))
    const runId = await begin(engine, withTools(), { threadId: `source-${Math.random()}` })
    await outcomeOf(register, runId)
    expect(JSON.stringify(await register.events(runId, {})) + JSON.stringify(allBlobs())).toContain(
      token,
    )
    const before = allBlobs().length
    const again = await repeat(runId, [next, 'done'], { definition })
    expect(again.outcome).toBe('completed')
    const events = await register.events(again.runId, {})
    expect(JSON.stringify(events)).not.toContain(token)
    expect(JSON.stringify(allBlobs().slice(before))).not.toContain(token)
    expect(events.find(({ type }) => type === 'guardrail.redacted')?.payload).toMatchObject({
      kind: 'github-token',
      place: 'result',
    })
  })

  test('what holds nothing of the kind stays as it was recorded', async () => {
    const first = await source([next, 'done'])
    const again = await repeat(first, [next, 'done'], { definition })
    expect(await results(again.runId)).toEqual(await results(first))
  })
})
