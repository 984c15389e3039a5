/**
 * The projection of a run to a message of the AI SDK, over logs of every outcome and over text that streams. Would catch: a
 * part that is none of the protocol, a call that never settles or does so twice, text that depends on who was there.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { AssistantPart } from '@signalbox/core'
import type { LiveText, RunHead, StoredEvent } from '@signalbox/engine'
import { readUIMessageStream, type UIMessage, type UIMessageChunk, uiMessageChunkSchema } from 'ai'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Chunk } from '../src/wires/ai-sdk/chunk.ts'
import { isVerdict, Projection } from '../src/wires/ai-sdk/projection.ts'
import { MessageStep } from '../src/wires/ai-sdk/step.ts'
import { ChatMessages } from '../src/wires/langgraph/messages.ts'
import { event, headOf, type Told } from './support/followed.ts'

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

function tell(events: readonly StoredEvent[], ends = true): readonly Chunk[] {
  const projection = new Projection()
  const chunks: Chunk[] = []
  for (const each of events) {
    if (!isVerdict(each)) chunks.push(...projection.flush())
    projection.see(each)
  }
  chunks.push(...projection.flush())
  return [...chunks, ...(ends ? projection.end(endOf(events)) : projection.pause())]
}

/** As the log says; a log without an end was cancelled. */
const endOf = (events: readonly StoredEvent[]): RunHead => {
  const head = headOf(events, 'ended')
  return { ...head, outcome: head.outcome ?? 'cancelled' }
}

/** The parts as a client gets them. */
async function sent(chunks: readonly Chunk[]): Promise<readonly UIMessageChunk[]> {
  const { validate } = uiMessageChunkSchema()
  const start = { type: 'start', messageId: 'm' }
  return Promise.all(
    [start, ...chunks].map(async (chunk) => {
      const checked = await validate?.(JSON.parse(JSON.stringify(chunk)))
      if (!checked?.success) throw new Error(JSON.stringify(chunk), { cause: checked?.error })
      return checked.value
    }),
  )
}

const onError = () => {}

/** The message that the SDK makes of them. */
async function message(chunks: readonly Chunk[]): Promise<UIMessage> {
  const parts = await sent(chunks)
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
  let last: UIMessage | undefined
  // It answers one object for ever, and goes on writing it.
  for await (const each of readUIMessageStream({ stream, onError })) last = structuredClone(each)
  if (!last) throw new Error('no message')
  return last
}

const bare = (text: string): string => text.replaceAll(/\s+/g, '')
const settled = new Set(['tool-output-available', 'tool-output-error', 'tool-output-denied'])

describe('a log of each outcome', () => {
  it.each(logs)('%s is a message whose calls have all settled, once', async (name) => {
    const events = eventsOf(name)
    const chunks = tell(events)
    const ids = (types: ReadonlySet<string>) =>
      chunks.flatMap((chunk) =>
        types.has(chunk.type) && 'toolCallId' in chunk ? [chunk.toolCallId] : [],
      )
    const shown = ids(new Set(['tool-input-available']))
    expect(ids(settled).toSorted()).toEqual([...new Set(shown)].toSorted())
    const last = chunks.at(-1)?.type ?? ''
    const outcome = name.replace(/^v1-([a-z_]+)-.*$/, '$1')
    const expected = /^(cancelled|rolled_back)$/.test(outcome)
      ? 'abort'
      : /^(failed|interrupted|timed_out)$/.test(outcome)
        ? 'error'
        : 'finish'
    expect([outcome, last]).toEqual([outcome, expected])
    expect(chunks.filter(({ type }) => type === 'reset-step')).toEqual([])
    const { parts } = await message(chunks)
    const texts = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const chat = new ChatMessages()
    for (const each of events) chat.take(each)
    const said = chat.list().flatMap(({ type, content }) => (type === 'ai' ? [content] : []))
    expect(bare(texts)).toBe(bare(said.join('')))
  })

  it('says nothing when it was erased', () => {
    const erased = eventsOf(logs[0] ?? '').map((each) => ({ ...each, salt: '' }))
    expect(tell(erased, false).map(({ type }) => type)).toEqual(['finish'])
  })
})

