/**
 * Streams that nobody has published: a recorded prefix, cut in the middle, with another ending spliced on. The oracle is
 * simple: what was cut or added to must never execute.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StreamVerdict } from '@signalbox/core'
import type { Wire } from '../src/observer/wires.ts'
import { ask, callsOf, streamReply, tool } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import {
  loadRecordings,
  providersOf,
  readBytes,
  readEvents,
  skipReason,
  terminalIndex,
} from './support/recordings.ts'
import { contentType, encodeEvent, type Event } from './support/wire-bytes.ts'
import { terminal } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const recordings = loadRecordings()
const cases = recordings
  .filter(({ toolCalls, incompleteToolCalls: cut }) => toolCalls.length + cut.length > 0)
  .map((recording) => ({ name: recording.file, recording }))

const reasons: Readonly<Record<Wire, Readonly<Record<'safety' | 'length' | 'odd', string>>>> = {
  chat: { safety: 'content_filter', length: 'length', odd: 'brand_new' },
  messages: { safety: 'refusal', length: 'max_tokens', odd: 'brand_new' },
  gemini: { safety: 'SAFETY', length: 'MAX_TOKENS', odd: 'BRAND_NEW' },
  responses: { safety: 'content_filter', length: 'max_output_tokens', odd: 'brand_new' },
  converse: { safety: 'guardrail_intervened', length: 'max_tokens', odd: 'brand_new' },
}

function errorEvent(wire: Wire): Event {
  switch (wire) {
    case 'chat':
      return { error: { message: 'boom', type: 'server_error' } }
    case 'gemini':
      return { error: { code: 500, status: 'INTERNAL', message: 'boom' } }
    case 'messages':
      return { type: 'error', error: { type: 'overloaded_error', message: 'boom' } }
    case 'responses':
      return {
        type: 'error',
        code: 'server_error',
        message: 'boom',
        param: null,
        sequence_number: 9,
      }
    case 'converse':
      return { throttlingException: { message: 'boom' } }
  }
}

function endings(wire: Wire): readonly (readonly [readonly Event[], StreamVerdict])[] {
  const { safety, length, odd } = reasons[wire]
  return [
    [terminal(wire, safety), 'safety'],
    [terminal(wire, length), 'length'],
    [terminal(wire, odd), 'unknown_terminal'],
    [[errorEvent(wire)], 'error'],
  ]
}

/** Every chunk from a little before the first call on; of a long text before it, every twentieth. */
function cutsOf(events: readonly Event[], end: number): readonly number[] {
  const call = events.findIndex((event) =>
    /tool_calls|tool_use|functionCall|function_call|toolUse/.test(JSON.stringify(event)),
  )
  return events
    .map((_, index) => index + 1)
    .filter((cut) => cut <= end && (cut >= call || cut % 20 === 1))
}

describe.skipIf(skipReason)(`splices${skipReason ? ` (skipped: ${skipReason})` : ''}`, () => {
  test.each(cases)('$name: another ending at every cut', async ({ recording }) => {
    const { wire, toolCalls, incompleteToolCalls } = recording
    const tools = [...new Set([...toolCalls, ...incompleteToolCalls].map((it) => it.name))].map(
      (name) => tool(name),
    )
    const events = readEvents(recording)
    const end = terminalIndex(recording, events)
    // A splice before the reason of a messages stream, which comes one event earlier than its terminal.
    const last = wire === 'messages' ? end - 1 : end
    for (const provider of providersOf(recording))
      for (const cut of cutsOf(events, last))
        for (const [ending, verdict] of endings(wire)) {
          const baseURL = loopback.reply(streamReply(wire, [...events.slice(0, cut), ...ending]))
          const { turn } = await ask({ provider, baseURL, tools })
          const where = `${provider}, cut ${cut}, ${verdict}`
          expect(turn.verdict, where).toBe(verdict)
          expect(callsOf(turn), where).toEqual([])
        }
  })

  test.each(cases)('$name: a filter after the real ending', async ({ recording }) => {
    const { wire } = recording
    const events = [...readEvents(recording), ...terminal(wire, reasons[wire].safety)]
    for (const provider of providersOf(recording)) {
      const { turn } = await ask({ provider, baseURL: loopback.reply(streamReply(wire, events)) })
      expect(turn.verdict).toBe('safety')
      expect(callsOf(turn)).toEqual([])
    }
  })

  test.each(cases)('$name: reset, and half an event, before the ending', async ({ recording }) => {
    const { wire } = recording
    const events = readEvents(recording)
    const end = terminalIndex(recording, events)
    const whole = events.slice(0, end).map((event) => encodeEvent(wire, event))
    const terminalBytes = events.slice(end, end + 1).map((event) => encodeEvent(wire, event))
    const half = terminalBytes.map((bytes) => bytes.subarray(0, bytes.length >> 1))
    const headers = { 'content-type': contentType(wire) }
    for (const provider of providersOf(recording)) {
      for (const reply of [
        { headers, body: whole, end: 'reset' as const },
        { headers, body: [...whole, ...half] },
      ]) {
        const { turn } = await ask({ provider, baseURL: loopback.reply(reply) })
        expect(turn.verdict).toBe('interrupted')
        expect(callsOf(turn)).toEqual([])
      }
    }
  })

  test.each([
    ['anthropic/incomplete_partial_json_response.txt', 'anthropic', 2],
    ['google/streaming-failure-prompt-blocked-safety-with-message.txt', 'google', 2],
  ] as const)('%s: the last event never arrived', async (file, provider, withoutTail) => {
    const recording = recordings.find((it) => it.file === file)
    expect(recording).toBeDefined()
    const body = recording ? [readBytes(recording, withoutTail)] : []
    const headers = { 'content-type': 'text/event-stream' }
    const { turn } = await ask({ provider, baseURL: loopback.reply({ headers, body }) })
    expect(turn.verdict).toBe('interrupted')
    expect(callsOf(turn)).toEqual([])
  })
})
