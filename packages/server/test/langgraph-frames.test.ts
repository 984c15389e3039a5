/**
 * The projection of a run to LangGraph's frames, over logs of every outcome and over text that streams. Would catch: a frame
 * that a resume loses or repeats, wherever it happens; text that is shown twice; a withdrawn try that stays.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { JsonObject } from '@signalbox/core'
import type { LiveText, StoredEvent } from '@signalbox/engine'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ChatMessages } from '../src/wires/langgraph/messages.ts'
import { StreamMode } from '../src/wires/langgraph/stream/modes.ts'
import { event, follow, runId, type Script, type SseFrame, type Told } from './support/followed.ts'

const folder = new URL('../../../test/replay/logs/', import.meta.url)
const Log = z.object({
  run: z.string(),
  events: z.array(z.object({ seq: z.number(), type: z.string(), payload: z.json() })),
})
const logs = readdirSync(folder).filter((name) => name.endsWith('.json'))

function eventsOf(name: string): readonly StoredEvent[] {
  const { run, events } = Log.parse(JSON.parse(readFileSync(new URL(name, folder), 'utf8')))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the register stores objects only
  return events.map(({ seq, ...told }) => event(seq, told as Told, run))
}

const modes = StreamMode.options

async function all(frames: AsyncIterable<SseFrame>): Promise<SseFrame[]> {
  const list: SseFrame[] = []
  for await (const { id, event: name, data } of frames) list.push({ id, event: name, data })
  return list
}

const lastValues = (frames: readonly SseFrame[]) =>
  frames.findLast((frame) => frame.event === 'values')?.data

describe('a log of each outcome', () => {
  it.each(logs)('%s is shown once, however its stream is cut', async (name) => {
    const events = eventsOf(name)
    const [script, past] = [[events], 1]
    const frames = await all(follow({ modes, script, past }))
    expect(frames[0]?.event).toBe('metadata')
    expect(frames.filter(({ event: each }) => each === 'end')).toHaveLength(1)
    expect(frames.at(-1)?.event).toBe('end')
    expect(new Set(frames.map(({ id }) => id)).size).toBe(frames.length)
    const chat = new ChatMessages()
    for (const each of events) chat.take(each)
    const said = chat.list().map(({ content }) => content)
    const shown = lastValues(frames).messages.map(({ content }: { content: string }) => content)
    expect(said).toEqual(expect.arrayContaining(shown))
    for (let n = 0; n < frames.length; n += 1 + Math.floor(frames.length / 12)) {
      const rest = await all(follow({ modes, script, past, after: frames[n]?.id ?? '' }))
      expect(rest).toEqual(frames.slice(n + 1))
    }
  })
})

const messageId = `m_${runId.slice(-12)}_1`
const call = (retry: number) => ({
  kind: 'model.call',
  id: `${runId}.${retry + 1}`,
  mode: 'idempotent',
  queue: 'model',
  delayMs: 0,
  turn: 1,
  retry,
  messageId,
})
const decision = (
  path: readonly string[],
  through: number,
  over: { readonly outcome?: string; readonly effects?: object[] } = {},
): Told => ({
  type: 'run.transitioned',
  payload: JSON.parse(
    JSON.stringify({
      from: 0,
      through,
      path,
      outcome: null,
      effects: [],
      retries: [],
      timers: [],
      clearTimers: [],
      ...over,
    }),
  ),
})
const created: Told = {
  type: 'run.created',
  payload: {
    agent: 'writer',
    definitionHash: '',
    machine: 'run',
    machineVersion: 1,
    input: [{ id: 'u_1', role: 'user', parts: [{ type: 'text', text: 'Write.' }] }],
    metadata: {},
  },
}
const admitted: Told = { type: 'run.admitted', payload: {} }
const completed = (
  retry: number,
  text: string,
  verdict = 'complete',
  calls: readonly { readonly name: string; readonly args: JsonObject }[] = [],
): Told => ({
  type: 'model.completed',
  payload: {
    effectId: `${runId}.${retry + 1}`,
    attempt: 1,
    turn: {
      verdict,
      message: {
        id: messageId,
        role: 'assistant',
        parts: [
          { type: 'text', text },
          ...calls.map((each, n) => ({
            ...each,
            type: 'tool_call',
            id: `c_1_${n}`,
            argsHash: 'h',
          })),
        ],
      },
      suppressed: [],
      evidence: [],
      finish: null,
      usage: {},
      provider: 'p',
      model: 'm',
    },
    callSet: '',
    durationMs: 1,
  },
})
const retried: Told = {
  type: 'model.retried',
  payload: { turn: 1, retry: 1, class: 'network', message: 'x', delayMs: 0 },
}
const piece = (attempt: number, offset: number, text: string): LiveText => ({
  messageId,
  attempt,
  offset,
  text,
})

/** Two tries of one message, with text in pieces, and with a worker that vanished in the middle of the second. */
const script: Script = [
  [event(1, created), event(2, admitted)],
  [event(3, decision(['queued', 'model'], 2, { effects: [call(0)] }))],
  piece(1, 0, 'bro'),
  piece(1, 3, 'ken'),
  [event(4, completed(0, 'broken words', 'interrupted'))],
  [event(5, decision(['model', 'model'], 4, { effects: [call(1)] })), event(6, retried)],
  piece(1001, 0, 'He'),
  piece(1001, 2, 'llo'),
  piece(1002, 0, 'Good '),
  piece(1002, 5, 'day'),
  [
    event(7, {
      ...completed(1, 'Good day to you'),
      payload: { ...completed(1, 'Good day to you').payload, attempt: 2 },
    }),
    event(8, decision(['model', 'completed'], 7, { outcome: 'completed' })),
  ],
]

