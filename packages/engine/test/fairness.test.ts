/** One tenant has many runs waiting for a place, another has one: it is served next but one, not last. */
import type { Model, Register, ToolHost } from '@signalbox/engine'
import { expect, test } from 'vitest'
import { agent, functionTools, toolSpec, turnModel, until, world } from './support/world.ts'

const many = 8

/** Runs eight of one tenant and then one of another while there is one place, and answers who had it, in order. */
async function servedOf(
  made: (serve: (tenantId: string) => Promise<void>) => { model: Model; tools: ToolHost },
  waits: (register: Register, runIds: readonly string[]) => Promise<boolean>,
): Promise<readonly string[]> {
  const runIds: string[] = []
  const served: string[] = []
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const parts = made(async (tenantId) => {
    served.push(tenantId)
    await opened
  })
  const { engine, register } = world({
    ...parts,
    // Too late for this test: nothing here waits for the reconciler.
    settings: {
      modelConcurrency: 1,
      pollMs: 600_000,
      queues: [{ queue: 'tools', concurrency: 1 }],
    },
  })
  await engine.start()
  for (const tenantId of [...Array.from({ length: many }, () => 'a'), 'b']) {
    const answer = await engine.commands.createRun({
      tenantId,
      actor: 'user:test',
      threadId: `t${runIds.length}`,
      definition: agent([toolSpec('wait')]),
      input: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: tenantId }] }],
      metadata: {},
      alias: null,
    })
    if (answer.code !== 'created') throw new Error(answer.code)
    runIds.push(answer.runId)
    if (runIds.length === 1) await until(async () => served.length === 1)
  }
  await until(() => waits(register, runIds))
  open()
  for (const runId of runIds)
    await until(async () => (await register.head(runId))?.status === 'ended')
  await engine.stop(1_000)
  return served
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 50))

test('model calls', async () => {
  const answers = turnModel(['done'])
  const served = await servedOf(
    (serve) => ({
      tools: functionTools({}),
      model: {
        call: async (request, sink, signal) => {
          await serve(/"text":"([ab])"/.exec(JSON.stringify(request.prompt))?.[1] ?? '')
          return answers.call(request, sink, signal)
        },
      },
    }),
    async () => {
      await settled()
      return true
    },
  )
  expect(served).toHaveLength(many + 1)
  expect(served.indexOf('b')).toBeLessThanOrEqual(2)
})

test('tool calls', async () => {
  const tools = functionTools({ wait: async () => 'done' })
  const served = await servedOf(
    (serve) => ({
      model: turnModel([[{ tool: 'wait', args: {} }], 'done']),
      tools: {
        ...tools,
        call: async (request, signal) => {
          await serve(request.tenantId)
          return tools.call(request, signal)
        },
      },
    }),
    async (register, runIds) => {
      const open = await Promise.all(runIds.map((runId) => register.openEffects(runId)))
      return open.flat().filter(({ kind }) => kind === 'tool.call').length === runIds.length
    },
  )
  expect(served).toHaveLength(many + 1)
  expect(served.indexOf('b')).toBeLessThanOrEqual(2)
})
