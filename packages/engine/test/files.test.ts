/** What a call changed in files stands in its result, and the next call finds it. */
import { limits } from '@signalbox/core'
import type { FileDraft, ToolHost } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { systemClock } from '@signalbox/engine'
import { expect, test } from 'vitest'
import { begin, caller, eventOf, outcomeOf } from './support/governed.ts'
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

/** A blob of a thread, as an upload leaves one, and what the event of a run says of it. */
async function given(register: ReturnType<typeof createMemoryRegister>, threadId: string) {
  const content = Buffer.from('given')
  const key = 'ab'.repeat(32)
  await register.putBlob(
    { tenantId: caller.tenantId, threadId },
    { key, mime: 'text/plain', bytes: content },
  )
  return [{ path: 'uploads/f', key, bytes: content.length, mime: 'text/plain' }]
}

test('a call finds what its run was given, and an edit changes files without a call', async () => {
  const register = createMemoryRegister(systemClock)
  const tools = making()
  const { engine } = world({
    model: turnModel([make(0), 'done', make(0), 'done']),
    tools,
    register,
  })
  await engine.start()
  const definition = agent(await tools.specs())
  const files = await given(register, 't1')
  const first = await begin(engine, definition, { threadId: 't1', files })
  await outcomeOf(register, first)
  const edit = { messages: [] }
  const gone = [{ path: 'uploads/f', key: null, bytes: 0 }]
  const second = await begin(engine, definition, {
    threadId: 't1',
    input: [],
    edit,
    files: [...gone, { path: 'notes', key: files[0]?.key ?? '', bytes: 5 }],
  })
  expect(await outcomeOf(register, second)).toBe('completed')
  const third = await begin(engine, definition, { threadId: 't1' })
  await outcomeOf(register, third)
  await engine.stop(1_000)
  const found = async (runId: string) =>
    (await eventOf(register, runId, 'tool.completed')).payload['output']
  expect(await found(first)).toMatchObject({ content: [{ text: 'uploads/f=given' }] })
  expect(await found(third)).toMatchObject({ content: [{ text: 'notes=given' }] })
})

test('a rerun and a retry are given what the run was given', async () => {
  const register = createMemoryRegister(systemClock)
  const tools = making()
  const { engine } = world({ model: turnModel(['done', 'done', 'done']), tools, register })
  await engine.start()
  const definition = agent(await tools.specs())
  const files = await given(register, 't1')
  const runId = await begin(engine, definition, { threadId: 't1', files })
  await outcomeOf(register, runId)
  const about = { ...caller, runId }
  const again = await engine.commands.rerun({
    ...about,
    threadId: 't2',
    definition: null,
    metadata: {},
    alias: null,
  })
  const retry = await engine.commands.retry({
    ...about,
    definition,
    marks: {},
    lanesOf: () => [],
    name: null,
  })
  if (again.code !== 'created' || retry.code !== 'created') throw new Error('neither was made')
  for (const made of [again.runId, retry.runId]) {
    await outcomeOf(register, made)
    const [created] = await register.events(made, { limit: 1 })
    expect(created?.payload['files']).toEqual(files)
  }
  await engine.stop(1_000)
  const carried = await register.blob(
    { tenantId: caller.tenantId, threadId: 't2' },
    'ab'.repeat(32),
  )
  expect(Buffer.from(carried?.bytes ?? []).toString()).toBe('given')
})