/** What a client has that joins pieces by their ids, and obeys removals. */
function joined(frames: readonly SseFrame[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const { event: name, data } of frames) {
    if (name !== 'messages') continue
    const [{ id, type, content }] = data
    if (type === 'remove') texts.delete(id)
    else texts.set(id, (texts.get(id) ?? '') + content)
  }
  return texts
}

/** Frames that do not depend on when a client was there. */
const lasting = ({ event: name }: SseFrame) => !/^message|^events|reset/.test(name)

describe('text that streams', () => {
  const asked = [
    [['messages-tuple']],
    [['messages-tuple', 'messages', 'events', 'signalbox', 'values', 'updates']],
  ] as const satisfies readonly (readonly [readonly StreamMode[]])[]

  it.each(asked)('in $0 … is put together to the message, however it is cut', async (wish) => {
    const frames: (SseFrame & { happened: number })[] = []
    for await (const frame of follow({ modes: wish, script, past: 0 })) frames.push(frame)
    expect(joined(frames)).toEqual(new Map([[messageId, 'Good day to you']]))
    const removed = frames.filter(
      ({ event: name, data }) => name === 'messages' && data[0].type === 'remove',
    )
    const states = frames.filter(({ event: name }) => name === 'values' || name === 'updates')
    expect(JSON.stringify(states)).not.toContain('broken')
    // The first try, and what the worker wrote that vanished.
    expect(removed).toHaveLength(2)
    expect(frames.at(-1)?.id).toMatch(/^8\.\d+$/)
    for (const [n, { id, happened }] of frames.entries())
      for (const past of [happened, script.length]) {
        const rest = await all(follow({ modes: wish, script, past, after: id }))
        const whole = [...frames.slice(0, n + 1), ...rest]
        expect(joined(whole)).toEqual(joined(frames))
        expect(new Set(whole.map((frame) => frame.id)).size).toBe(whole.length)
        expect(whole.filter(lasting).map(({ data }) => data)).toEqual(
          frames.filter(lasting).map(({ data }) => data),
        )
      }
  })
})

