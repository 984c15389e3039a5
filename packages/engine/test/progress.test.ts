/** Notes of running tools: heard by whoever watches, written nowhere. Would catch: a note that is lost, long or stored. */
import { limits } from '@signalbox/core'
import { createEngine, defaultSettings, systemClock, systemRandom } from '@signalbox/engine'
import {
  createMemoryQueue,
  createMemoryRegister,
  createMemoryWakeBus,
} from '@signalbox/testing/memory'
import type { LiveText, ToolHost, ToolProgress } from '@signalbox/engine'
import { expect, test } from 'vitest'
import { agent, functionTools, silentLog, toolSpec, turnModel } from './support/world.ts'

const long = 'x'.repeat(limits.progressCharsMax)

test('the notes of a tool reach whoever follows its run, and nobody else', async () => {
  const { promise: watched, resolve: watch } = Promise.withResolvers<void>()
  const tools: ToolHost = {
    ...functionTools({ count: async () => 1 }),
    call: async ({ progress }) => {
      await watched
      for (const note of ['one\u0000', '', `${long}tail`]) progress(note)
      return { status: 'completed', output: { content: [], isError: false } }
    },
  }
  const register = createMemoryRegister(systemClock)
  const queue = createMemoryQueue()
  const engine = createEngine({
    register,
    dispatcher: queue.dispatcher,
    hintSource: queue.source,
    wakeBus: createMemoryWakeBus(),
    model: turnModel([[{ tool: 'count', args: {} }], 'done']),
    tools,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    roles: ['orchestrator', 'worker'],
    settings: { ...defaultSettings, owner: 'test' },
  })
  await engine.start()
  const created = await engine.commands.createRun({
    tenantId: 'default',
    actor: 'user:test',
    threadId: 't1',
    definition: agent([toolSpec('count')]),
    input: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }],
    metadata: {},
    alias: null,
  })
  if (created.code !== 'created') throw new Error(created.code)
  const { runId } = created
  const heard: ToolProgress[] = []
  const elsewhere: ToolProgress[] = []
  const texts: LiveText[] = []
  const stop = engine.followProgress(runId, (progress) => heard.push(progress))
  engine.followProgress('another-run', (progress) => elsewhere.push(progress))
  engine.followText(runId, (piece) => texts.push(piece))
  watch()
  await expect
    .poll(async () => (await register.head(runId))?.outcome, { timeout: 25_000 })
    .toBe('completed')
  stop()
  await engine.stop(1_000)

  const events = await register.events(runId, {})
  const callId = events.find(({ type }) => type === 'tool.completed')?.payload['callId']
  expect(heard).toEqual([
    { callId, attempt: 1, note: 'one\uFFFD' },
    { callId, attempt: 1, note: long },
  ])
  expect(elsewhere).toEqual([])
  expect(texts.map(({ text }) => text)).toEqual(['done'])
  expect(JSON.stringify(events)).not.toContain('one\uFFFD')
})
