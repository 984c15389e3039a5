/**
 * What streams and reports show of a log whose contents were erased, event by event. Would catch: an answer that breaks off, or a
 * 500, because of one event whose words are gone; a call whose run was stopped, told as one that finished.
 */
import { eventTypes, exampleOf, type JsonObject, JsonObjectSchema } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { describe, expect, it } from 'vitest'
import { callsIn } from '../src/http/wire/run-report.ts'
import { webhookDeliveries } from '../src/http/wire/webhook-view.ts'
import { ownEvent } from '../src/stream/run-stream.ts'
import { StepResets } from '../src/stream/step-resets.ts'
import { Questions } from '../src/wires/ag-ui/questions.ts'
import { noticeOf } from '../src/wires/ag-ui/stream/notices.ts'
import { Subagents } from '../src/wires/ag-ui/stream/subagents.ts'
import { UsedTokens } from '../src/wires/ag-ui/stream/usage.ts'

const runId = '01890000-0000-7000-8000-00000000000a'

const event = (type: string, payload: JsonObject, seq = 1): StoredEvent => ({
  runId,
  seq,
  tenantId: 't',
  threadId: 'th',
  type,
  version: 1,
  at: 0,
  actor: 'test',
  tool: null,
  verdict: null,
  key: null,
  payload,
  salt: 'aa',
  payloadHash: '',
  digest: '',
  hash: '',
})

/** As the register reads it where payload and salt are null. */
const erased = (type: string): StoredEvent => ({ ...event(type, {}), salt: '' })
const whole = (type: (typeof eventTypes)[number]): StoredEvent =>
  event(type, JsonObjectSchema.parse(exampleOf(type)))

describe.each(eventTypes)('an event %s', (type) => {
  const gone = erased(type)

  it.each([
    ['our own stream', (seen: StoredEvent) => ownEvent(seen, new StepResets().see(seen))],
    ['a notice of AG-UI', noticeOf],
    ['the tokens of AG-UI', (seen: StoredEvent) => new UsedTokens().see(seen)],
    ['the subagents of AG-UI', (seen: StoredEvent) => new Subagents().see(seen)],
    ['the questions of AG-UI', (seen: StoredEvent) => new Questions().see(seen)],
    ['the report', (seen: StoredEvent) => callsIn([seen], null)],
    ['the deliveries', (seen: StoredEvent) => webhookDeliveries([seen])],
  ] as const)('is taken by %s with its words and without them', (_name, take) => {
    expect(() => take(whole(type))).not.toThrow()
    expect(() => take(gone)).not.toThrow()
  })

  it('is shown without its words where they are gone', () => {
    expect(ownEvent(gone, null)).toMatchObject([{ event: type, data: { seq: 1, payload: {} } }])
  })
})

const call = { type: 'tool_call', id: 'c_1', name: 'agent__helper', args: {}, argsHash: 'h' }
const asked = event('model.completed', {
  effectId: 'e.1',
  attempt: 1,
  turn: {
    verdict: 'complete',
    message: { id: 'm_1', role: 'assistant', parts: [call] },
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
const ended = (outcome: string): StoredEvent => {
  const example = JsonObjectSchema.parse(exampleOf('child.ended'))
  return event('child.ended', { ...example, callId: 'c_1', outcome }, 2)
}

it.each([
  ['completed', 'finished'],
  // What it was told to do stopped in the middle.
  ['cancelled', 'aborted'],
  ['rolled_back', 'aborted'],
  ['failed', 'failed'],
  ['timed_out', 'failed'],
  ['interrupted', 'failed'],
  ['budget_exhausted', 'failed'],
])('a call whose run ended as %s is %s', (outcome, status) => {
  expect(callsIn([asked, ended(outcome)], null)).toMatchObject([{ call_id: 'c_1', status }])
})

const decided = event('run.transitioned', {
  from: 2,
  through: 2,
  path: ['tools'],
  outcome: null,
  effects: [
    {
      id: 'e.2',
      kind: 'tool.call',
      source: 'e.1',
      callId: 'c_1',
      tool: 'pay',
      argsHash: 'h',
      mode: 'once',
      toolVersion: '1',
      timeoutMs: 1,
      queue: 'q',
      delayMs: 0,
    },
  ],
  retries: [],
  timers: [],
  clearTimers: [],
})
const began = event('effect.started', JsonObjectSchema.parse(exampleOf('effect.started')))
const attempt = { ...began, payload: { ...began.payload, effectId: 'e.2', attempt: 1 } }
const gone = (type: string, verdict: string, key = 'e.2'): StoredEvent => ({
  ...erased(type),
  key,
  verdict,
})

it.each<[string, string, string, string?]>([
  ['finished', 'tool.completed', 'ok'],
  ['failed', 'tool.failed', 'failed'],
  ['denied', 'tool.denied', 'denied'],
  ['recalled', 'tool.completed', 'recalled'],
  ['aborted', 'tool.aborted', 'aborted'],
  ['unknown', 'tool.unknown', 'unknown', 'e.2:unknown:1'],
  ['finished', 'tool.resolved', 'happened'],
  ['never_started', 'tool.resolved', 'not_happened'],
])('a call is %s whose end, without its words, is a %s (%s)', (status, type, verdict, key) => {
  const events = [asked, decided, attempt, gone(type, verdict, key)]
  expect(callsIn(events, 'cancelled')).toMatchObject([{ call_id: 'c_1', status, attempts: 1 }])
})

it('a call that had begun is unknown where its run faulted in the middle of it', () => {
  expect(callsIn([asked, decided, attempt], 'failed')).toMatchObject([{ status: 'unknown' }])
  expect(callsIn([asked, decided], 'failed')).toMatchObject([{ status: 'never_started' }])
})
