/**
 * Recorded streams of providers, whole and cut at every chunk. Catches a turn that is taken for finished before its
 * terminal chunk came: the truncated write_file that this package exists to prevent (I23).
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fields, text } from '../src/read.ts'
import { argsHash, ask, askStream, callsOf, streamReply, tool } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import {
  loadRecordings,
  providersOf,
  readEvents,
  type Recording,
  skipReason,
  terminalIndex,
} from './support/recordings.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const recordings = loadRecordings()
const cases = recordings.flatMap((recording) =>
  providersOf(recording).map((provider) => ({ recording, provider, name: recording.file })),
)

function toolsOf({ toolCalls, incompleteToolCalls }: Recording) {
  const names = [...toolCalls, ...incompleteToolCalls].map(({ name }) => name)
  return [...new Set(names)].map((name) => tool(name))
}

describe.skipIf(skipReason)(`recordings${skipReason ? ` (skipped: ${skipReason})` : ''}`, () => {
  test.each([
    ['google/google-tool-call-gemini3.chunks.txt', 5488],
    ['google/google-vertex-stream-tool-call-arguments-nested.1.chunks.txt', 5832],
  ])('%s keeps the signature that must be replayed', async (file, length) => {
    const recording = recordings.find((it) => it.file === file)
    const events = recording ? readEvents(recording) : []
    const tools = [tool('weather'), tool('cookRecipe')]
    const { turn } = await askStream(loopback, { provider: 'google', tools }, events)
    const google = fields(callsOf(turn)[0]?.meta?.['google'])
    expect(text(google?.['thoughtSignature'])).toHaveLength(length)
  })

  test('fifteen recordings are there', () => {
    expect(recordings).toHaveLength(15)
  })

  test.each(cases)('$name through $provider, whole', async ({ recording, provider }) => {
    const asked = { provider, tools: toolsOf(recording) }
    const { turn, deltas } = await askStream(loopback, asked, readEvents(recording))

    expect(turn.verdict).toBe(recording.verdict)
    const calls = callsOf(turn)
    expect(calls.map(({ name, args }) => ({ name, args }))).toEqual(
      recording.toolCallsExecutable
        ? recording.toolCalls.map(({ name, args }) => ({ name, args }))
        : [],
    )
    expect(calls.filter(({ invalid }) => invalid)).toEqual([])
    expect(calls.map((call) => call.argsHash)).toEqual(calls.map(({ args }) => argsHash(args)))
    expect(lengthOf(turn.message.parts, 'text')).toBe(recording.textLength)
    expect(lengthOf(turn.message.parts, 'reasoning')).toBe(recording.reasoningLength ?? 0)
    expect(
      lengthOf(
        deltas.map((delta) => ({ type: delta.kind, text: delta.text })),
        'text',
      ),
    ).toBe(recording.textLength)
    expect(turn.suppressed.map(({ name, argsBytes }) => ({ name, argsBytes }))).toEqual(
      recording.incompleteToolCalls.map(({ name, argsBytes }) => ({ name, argsBytes })),
    )
    const finish = recording.aiSdk.finish
    expect(turn.finish).toEqual(
      finish && { unified: finish.unified, ...(finish.raw === null ? {} : { raw: finish.raw }) },
    )
  })

  test.each(
    cases.filter(({ recording: it }) => it.toolCalls.length + it.incompleteToolCalls.length > 0),
  )('$name through $provider, cut at every chunk', async ({ recording, provider }) => {
    const events = readEvents(recording)
    const terminal = terminalIndex(recording, events)
    for (let cut = 0; cut < events.length; cut += 1) {
      const body = events.slice(0, cut)
      const baseURL = loopback.reply(streamReply(recording.wire, body, { open: true }))
      const { turn } = await ask({ provider, baseURL, tools: toolsOf(recording) })
      // The last word of a chat stream is its end marker, which none of these has.
      const ended = recording.wire !== 'chat' && cut > terminal && recording.toolCallsExecutable
      const where = `cut ${cut} of ${events.length}`
      expect(turn.verdict === 'complete', where).toBe(ended)
      expect(
        callsOf(turn).map(({ args }) => args),
        where,
      ).toEqual(ended ? recording.toolCalls.map(({ args }) => args) : [])
    }
  })
})

function lengthOf(parts: readonly { type: string; text?: string }[], type: string): number {
  return parts.reduce((sum, part) => sum + (part.type === type ? (part.text ?? '').length : 0), 0)
}
