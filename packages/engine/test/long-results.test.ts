/** Long results: head and tail for the model, all of it in the register, and a way to read on. */
import { limits } from '@signalbox/core'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { systemClock, withReadResult } from '@signalbox/engine'
import { expect, test } from 'vitest'
import { begin, eventOf, outcomeOf } from './support/governed.ts'
import { agent, functionTools, turnModel, world } from './support/world.ts'

const long = Array.from({ length: 3_000 }, (_, n) => `line ${n}`).join('\n')

test('a long result is read on with, page by page, and only in its own thread', async () => {
  const register = createMemoryRegister(systemClock)
  const tools = withReadResult(functionTools({ dump: async () => long }))
  const specs = await tools.specs()
  const definition = agent(specs)
  const keyIn = async (runId: string) => {
    const { payload } = await eventOf(register, runId, 'tool.completed')
    const [, key = ''] =
      /"result":"([0-9a-f]+)"/.exec(JSON.stringify(payload).replaceAll('\\', '')) ?? []
    return key
  }
  const first = world({ model: turnModel([[{ tool: 'dump', args: {} }], 'done']), tools, register })
  await first.engine.start()
  const runId = await begin(first.engine, definition, { threadId: 't' })
  await outcomeOf(register, runId)
  await first.engine.stop(1_000)
  const key = await keyIn(runId)
  expect(key).toMatch(/^[0-9a-f]{64}$/)

  const reading = (threadId: string) => {
    const call = {
      name: 'read_result',
      version: specs.at(-1)?.version ?? '',
      args: { result: key, offset: 5_000 },
    }
    const about = {
      idempotencyKey: 'k',
      attempt: 1,
      tenantId: 'default',
      threadId,
      runId,
      callId: 'c',
    }
    const thread = { tenantId: 'default', threadId }
    const files = {
      tree: async () => new Map(),
      read: async (blob: string) => (await register.blob(thread, blob))?.bytes ?? null,
    }
    const request = { ...call, ...about, timeoutMs: 1_000, progress: () => {}, files }
    return tools.call(request, new AbortController().signal)
  }
  const page = await reading('t')
  const said = JSON.stringify(long)
  const text =
    page.status === 'completed' && page.output.content[0]?.type === 'text'
      ? page.output.content[0].text
      : ''
  expect(text.includes(said.slice(5_000, 5_000 + limits.resultPageChars))).toBe(true)
  expect(text).toContain(`"offset":${5_000 + limits.resultPageChars}`)
  expect(await reading('other')).toMatchObject({
    status: 'failed',
    error: { code: 'unknown_result' },
  })
})

test('up to the limit a result stays whole', async () => {
  const text = 'x'.repeat(limits.resultCharsMax - 2)
  const tools = functionTools({ dump: async () => text })
  const model = turnModel([[{ tool: 'dump', args: {} }], 'done'])
  const { engine, register } = world({ model, tools })
  await engine.start()
  const runId = await begin(engine, agent(await tools.specs()))
  const { payload } = await eventOf(register, runId, 'tool.completed')
  expect(payload).toMatchObject({ output: { content: [{ type: 'text', text: `"${text}"` }] } })
  await engine.stop(1_000)
})
