/**
 * States of a thread, folded from events that stand here as the register would answer them. Would catch: half of a decision
 * in a state, a call without a verdict (I23), text that was taken back, a step that is counted twice.
 */
import type { JsonObject } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { describe, expect, it } from 'vitest'
import { parseCheckpointId } from '../src/wires/langgraph/checkpoint.ts'
import { ChatMessages } from '../src/wires/langgraph/messages.ts'
import { lastStep, stateOf } from '../src/wires/langgraph/state.ts'
import { foldSteps, stepHeads } from '../src/wires/langgraph/state-steps.ts'
import { currentState } from '../src/wires/langgraph/threads.ts'
import { headOf } from './support/followed.ts'

const runA = '01890000-0000-7000-8000-00000000000a'
const runB = '01890000-0000-7000-8000-00000000000b'

type Draft = readonly [type: string, payload: JsonObject, runId?: string]

/** The events of runs, in order: each run is numbered on its own. */
function log(...drafts: readonly Draft[]) {
  const seqs = new Map<string, number>()
  return drafts.map(([type, payload, runId = runA], at): StoredEvent => {
    const seq = (seqs.get(runId) ?? 0) + 1
    seqs.set(runId, seq)
    return {
      runId,
      seq,
      tenantId: 't',
      threadId: 'th',
      type,
      version: 1,
      at,
      actor: 'test',
      tool: null,
      verdict: null,
      key: null,
      payload,
      salt: 'aa',
      payloadHash: '',
      digest: '',
      hash: '',
    }
  })
}

const created = (text: string): JsonObject => ({
  agent: 'a',
  definitionHash: 'd',
  machine: 'run',
  machineVersion: 1,
  input: [{ id: `u_${text}`, role: 'user', parts: [{ type: 'text', text }] }],
  metadata: {},
})

const decided = (through: number, state: string, over: JsonObject = {}): JsonObject => ({
  from: 0,
  through,
  path: [state],
  outcome: null,
  effects: [],
  retries: [],
  timers: [],
  clearTimers: [],
  ...over,
})

const call = (id: string, args: JsonObject = { n: 1 }): JsonObject => ({
  type: 'tool_call',
  id,
  name: 'pay',
  args,
  argsHash: 'h',
})

const answered = (parts: readonly JsonObject[], verdict = 'complete'): JsonObject => ({
  effectId: 'e.1',
  attempt: 1,
  turn: {
    verdict,
    message: { id: 'm_1', role: 'assistant', parts: [...parts] },
    suppressed: [],
    evidence: [],
    finish: null,
    usage: {},
    provider: 'p',
    model: 'm',
  },
  callSet: '',
  durationMs: 1,
})

const text = (said: string): JsonObject => ({ type: 'text', text: said })
const begin = [
  ['run.created', created('Pay.')],
  ['run.transitioned', decided(1, 'model')],
] as const

const after = (...more: readonly Draft[]) => {
  const step = lastStep(log(...begin, ...more))
  if (!step) throw new Error('there is one')
  return stateOf('th', step)
}

const paid = { effectId: 'e.2', attempt: 1, callId: 'c_1', durationMs: 1 }
const stopped = { set: 's', tools: ['pay'], count: 5, messageId: 'm_1', text: 'I stop.' }

