/**
 * Runs that make way for a newer one. Would catch: a create that is acknowledged and whose process dies before it asks the
 * others to end, a run that is asked twice, one that makes way for a run that is not due yet.
 */
import { expect, test } from 'vitest'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { systemClock } from '../src/system.ts'
import { agent, functionTools, turnModel, world } from './support/world.ts'

const creation = (threadId: string, over: object = {}) => ({
  tenantId: 'default',
  actor: 'user:test',
  threadId,
  definition: agent([]),
  input: [{ id: 'u1', role: 'user' as const, parts: [{ type: 'text' as const, text: 'go' }] }],
  metadata: {},
  alias: null,
  ...over,
})

/** A world whose model never answers: what runs keeps running until it is asked to end. */
const silent = () => {
  const register = createMemoryRegister(systemClock)
  const { engine } = world({
    register,
    tools: functionTools({}),
    model: {
      call: (_request, _sink, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')))
        }),
    },
    settings: { pollMs: 20 },
  })
  return { engine, register }
}

const until = async (check: () => Promise<boolean>) => {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 5))
}

test('whoever dies before he asked the others to end, a reconciler asks', async () => {
  const { engine, register } = silent()
  const [first, second] = [
    await engine.commands.createRun(creation('t')),
    // As it stands when the process died right after the append.
    await engine.commands.createRun(creation('t')),
  ]
  if (first.code !== 'created' || second.code !== 'created') throw new Error('created')
  const row = register.tables.runs.get(second.runId)
  if (row) row.multitask = 'rollback'
  await engine.start()
  await until(async () => (await register.head(first.runId))?.status === 'ended')
  expect((await register.head(first.runId))?.outcome).toBe('rolled_back')
  const asked = (await register.events(first.runId, {})).filter(
    ({ type }) => type === 'cancel.requested',
  )
  expect(asked.map(({ payload }) => payload)).toEqual([
    { action: 'rollback', reason: 'superseded', by: second.runId },
  ])
  await until(async () => (await register.head(second.runId))?.status === 'running')
  await engine.commands.cancel({ ...creation('t'), runId: second.runId, action: 'interrupt' })
  await engine.stop(1_000)
})

test('a run that is not due yet takes nobody the place', async () => {
  const { engine, register } = silent()
  const first = await engine.commands.createRun(creation('t'))
  const late = { multitask: 'interrupt' as const, delayMs: 600_000 }
  const second = await engine.commands.createRun(creation('t', late))
  if (first.code !== 'created' || second.code !== 'created') throw new Error('created')
  expect(await register.superseded(10)).toEqual([])
  const third = await engine.commands.createRun(creation('t', { multitask: 'interrupt' }))
  if (third.code !== 'created') throw new Error(third.code)
  // The one that is put off is not in its way.
  expect((await register.head(first.runId))?.cancelRequested).toBe(true)
  expect((await register.head(second.runId))?.cancelRequested).toBe(false)
})

test('reject creates while nobody is under way, and only then', async () => {
  const { engine, register } = silent()
  const reject = { multitask: 'reject' as const }
  const answers = await Promise.all(
    [1, 2, 3].map(() => engine.commands.createRun(creation('t', reject))),
  )
  expect(answers.map(({ code }) => code).toSorted()).toEqual(['busy', 'busy', 'created'])
  expect([...register.tables.runs.values()]).toHaveLength(1)
})

test('the model is told nothing of what was rolled back', async () => {
  const prompts: string[] = []
  const answers = turnModel(['one', 'two', 'three'])
  const register = createMemoryRegister(systemClock)
  const { engine } = world({
    register,
    tools: functionTools({}),
    model: {
      call: (request, sink, signal) => {
        prompts.push(JSON.stringify(request.prompt))
        return answers.call(request, sink, signal)
      },
    },
  })
  await engine.start()
  for (const text of ['kept', 'undone', 'later']) {
    const input = [{ id: text, role: 'user', parts: [{ type: 'text', text }] }]
    const answer = await engine.commands.createRun(creation('t', { input }))
    if (answer.code !== 'created') throw new Error(answer.code)
    await until(async () => (await register.head(answer.runId))?.status === 'ended')
    const row = register.tables.runs.get(answer.runId)
    if (row && text === 'undone') row.outcome = 'rolled_back'
  }
  expect(prompts.at(-1)).toContain('kept')
  expect(prompts.at(-1)).toContain('later')
  expect(prompts.at(-1)).not.toContain('undone')
  await engine.stop(1_000)
})
