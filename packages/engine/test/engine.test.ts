/** The engine over in-memory ports: whole runs, as a caller sees them. */
import { machines, newestOf, replay } from '@signalbox/core'
import type { CreateRun, Register } from '@signalbox/engine'
import { expect, test } from 'vitest'
import { agent, functionTools, toolSpec, turnModel, world } from './support/world.ts'

const request = (definition: CreateRun['definition'], threadId = 't1'): CreateRun => ({
  tenantId: 'default',
  actor: 'user:test',
  threadId,
  definition,
  input: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }],
  metadata: {},
  alias: null,
})

async function ended(register: Register, runId: string) {
  // The limit is the test's own.
  for (;;) {
    const head = await register.head(runId)
    if (head?.status === 'ended') return head
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

test('a run asks for tools, reads their results and completes', async () => {
  const seen: unknown[] = []
  const tools = functionTools({
    add: async (args) => {
      seen.push(args)
      return { sum: Number(args['a']) + Number(args['b']) }
    },
  })
  const model = turnModel([
    [
      { tool: 'add', args: { a: 1, b: 2 } },
      { tool: 'add', args: { a: 3, b: 4 } },
    ],
    'the sums are 3 and 7',
  ])
  const { engine, register } = world({ model, tools })
  await engine.start()
  const definition = agent([toolSpec('add')])
  const created = await engine.commands.createRun(request(definition))
  if (created.code !== 'created') throw new Error(created.code)
  const head = await ended(register, created.runId)
  expect(head.outcome).toBe('completed')
  expect(seen).toHaveLength(2)
  const events = await register.events(created.runId, {})
  expect(events.map((event) => event.seq)).toEqual(events.map((_, n) => n + 1))
  const { differences } = replay(
    { run: created.runId, agent: definition, machine: newestOf(machines) },
    events,
  )
  expect(differences).toEqual([])
  await engine.stop(1_000)
})

test('a cancel aborts the running tool and ends the run as cancelled', async () => {
  const { promise: running, resolve: started } = Promise.withResolvers<void>()
  const tools = functionTools({
    slow: (_args, signal) =>
      new Promise((_resolve, reject) => {
        started()
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
  })
  const { engine, register } = world({ model: turnModel([[{ tool: 'slow', args: {} }]]), tools })
  await engine.start()
  const created = await engine.commands.createRun(request(agent([toolSpec('slow')])))
  if (created.code !== 'created') throw new Error(created.code)
  await running
  const answer = await engine.commands.cancel({
    tenantId: 'default',
    actor: 'user:test',
    runId: created.runId,
    action: 'interrupt',
  })
  expect(answer).toBe('accepted')
  expect((await ended(register, created.runId)).outcome).toBe('cancelled')
  await engine.stop(1_000)
})

test('runs of one thread run one at a time, first come first served', async () => {
  const order: string[] = []
  const tools = functionTools({
    note: async (args) => {
      order.push(JSON.stringify(args['n']))
      return null
    },
  })
  const { engine, register } = world({
    model: {
      call: async (req, sink, signal) => {
        const last = req.prompt.at(-1)
        const text =
          last?.role === 'user' && last.parts[0]?.type === 'text' ? last.parts[0].text : ''
        const turns = req.prompt.filter((message) => message.role === 'assistant').length
        const pad = Array.from({ length: turns }, () => 'x')
        return turnModel(
          last?.role === 'user' ? [...pad, [{ tool: 'note', args: { n: text } }]] : [...pad, 'ok'],
        ).call(req, sink, signal)
      },
    },
    tools,
  })
  await engine.start()
  const definition = agent([toolSpec('note')])
  const ids: string[] = []
  for (const n of ['1', '2', '3']) {
    const created = await engine.commands.createRun({
      ...request(definition),
      input: [{ id: `u${n}`, role: 'user', parts: [{ type: 'text', text: n }] }],
    })
    if (created.code !== 'created') throw new Error(created.code)
    ids.push(created.runId)
  }
  for (const id of ids) expect((await ended(register, id)).outcome).toBe('completed')
  expect(order).toEqual(['"1"', '"2"', '"3"'])
  await engine.stop(1_000)
})