const live = (step: MessageStep, pieces: readonly Omit<LiveText, 'messageId'>[]) =>
  pieces.flatMap((each) => step.say({ messageId: 'm_1', ...each }))

describe('text of a turn', () => {
  const piece = fc.record({
    attempt: fc.integer({ min: 1, max: 3 }),
    offset: fc.integer({ min: 0, max: 12 }),
    text: fc.string({ maxLength: 8 }),
  })
  const part = fc.record({
    type: fc.constantFrom('text' as const, 'reasoning' as const),
    text: fc.string({ maxLength: 12 }),
  })

  it('is that of the register, whatever was shown of it before', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece),
        fc.array(part),
        fc.boolean(),
        async (pieces, parts, own) => {
          const told = async (before: typeof pieces) => {
            const step = new MessageStep()
            const chunks = [...step.begin('m_1'), ...live(step, before)]
            const whole: readonly AssistantPart[] = parts
            chunks.push(
              ...step.complete('m_1', whole),
              ...(own ? step.speak('m_1', 'Because.') : []),
            )
            const { parts: shown } = await message([...chunks, ...step.end()])
            // A step of which nothing is left is told, or not.
            return shown.filter(({ type }) => type !== 'step-start')
          }
          expect(await told(pieces)).toEqual(await told([]))
        },
      ),
      { numRuns: 150 },
    )
  })

  it('is shown live once, and goes on where it was', async () => {
    const step = new MessageStep()
    const said = { messageId: 'm_1', attempt: 1 }
    const chunks = [
      ...step.begin('m_1'),
      ...step.say({ ...said, offset: 0, text: 'One ' }),
      // Repeated for those who come late, with more.
      ...step.say({ ...said, offset: 0, text: 'One two ' }),
      ...step.say({ ...said, offset: 4, text: 'two three' }),
      ...step.complete('m_1', [{ type: 'text', text: 'One two three four' }]),
    ]
    const deltas = chunks.flatMap((chunk) => (chunk.type === 'text-delta' ? [chunk.delta] : []))
    expect(deltas).toEqual(['One ', 'two ', 'three', ' four'])
    expect((await message([...chunks, ...step.end()])).parts).toMatchObject([
      { type: 'step-start' },
      { text: 'One two three four', state: 'done' },
    ])
  })

  it('is that of the newest attempt while it is written, without what is missing in between', async () => {
    const step = new MessageStep()
    const pieces = [
      { attempt: 1, offset: 0, text: 'first' },
      { attempt: 2, offset: 0, text: 'sec' },
      { attempt: 1, offset: 0, text: 'first late' },
      { attempt: 2, offset: 9, text: 'far' },
      { attempt: 2, offset: 3, text: 'ond' },
    ]
    const { parts } = await message([...step.begin('m_1'), ...live(step, pieces)])
    expect(parts).toMatchObject([{ type: 'step-start' }, { text: 'second' }])
  })
})

const messageId = 'm_00000000000a_1'
const decision = (through: number, over: object = {}): Told => ({
  type: 'run.transitioned',
  payload: JSON.parse(
    JSON.stringify({
      from: 0,
      through,
      path: ['model'],
      outcome: null,
      effects: [],
      retries: [],
      timers: [],
      clearTimers: [],
      ...over,
    }),
  ),
})
const call = (retry: number) => ({
  kind: 'model.call',
  id: `r.${retry + 1}`,
  mode: 'idempotent',
  queue: 'model',
  delayMs: 0,
  turn: 1,
  retry,
  messageId,
})
const asking = { type: 'tool_call', id: 'c_1', name: 'pay', args: { to: 'Xerxes' }, argsHash: 'h' }
const completed = (parts: readonly object[], verdict = 'complete'): Told => ({
  type: 'model.completed',
  payload: JSON.parse(
    JSON.stringify({
      effectId: 'r.1',
      attempt: 1,
      turn: {
        verdict,
        message: { id: messageId, role: 'assistant', parts },
        suppressed: [],
        evidence: [],
        finish: null,
        usage: {},
        provider: 'p',
        model: 'm',
      },
      callSet: '',
      durationMs: 1,
    }),
  ),
})
const about = { callId: 'c_1', tool: 'pay', argsHash: 'h', approvalId: 'a_1' }
const retried = { turn: 1, retry: 1, class: 'network', message: 'x', delayMs: 0 }
const answered: Told = { type: 'approval.answered', payload: { ...about, decision: 'approve' } }
const stored = (told: readonly Told[]) => told.map((each, n) => event(n + 1, each))
const typesOf = (chunks: readonly Chunk[]) => chunks.map(({ type }) => type)