/** A call that a human must approve, up to there. */
const asks: Script = [
  [event(1, created), event(2, admitted)],
  [event(3, decision(['queued', 'model'], 2, { effects: [call(0)] }))],
  piece(1, 0, 'I pay'),
  [
    event(4, completed(0, 'I pay.', 'complete', [{ name: 'pay', args: { sum: 20 } }])),
    event(5, decision(['model', 'safety', 'guardrail', 'approval'], 4)),
    event(6, {
      type: 'approval.requested',
      payload: { callId: 'c_1_0', tool: 'pay', argsHash: 'h', approvalId: 'a_1' },
    }),
  ],
]

const paying = { type: 'tool_call', id: 'c_1_0', name: 'pay', args: { sum: 20 } }
const human = { type: 'human', id: 'u_1', content: 'Write.' }
const ai = { type: 'ai', id: messageId, content: 'I pay.', tool_calls: [paying] }
const interrupt = [{ id: 'a_1', value: { tool: 'pay' } }]
const checkpointAt = (seq: number) => ({
  configurable: { thread_id: 't', checkpoint_ns: '', checkpoint_id: `${runId}-00000${seq}` },
})
const input = { message_id: messageId }
const modelTask = { id: `${runId}.1`, name: 'model' }
const checkpoints = [
  {
    config: checkpointAt(3),
    parent_config: null,
    next: ['model'],
    metadata: { source: 'input', step: -1 },
    values: { messages: [human] },
    tasks: [modelTask],
  },
  {
    config: checkpointAt(5),
    parent_config: checkpointAt(3),
    next: ['approval'],
    metadata: { source: 'loop', step: 0 },
    values: { messages: [human, ai] },
    tasks: [],
  },
]
const tasks = [
  { ...modelTask, input },
  { ...modelTask, result: [['messages', [ai]]] },
]
const chunk = (content: string, calls: object[] = []) => ({
  type: 'AIMessageChunk',
  id: messageId,
  content,
  tool_calls: calls,
})

/** What each mode shows of it between `metadata` and `end`. */
const shown: readonly (readonly [StreamMode, readonly (readonly [string, unknown])[]])[] = [
  [
    'values',
    [
      ['values', { messages: [human], outcome: null }],
      ['values', { messages: [human, ai], outcome: null }],
      ['values', { messages: [human, ai], __interrupt__: interrupt }],
    ],
  ],
  [
    'updates',
    [
      ['updates', { model: { messages: [ai] } }],
      ['updates', { __interrupt__: interrupt }],
    ],
  ],
  [
    'messages-tuple',
    [
      ['messages', [chunk('I pay'), { langgraph_node: 'model', run_id: runId, thread_id: 't' }]],
      ['messages', [chunk('.', [paying]), { langgraph_node: 'model' }]],
    ],
  ],
  [
    'messages',
    [
      ['messages/metadata', { [messageId]: { metadata: { langgraph_node: 'model' } } }],
      ['messages/partial', [{ type: 'ai', id: messageId, content: 'I pay', tool_calls: [] }]],
      ['messages/partial', [ai]],
      ['messages/complete', [ai]],
    ],
  ],
  ['custom', []],
  [
    'events',
    [
      ['events', { event: 'on_chat_model_start', data: { input } }],
      ['events', { event: 'on_chat_model_stream', data: { chunk: chunk('I pay') } }],
      ['events', { event: 'on_chat_model_stream', data: { chunk: chunk('.') } }],
      ['events', { event: 'on_chat_model_end', data: { output: ai } }],
    ],
  ],
  ['tasks', tasks.map((task) => ['tasks', task] as const)],
  ['checkpoints', checkpoints.map((each) => ['checkpoints', each] as const)],
  [
    'debug',
    [
      ['debug', { type: 'checkpoint', step: -1, payload: checkpoints[0] }],
      ['debug', { type: 'task', step: -1, payload: tasks[0] }],
      ['debug', { type: 'task_result', step: 0, payload: tasks[1] }],
      ['debug', { type: 'checkpoint', step: 0, payload: checkpoints[1] }],
    ],
  ],
]

