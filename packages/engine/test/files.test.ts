/** What a call changed in files stands in its result, and the next call finds it. */
import { limits } from '@signalbox/core'
import type { FileDraft, ToolHost } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { systemClock } from '@signalbox/engine'
import { expect, test } from 'vitest'
import { begin, eventOf, outcomeOf } from './support/governed.ts'
import { agent, functionTools, turnModel, world } from './support/world.ts'

const draft = (n: number): FileDraft => ({
  path: `f${n}`,
  bytes: Buffer.from(`${n}`),
  executable: n === 1,
})

/** A tool that makes so many files, and says which it found. */
function making(): ToolHost {
  const host = functionTools({ make: async () => null })
  return {
    ...host,
    call: async ({ args, files }) => {
      const found = [...((await files?.tree()) ?? new Map<string, never>())]
      const texts = found.map(async ([path, { key, executable }]) => {
        const bytes = await files?.read(key)
        return `${path}=${Buffer.from(bytes ?? []).toString()}${executable ? ' x' : ''}`
      })
      const text = (await Promise.all(texts)).join(' ')
      const made = Array.from({ length: Number(args['count']) }, (_, n) => draft(n))
      return {
        status: 'completed',
        output: { content: [{ type: 'text', text }], isError: false },
        files: made,
      }
    },
  }
}

const make = (count: number) => [{ tool: 'make', args: { count } }]

test('a call finds what the calls before it left; one that changes too much has failed, and left nothing', async () => {
  const register = createMemoryRegister(systemClock)
  const tools = making()
  const tooMany = limits.filesPerCallMax + 1
  const model = turnModel([make(2), make(tooMany), make(0), 'done'])
  const { engine } = world({ model, tools, register })
  await engine.start()
  const runId = await begin(engine, agent(await tools.specs()))
  await outcomeOf(register, runId)
  await engine.stop(1_000)
  const { payload } = await eventOf(register, runId, 'tool.completed')
  expect(payload).toMatchObject({
    files: [
      { path: 'f0', key: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: 1 },
      { path: 'f1', key: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: 1, executable: true },
    ],
  })
  const failed = await eventOf(register, runId, 'tool.failed')
  expect(failed.payload).toMatchObject({ error: { code: 'files_refused' } })
  expect(failed.payload).not.toHaveProperty('files')
  const last = (await register.events(runId, {})).findLast(({ type }) => type === 'tool.completed')
  expect(last?.payload).toMatchObject({ output: { content: [{ text: 'f0=0 f1=1 x' }] } })
  expect(last?.payload).not.toHaveProperty('files')
  expect(register.tables.blobs.size).toBe(2)
})