describe('a decision', () => {
  const asked: readonly Told[] = [
    decision(0, { effects: [call(0)] }),
    completed([asking]),
    decision(2),
    { type: 'approval.requested', payload: about },
  ]

  it('shows a call when it was seen whole, and nothing that it did not fold', () => {
    const before = typesOf(tell(stored(asked.slice(0, 2)), false))
    expect(before).toEqual(['start-step', 'finish-step', 'finish'])
    // Somebody has answered; no decision has folded that yet.
    const chunks = typesOf(tell(stored([...asked, answered, decision(2)]), false))
    expect(chunks.slice(1, 3)).toEqual(['tool-input-available', 'tool-approval-request'])
    expect(chunks).not.toContain('tool-approval-response')
  })

  it('that came too late for an answer shows that nobody answered', () => {
    const late: readonly Told[] = [
      answered,
      decision(5),
      { type: 'approval.expired', payload: about },
      { type: 'call.denied', payload: { ...about, code: 'expired', message: 'Too late.' } },
      { type: 'event.ignored', payload: { seq: 5, type: 'approval.answered', state: 'approval' } },
    ]
    const chunks = tell(stored([...asked, ...late]), false)
    expect(chunks.filter(({ type }) => type === 'tool-approval-response')).toMatchObject([
      { approvalId: 'a_1', approved: false },
    ])
    expect(typesOf(chunks)).toContain('tool-output-denied')
  })

  it('withdraws the text of an attempt that does not count, and so does an end', () => {
    const [begun] = stored(asked)
    const again = stored([
      ...asked.slice(0, 1),
      completed([{ type: 'text', text: 'sh' }], 'error'),
      decision(2, { effects: [call(1)] }),
      { type: 'model.retried', payload: retried },
    ])
    const shown = (events: readonly StoredEvent[]) => {
      const projection = new Projection()
      if (begun) projection.see(begun)
      projection.flush()
      projection.say({ messageId, attempt: 1, offset: 0, text: 'sh' })
      for (const each of events) projection.see(each)
      return projection
    }
    expect(typesOf(shown(again.slice(1)).flush())).toEqual(['reset-step'])
    const cancelled = headOf(stored([decision(2, { outcome: 'cancelled' })]), 'ended')
    expect(typesOf(shown([]).end(cancelled))).toEqual([
      'reset-step',
      'finish-step',
      'message-metadata',
      'abort',
    ])
  })

  it('never shows a call whose turn did not close well, or for which it speaks', () => {
    for (const verdict of ['safety', 'length', 'interrupted', 'unknown_terminal'])
      expect(
        JSON.stringify(
          tell(stored([...asked.slice(0, 1), completed([asking], verdict), decision(2)])),
        ),
      ).not.toContain('Xerxes')
    const stop: Told = {
      type: 'loop.stopped',
      payload: { set: 's', tools: ['pay'], count: 5, messageId, text: 'It goes in circles.' },
    }
    const chunks = JSON.stringify(tell(stored([...asked.slice(0, 3), stop]), false))
    expect(chunks).toContain('It goes in circles.')
    expect(chunks).not.toContain('Xerxes')
  })
})
