/**
 * Every place in which an event holds what somebody said, searched by the words. Would catch: words that the model was shown, and that an
 * auditor who looks for them is told are nowhere.
 */
import { eventSchemas, isEventType, type JsonObject } from '@signalbox/core'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createReader, type Reader } from '../src/read/reader.ts'
import { about, admission, event, newRun, uuid7 } from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
let reader: Reader
beforeAll(() => {
  reader = createReader({ appUrl: bench.database.appUrl })
})
afterAll(() => reader.close())

const message = (role: string, text: string) => ({ id: 'm', role, parts: [{ type: 'text', text }] })
const output = (text: string) => ({ content: [{ type: 'text', text }], isError: false })
const created = { agent: 'a', definitionHash: 'h', machine: 'run', machineVersion: 1, metadata: {} }
const of = { effectId: 'e', attempt: 1, callId: 'c' }
const spent = { turns: 1, calls: 0, tokens: 1, cost: 0, activeMs: 1 }

const places: readonly (readonly [string, string, (word: string) => JsonObject])[] = [
  ['run.created', 'the input', (word) => ({ ...created, input: [message('user', word)] })],
  [
    'run.created',
    'what was said elsewhere before',
    (word) => ({ ...created, input: [], history: [message('assistant', word)] }),
  ],
  [
    'run.created',
    'an edit of the conversation',
    (word) => ({ ...created, input: [], edit: { messages: [message('assistant', word)] } }),
  ],
  [
    'input.injected',
    'what was said meanwhile',
    (word) => ({ messages: [message('user', word)], bytes: 1 }),
  ],
  ['tool.completed', 'a result', (word) => ({ ...of, output: output(word), durationMs: 1 })],
  [
    'child.ended',
    'the answer of a child',
    (word) => ({
      effectId: 'e',
      callId: 'c',
      childRunId: 'r',
      outcome: 'completed',
      output: output(word),
      resultHash: 'h',
      spent,
      verdicts: [],
    }),
  ],
  [
    'tool.resolved',
    'what an operator said that the call answered',
    (word) => ({ effectId: 'e', callId: 'c', resolution: 'happened', output: output(word) }),
  ],
  ['tool.late', 'a late result', (word) => ({ ...of, output: output(word) })],
]

it('is found where it was said', async () => {
  const tenant = uuid7()
  const run = newRun({ tenantId: tenant })
  await bench.register.append(admission(run))
  const told = places.map(([type, place, payloadOf], n) => {
    const word = `wort${n}x`
    const payload = payloadOf(word)
    // It is what the log may hold.
    expect(isEventType(type) && eventSchemas[type].safeParse(payload).success, place).toBe(true)
    return { place, word, draft: event(type, { payload }) }
  })
  await bench.register.append({ ...about(run), notes: told.map(({ draft }) => draft) })
  // The feed waits for writers in other databases of the cluster: other test files.
  while ((await reader.audit(tenant, {})).events.length < 3 + told.length) await setTimeout(20)
  const missed: string[] = []
  for (const { place, word } of told)
    if ((await reader.audit(tenant, { q: word })).events.length !== 1) missed.push(place)
  expect(missed).toEqual([])
})
