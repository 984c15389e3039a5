/**
 * Row "Safety: suppress" of agent-governance.md §8, in the shapes of three providers. Every other signal of every provider
 * is in `packages/models/test`, what must not be kept in `test/leak-hunt`.
 */
import { defineTool } from '@signalbox/tools'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { wireOf } from '../../packages/models/src/observer/wires.ts'
import { streamReply } from '../../packages/models/test/support/call.ts'
import { type Loopback, startLoopback } from '../../packages/models/test/support/loopback.ts'
import type { Event } from '../../packages/models/test/support/wire-bytes.ts'
import { built, canary, terminal } from '../../packages/models/test/support/wire-events.ts'
import { openScene, type Scene } from './scene.ts'

let scene: Scene
let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterEach(() => scene.close())
afterAll(() => loopback.close())

const ran: unknown[] = []
const save = defineTool({
  name: 'save',
  description: 'Saves.',
  input: z.looseObject({}),
  run: (args) => ran.push(args),
})

/** The events call a tool that only workspaces have. */
const renamed = (events: readonly Event[]): readonly Event[] =>
  JSON.parse(JSON.stringify(events).replaceAll('write_file', 'save'))

const rows = [
  { provider: 'openai-compatible', field: 'finish_reason', value: 'content_filter' },
  { provider: 'anthropic', field: 'stop_reason', value: 'refusal' },
  { provider: 'google', field: 'finishReason', value: 'SAFETY' },
] as const

type Row = { readonly provider: (typeof rows)[number]['provider']; readonly value: string }

async function stopped({ provider, value }: Row) {
  ran.length = 0
  const wire = wireOf(provider)
  const { open, wholeCall } = built[wire]
  const events = [...open, ...renamed(wholeCall), ...terminal(wire, value)]
  const reply = streamReply(wire, events)
  const baseURL = loopback.reply(reply)
  scene = await openScene({ answers: () => ({ text: 'not asked' }), tools: [save] })
  const { run } = await scene.process()
  const agent = scene.agent()
  const runId = await run({ ...agent, model: { ...agent.model, provider, baseURL } })
  return { runId, outcome: await scene.outcome(runId), asked: loopback.requests(baseURL).length }
}

test.each(rows)(
  'Safety: suppress: 1) $value + calls → zero executions, same message id, explanation, safety_stopped',
  async (row) => {
    const { runId, outcome, asked } = await stopped(row)
    expect(outcome).toBe('safety_stopped')
    expect(ran).toEqual([])
    expect(asked).toBe(1)
    const { payload } = await scene.event(runId, 'model.completed')
    const { payload: suppressed } = await scene.event(runId, 'safety.suppressed')
    expect(payload).toMatchObject({
      turn: { message: { id: suppressed['messageId'], parts: [{ text: 'I write. ' }] } },
    })
    expect(suppressed['explanation']).toContain(row.value)
  },
)

test.each([
  { provider: 'openai-compatible', value: 'Content_Filter' },
  { provider: 'anthropic', value: 'REFUSAL' },
  { provider: 'google', value: 'safety' },
] as const)('Safety: suppress: 2) any letter case: $value', async (row) => {
  const { runId, outcome } = await stopped(row)
  expect(outcome).toBe('safety_stopped')
  expect(ran).toEqual([])
  const { payload } = await scene.event(runId, 'safety.suppressed')
  expect(payload).toMatchObject({ evidence: [{ value: row.value }] })
})

test.each(rows)(
  'Safety: suppress: 3) the event holds names and count, never args: $provider',
  async (row) => {
    const { runId } = await stopped(row)
    const { payload } = await scene.event(runId, 'safety.suppressed')
    expect(payload).toMatchObject({
      evidence: [{ field: expect.stringContaining(row.field), value: row.value }],
      calls: [{ name: 'save', argsBytes: expect.any(Number), argsHmac: expect.any(String) }],
    })
    expect(JSON.stringify(await scene.events(runId))).not.toContain(canary)
  },
)
