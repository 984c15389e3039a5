/**
 * What guardrails take out of arguments and results, over the whole engine: it stands nowhere in the register, and the log
 * says that something was taken out. Would catch: a redaction without an event, a result that is recorded before it is judged.
 */
import { expect, test } from 'vitest'
import type { StreamGuardrails } from '@signalbox/engine'
import { cleanOutput, cleanWords } from '../src/perform/guard.ts'
import { begin, eventOf, governed, outcomeOf } from './support/governed.ts'
import { functionTools, turnModel, world } from './support/world.ts'

/** By GitHub's format. Put together here, so that no scanner takes it for a real one. */
const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
const gone = '[redacted:github-token]'
const definition = governed({
  guardrails: { stream: [{ use: 'secrets', arguments: true, toolResults: true }] },
})

async function search(answer: () => Promise<string>) {
  const { engine, register } = world({
    model: turnModel([[{ tool: 'search', args: { query: 'x' } }], 'done']),
    tools: functionTools({ search: answer, pay: answer }),
  })
  await engine.start()
  const runId = await begin(engine, definition)
  expect(await outcomeOf(register, runId)).toBe('completed')
  await engine.stop(1_000)
  return { register, runId, events: await register.events(runId, {}) }
}

test('the result of a tool is redacted before it is recorded', async () => {
  const { register, runId, events } = await search(async () => `The token is ${token}.`)
  const completed = await eventOf(register, runId, 'tool.completed')
  expect(completed.payload).toMatchObject({
    output: { content: [{ type: 'text', text: expect.stringContaining(`is ${gone}.`) }] },
  })
  expect(await eventOf(register, runId, 'guardrail.redacted')).toMatchObject({
    tool: 'search',
    verdict: 'secrets',
    payload: {
      turn: 1,
      guardrail: { id: 'secrets', name: 'Secrets' },
      kind: 'github-token',
      place: 'result',
      tool: 'search',
      count: 1,
    },
  })
  expect(JSON.stringify(events)).not.toContain(token)
})

test('so are the words of a tool that failed', async () => {
  const { register, runId, events } = await search(async () => {
    throw new Error(`refused: ${token}`)
  })
  expect((await eventOf(register, runId, 'tool.failed')).payload).toMatchObject({
    error: { message: expect.stringContaining(gone) },
  })
  expect(JSON.stringify(events)).not.toContain(token)
})

const lacking = (): never => {
  throw new Error('this process has no stream guardrails')
}
const none: StreamGuardrails = { guard: lacking, redact: lacking }

test('what a tool said is withheld where nothing can judge it', () => {
  const output = { content: [{ type: 'text' as const, text: token }], isError: false }
  expect(cleanOutput(none, definition, { output, callId: 'c', tool: 'search' })).toEqual({
    output: {
      content: [{ type: 'text', text: 'The result is withheld: a guardrail could not judge it.' }],
      isError: true,
    },
    redactions: [],
  })
  expect(cleanWords(none, definition, token)).toBe(
    'The error is withheld: a guardrail could not judge it.',
  )
})

test('a result without anything to take out is recorded as it is, and nothing more', async () => {
  const { events } = await search(async () => 'found')
  expect(events.map(({ type }) => type)).not.toContain('guardrail.redacted')
  const completed = events.find(({ type }) => type === 'tool.completed')
  expect(completed?.payload).not.toHaveProperty('redactions')
})