describe('a run that asks a human', () => {
  it.each(shown)('in the mode %s', async (mode, expected) => {
    const frames = await all(follow({ modes: [mode], script: asks, past: 0, status: 'waiting' }))
    const between = frames.slice(1, -1)
    expect(between.map((frame) => frame.event)).toEqual(expected.map(([name]) => name))
    for (const [n, [, data]] of expected.entries())
      expect(between[n]?.data).toMatchObject(Object(data))
    expect(frames[0]?.data).toMatchObject({ run_id: runId, attempt: 1 })
    expect(frames.at(-1)).toMatchObject({ event: 'end', data: { status: 'interrupted' } })
  })

  it('shows no call that a verdict took out again', async () => {
    const refused: Script = [
      ...asks.slice(0, 3),
      [
        event(4, completed(0, 'I pay.', 'complete', [{ name: 'pay', args: { sum: 20 } }])),
        event(5, decision(['model', 'guardrail', 'completed'], 4, { outcome: 'loop_stopped' })),
        event(6, {
          type: 'loop.stopped',
          payload: { set: 's', tools: ['pay'], count: 5, messageId, text: 'I stop here.' },
        }),
      ],
    ]
    const others = modes.filter((mode) => mode !== 'signalbox')
    const frames = await all(follow({ modes: others, script: refused, past: 0 }))
    expect(JSON.stringify(frames)).not.toContain('sum')
    expect(joined(frames)).toEqual(new Map([[messageId, 'I pay.\n\nI stop here.']]))
  })
})

/** A letter for each frame of a mode, so that their order is a word. */
function letterOf({ event: name, data }: SseFrame): string {
  if (name === 'tasks') return 'result' in data ? 'T' : 't'
  if (name === 'debug') return data.type === 'checkpoint' ? 'K' : data.type === 'task' ? 'd' : 'D'
  const letters: Readonly<Record<string, string>> = {
    events: 'e',
    'messages/metadata': 'm',
    'messages/partial': 'p',
    'messages/complete': 'c',
    updates: 'u',
    values: 'v',
    checkpoints: 'k',
    error: 'x',
  }
  return letters[name] ?? ''
}
const wordOf = (frames: readonly SseFrame[]): string => frames.map(letterOf).join('')

/*
 * As `@langchain/langgraph` 1.7 emits them, step by step: what tasks say, their updates and results, the state, its checkpoint, the
 * tasks that begin. `@langchain/langgraph-api` 2.0 passes them on, puts `messages/complete` right behind the state that has the
 * message, and an event of LangChain before the message that it adds to.
 */
describe('several modes at once', () => {
  const mixed = modes.filter((mode) => mode !== 'signalbox' && mode !== 'messages-tuple')

  it.each(logs)('%s comes in the order of the server of LangGraph', async (name) => {
    const frames = await all(follow({ modes: mixed, script: [eventsOf(name)], past: 1 }))
    expect(wordOf(frames)).toMatch(/^(?:[emp]*u*(?:TD)*(?:vc*)?kK(?:tde)*)*x?$/)
    // The last part of a message is the message.
    const partial = new Map<string, string>()
    const lacking = frames.filter(({ event: kind, data }) => {
      if (kind === 'messages/partial') partial.set(data[0].id, data[0].content)
      if (kind !== 'messages/complete' || data[0].type !== 'ai') return false
      return data[0].content !== partial.get(data[0].id)
    })
    expect(lacking).toEqual([])
  })

  it('ends with the last message, where whole messages and states are asked for', async () => {
    const asked = { modes: ['messages', 'values'], script, past: 0 } as const
    expect(wordOf(await all(follow(asked)))).toMatch(/pvc$/)
  })

  it('tells of each piece of text before the message that it adds to', async () => {
    const frames = await all(follow({ modes: ['messages', 'events'], script, past: 0 }))
    const pieces = frames.filter(
      ({ event: name, data }) =>
        (name === 'events' && data.event === 'on_chat_model_stream') ||
        name === 'messages/metadata' ||
        (name === 'messages/partial' && data[0].type === 'ai'),
    )
    expect(wordOf(pieces)).toMatch(/^(?:em?p)+$/)
    expect(pieces.length).toBeGreaterThan(8)
  })
})
