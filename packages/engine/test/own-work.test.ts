/**
 * Who is told of what: orchestrators of facts that somebody else recorded, streams of every event. Would catch: a process
 * that reads back what it did itself, and a start of a tool that streams see only by polling.
 */
import { setImmediate } from 'node:timers/promises'
import { createEngine, defaultSettings, systemClock, systemRandom } from '@signalbox/engine'
import {
  createMemoryQueue,
  createMemoryRegister,
  createMemoryWakeBus,
} from '@signalbox/testing/memory'
import type { Register, Role } from '@signalbox/engine'
import { expect, test } from 'vitest'
import { agent, functionTools, silentLog, toolSpec, turnModel } from './support/world.ts'

/** A run of so many tool calls, one a turn, in processes that never poll. */
function processes(look: () => Promise<number>, calls = 1) {
  const register = createMemoryRegister(systemClock)
  const wakeBus = createMemoryWakeBus()
  const queue = createMemoryQueue()
  const reads = { count: 0, conversation: 0, events: 0, rows: 0 }
  const counted: Register = {
    ...register,
    tail: async (runId, after) => {
      const tail = await register.tail(runId, after)
      reads.count += 1
      reads.rows += tail?.events.length ?? 0
      return tail
    },
    conversation: (...asked) => {
      reads.conversation += 1
      return register.conversation(...asked)
    },
    events: (...asked) => {
      reads.events += 1
      return register.events(...asked)
    },
  }
  const engineOf = (...roles: readonly Role[]) =>
    createEngine({
      register: counted,
      dispatcher: queue.dispatcher,
      hintSource: roles.includes('worker') ? queue.source : null,
      wakeBus,
      model: turnModel([
        ...Array.from({ length: calls }, (_, n) => [{ tool: 'look', args: { n } }]),
        'done',
      ]),
      tools: functionTools({ look }),
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      roles,
      // No poll comes in between.
      settings: { ...defaultSettings, owner: roles.join('-'), pollMs: 60_000, verifyEvery: 0 },
    })
  const complete = async (...engines: readonly ReturnType<typeof engineOf>[]) => {
    for (const engine of engines) await engine.start()
    // The search for work at the start of a process is over: it would find the run, and read it beside the hint.
    await setImmediate()
    const created = await engines.at(-1)?.commands.createRun({
      tenantId: 'default',
      actor: 'user:test',
      threadId: 't1',
      definition: agent([toolSpec('look')]),
      input: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }],
      metadata: {},
      alias: null,
    })
    if (created?.code !== 'created') throw new Error(created?.code)
    const { runId } = created
    await expect
      .poll(async () => (await register.head(runId))?.outcome, { timeout: 25_000 })
      .toBe('completed')
    for (const engine of engines) await engine.stop(1_000)
    return runId
  }
  return { register, wakeBus, reads, engineOf, complete }
}

test('a process that does everything reads nothing back', async () => {
  const { engineOf, complete, reads } = processes(async () => 1)
  await complete(engineOf('orchestrator', 'worker'))
  expect(reads.count).toBe(0)
})

test('an orchestrator reads once for each fact that another process recorded', async () => {
  const { engineOf, complete, reads } = processes(async () => 1)
  await complete(engineOf('orchestrator'), engineOf('worker'))
  // The create and the result of the tool. Neither its own decisions nor the claim of the worker.
  expect(reads.count).toBe(2)
  // The first prompt. The second is of what was read to decide.
  expect(reads).toMatchObject({ conversation: 1, events: 0 })
})

test('an orchestrator reads no event twice', async () => {
  const { engineOf, complete, reads, register } = processes(async () => 1, 20)
  const runId = await complete(engineOf('orchestrator'), engineOf('worker'))
  expect(reads).toMatchObject({ count: 21, conversation: 1, events: 0 })
  expect(reads.rows).toBeLessThanOrEqual((await register.events(runId, {})).length)
})

test('the start of a tool wakes streams while it runs', async () => {
  const { promise: shown, resolve: show } = Promise.withResolvers<number>()
  const { engineOf, complete, register, wakeBus } = processes(() => shown)
  const look = async (runId: string): Promise<void> => {
    const events = await register.events(runId, {})
    if (events.some(({ type, tool }) => type === 'effect.started' && tool === 'look')) show(1)
  }
  wakeBus.subscribe('run', (ids) => ids.forEach((id) => void look(id)))
  // The tool ends only once somebody who was woken has seen that it began.
  await complete(engineOf('orchestrator'), engineOf('worker'))
  await expect(shown).resolves.toBe(1)
})