describe('the messages of a state', () => {
  const human = { type: 'human', content: 'Pay.' }
  it.each([
    [
      'show a call with its result',
      [
        ['model.completed', answered([text('I pay.'), call('c_1')])],
        ['run.transitioned', decided(3, 'tools')],
        [
          'tool.completed',
          { ...paid, output: { content: [text('paid')], isError: false, structured: { id: 7 } } },
        ],
        ['run.transitioned', decided(5, 'model')],
      ],
      [
        human,
        { content: 'I pay.', tool_calls: [{ id: 'c_1', name: 'pay', args: { n: 1 } }] },
        { type: 'tool', tool_call_id: 'c_1', content: 'paid', artifact: { id: 7 } },
      ],
    ],
    [
      'show no answer before its decision',
      [['model.completed', answered([text('I pay.'), call('c_1')])]],
      [human],
    ],
    [
      'show no fact that a later decision folds',
      [
        ['model.completed', answered([text('I pay.'), call('c_1')])],
        ['tool.completed', { ...paid, output: { content: [text('paid')], isError: false } }],
        ['run.transitioned', decided(3, 'tools')],
      ],
      [human, { tool_calls: [{ id: 'c_1' }] }],
    ],
    [
      'show no call without a positive verdict, and what is said instead',
      [
        ['model.completed', answered([text('I p'), call('c_1')], 'safety')],
        ['run.transitioned', decided(3, 'completed', { outcome: 'safety_stopped' })],
        [
          'safety.suppressed',
          { turn: 1, messageId: 'm_1', evidence: [], calls: [], explanation: '[Stopped.]' },
        ],
      ],
      [human, { content: 'I p\n\n[Stopped.]', tool_calls: [] }],
    ],
    [
      'show no call of an attempt that broke off',
      [
        ['model.completed', answered([text('I p'), call('c_1')], 'interrupted')],
        ['run.transitioned', decided(3, 'model')],
      ],
      [human, { content: 'I p', tool_calls: [] }],
    ],
    [
      'show what stopped a loop in the place of its calls',
      [
        ['model.completed', answered([call('c_1')])],
        ['run.transitioned', decided(3, 'completed', { outcome: 'loop_stopped' })],
        ['loop.stopped', stopped],
      ],
      [human, { content: 'I stop.', tool_calls: [] }],
    ],
    [
      'show the last attempt of a turn alone',
      [
        ['model.completed', answered([text('Hal')], 'interrupted')],
        ['run.transitioned', decided(3, 'model')],
        ['model.completed', answered([text('Hello.')])],
        ['run.transitioned', decided(5, 'completed', { outcome: 'completed' })],
      ],
      [human, { content: 'Hello.' }],
    ],
    [
      'show a denied call with the reason as its result',
      [
        ['model.completed', answered([call('c_1')])],
        ['run.transitioned', decided(3, 'model')],
        ['call.denied', { callId: 'c_1', tool: 'pay', code: 'closed', message: 'Not now.' }],
      ],
      [
        human,
        { tool_calls: [{ id: 'c_1' }] },
        { status: 'error', content: expect.stringMatching(/closed.*Not now/) },
      ],
    ],
  ] as const)('%s', (_name, more, expected) => {
    const { messages } = after(...more).values
    expect(messages).toMatchObject([...expected])
  })

  it('are none of an event that was erased', () => {
    const events = log(
      ...begin,
      ['model.completed', answered([text('Secret.')])],
      ['run.transitioned', decided(3, 'completed', { outcome: 'completed' })],
    )
    const erased = events.map((event) =>
      event.seq > 2 && event.type !== 'run.transitioned'
        ? { ...event, payload: {}, salt: '' }
        : event,
    )
    const step = lastStep(erased)
    expect(step?.messages).toMatchObject([{ content: 'Pay.' }])
    const chat = new ChatMessages()
    for (const event of erased) chat.take(event)
    expect(chat.list()).toMatchObject([{ content: 'Pay.' }])
    const lost = events.map((event) =>
      event.seq === 4 ? { ...event, payload: {}, salt: '' } : event,
    )
    expect(lastStep(lost)).toMatchObject({ n: -1, state: 'model' })
    expect(lastStep(events.map((event) => ({ ...event, payload: {}, salt: '' })))).toBeNull()
  })
})

const effect = (id: string, kind: string, over: JsonObject = {}): JsonObject => ({
  id,
  kind,
  mode: 'read',
  queue: 'q',
  delayMs: 0,
  ...over,
})
const modelCall = effect('e.1', 'model.call', { turn: 1, retry: 0, messageId: 'm_1' })
const asked = { callId: 'c_1', tool: 'pay', argsHash: 'h', approvalId: 'a_1', reason: 'Money.' }

describe('the tasks of a state', () => {
  it('are the effects that are open', () => {
    const open = after(
      ['policy.answered', {}],
      ['run.transitioned', decided(1, 'model', { effects: [modelCall] })],
    )
    expect(open).toMatchObject({ next: ['model'], tasks: [{ id: 'e.1', name: 'model' }] })
    const settled = after(
      ['run.transitioned', decided(1, 'model', { effects: [modelCall] })],
      ['model.completed', answered([text('Yes.')])],
      ['run.transitioned', decided(4, 'completed', { outcome: 'completed' })],
    )
    expect(settled).toMatchObject({ next: [], tasks: [] })
  })

  it('are what a human is asked, until he is not', () => {
    const asks = [
      ['model.completed', answered([call('c_1')])],
      ['run.transitioned', decided(3, 'approval')],
      ['approval.requested', { ...asked, expiresAt: 0 }],
    ] as const
    const value = { approval_id: 'a_1', tool: 'pay', args: { n: 1 }, description: 'Money.' }
    const waits = after(...asks)
    expect(waits.tasks).toMatchObject([{ name: 'approval', interrupts: [{ id: 'a_1', value }] }])
    const cancelled = after(...asks, ['run.transitioned', decided(3, 'cancelling')])
    expect(cancelled).toMatchObject({ next: [], tasks: [] })
    const expired = after(
      ...asks,
      ['run.transitioned', decided(3, 'model')],
      ['approval.expired', { callId: 'c_1', tool: 'pay', approvalId: 'a_1' }],
    )
    expect(expired.tasks).toEqual([])
  })
})

it('steps are counted over runs, from -1, each behind its parent', () => {
  const events = log(
    ...begin,
    ['run.transitioned', decided(1, 'completed', { outcome: 'failed' })],
    ['run.created', created('Again.'), runB],
    ['run.transitioned', decided(1, 'model'), runB],
  )
  const heads = stepHeads(events)
  expect(heads.map(({ n, isInput }) => [n, isInput])).toEqual([
    [-1, true],
    [0, false],
    [1, true],
  ])
  expect(heads.map(({ parentId }) => parentId)).toEqual([null, heads[0]?.id, heads[1]?.id])
  const ids = heads.map(({ id }) => id)
  expect(ids).toEqual(ids.toSorted())
  expect(ids.map(parseCheckpointId)).toEqual([
    { runId: runA, seq: 2 },
    { runId: runA, seq: 3 },
    { runId: runB, seq: 2 },
  ])
  for (const nonsense of ['', 'x', runA, `${runA}-2`, `${runA}-000002 `])
    expect(parseCheckpointId(nonsense)).toBeNull()
  const [first, second, third] = foldSteps(events, heads)
  expect(first && stateOf('th', first).next).toEqual(['model'])
  expect(second && stateOf('th', second).tasks).toMatchObject([{ error: expect.any(String) }])
  expect(third?.messages).toMatchObject([{ content: 'Pay.' }, { content: 'Again.' }])
})

describe('a run that ends while its thread is read', () => {
  const before = log(...begin)
  const place = { tenantId: 't', threadId: 'th' }
  const reading = (pages: readonly (readonly StoredEvent[])[]) => {
    let reads = 0
    return {
      threadEvents: async () => pages[Math.min(reads++, pages.length - 1)] ?? [],
      run: async () => headOf(before, 'ended'),
      approvals: async () => [],
      inputs: async () => [],
      waiting: async () => ({ runs: [], unknown: [] }),
      listedRun: async () => null,
    }
  }

  it('is shown with its end: nothing would take back what comes next', async () => {
    const end: Draft = ['run.transitioned', decided(1, 'cancelled', { outcome: 'cancelled' })]
    const state = await currentState(reading([before, log(...begin, end)]), place)
    expect(state).toMatchObject({ next: [], checkpoint: { checkpoint_id: `${runA}-000003` } })
  })

  it('has nothing next, even where its end was erased', async () => {
    expect((await currentState(reading([before]), place)).next).toEqual([])
  })
})
