/**
 * A definition that was edited where it is stored: its run is faulted by name, and nothing executes by what it says now (I22).
 * Would catch: a process that believes what it reads, a worker that executes before the fault, a loop, a fault that only
 * folds with the edited words.
 */
import { type AgentDefinition, type JsonObject, machines, newestOf, replay } from '@signalbox/core'
import { type Register, systemClock } from '@signalbox/engine'
import { createMemoryRegister, type MemoryRegister } from '@signalbox/testing/memory'
import { expect, test } from 'vitest'
import { approveFirst, begin, caller, eventOf, outcomeOf } from './support/governed.ts'
import {
  agent,
  functionTools,
  silentLog,
  toolSpec,
  turnModel,
  until,
  world,
} from './support/world.ts'

const done: string[] = []
const doing = (name: string) => async () => {
  done.push(name)
  return name
}
const tools = functionTools({ pay: doing('pay'), look: doing('look') })
const model = turnModel([[{ tool: 'pay', args: { a: 1 } }], [{ tool: 'look', args: {} }], 'done'])

function processOn(register: Register, roles: readonly ('orchestrator' | 'worker')[]) {
  const said: string[] = []
  const log = { ...silentLog, error: (message: string) => void said.push(message) }
  const settings = { pollMs: 20, redispatchMs: 50 }
  return { ...world({ model, tools, register, roles, log, settings }), said }
}

const both = ['orchestrator', 'worker'] as const
const approved = (): AgentDefinition =>
  agent([toolSpec('pay', 'once'), toolSpec('look')], { guardrails: { approvalTools: ['pay'] } })

/** A run that waits for a human, its process stopped. */
async function waiting(definition = approved()) {
  done.length = 0
  const register = createMemoryRegister(systemClock)
  const { engine } = processOn(register, both)
  await engine.start()
  const runId = await begin(engine, definition)
  await until(async () => (await register.head(runId))?.status === 'waiting')
  await engine.stop(1_000)
  return { register, runId }
}

/** Edits the definition of a run where it is stored. Answers the way back. */
function edit(
  { tables }: MemoryRegister,
  runId: string,
  to: (was: AgentDefinition) => AgentDefinition,
) {
  const hash = tables.runs.get(runId)?.definitionHash ?? ''
  const was = tables.definitions.get(hash)
  if (!was) throw new Error('no definition')
  tables.definitions.set(hash, to(was))
  return () => void tables.definitions.set(hash, was)
}

const unguarded = (was: AgentDefinition): AgentDefinition => ({
  ...was,
  guardrails: { ...was.guardrails, approvalTools: [] },
})

const typesOf = async (register: Register, runId: string) =>
  (await register.events(runId, {})).map(({ type }) => type)

async function expectFaulted(register: Register, runId: string): Promise<void> {
  expect(await outcomeOf(register, runId)).toBe('failed')
  const fault = await eventOf(register, runId, 'run.faulted')
  const head = await register.head(runId)
  expect(fault.payload).toEqual({
    code: 'definition_changed',
    message: expect.stringContaining(`the definition ${head?.definitionHash} was changed`),
  })
  const types = await typesOf(register, runId)
  expect(types.filter((type) => type === 'run.faulted')).toHaveLength(1)
  expect(types.at(-1)).toBe('run.transitioned')
  expect(await register.openEffects(runId)).toEqual([])
}

const edits: readonly [string, (was: AgentDefinition) => AgentDefinition][] = [
  ['what needs an approval', unguarded],
  ['one letter of the instructions', (was) => ({ ...was, instructions: 'You wrote.' })],
  ['a limit', (was) => ({ ...was, limits: { ...was.limits, maxTurns: 51 } })],
  ['another definition in its place', () => agent([toolSpec('pay', 'read')])],
]

test.each(edits)('%s: the run is faulted by name, once, and nothing executes', async (_, to) => {
  const { register, runId } = await waiting()
  const api = processOn(register, []).engine
  expect(await approveFirst(api, register, runId)).toBe('accepted')
  edit(register, runId, to)
  let loads = 0
  const counted: Register = {
    ...register,
    tail: (id, after) => {
      loads += 1
      return register.tail(id, after)
    },
  }
  const processes = [processOn(counted, both), processOn(counted, both)]
  for (const { engine } of processes) await engine.start()
  await expectFaulted(register, runId)
  const settled = loads
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(loads).toBe(settled)
  expect(done).toEqual([])
  expect(processes.flatMap(({ said }) => said)).toContain('a run cannot be decided and is faulted')
  for (const { engine } of processes) await engine.stop(1_000)
})

test('a worker executes nothing of it in the window before the fault, and has it faulted', async () => {
  done.length = 0
  const register = createMemoryRegister(systemClock)
  const deciding = processOn(register, ['orchestrator']).engine
  await deciding.start()
  const runId = await begin(deciding, agent([toolSpec('pay', 'once'), toolSpec('look')]))
  const row = await until(async () =>
    (await register.openEffects(runId)).find(({ kind }) => kind === 'tool.call'),
  )
  await deciding.stop(1_000)
  edit(register, runId, (was) => ({ ...was, tools: [toolSpec('pay', 'read')] }))
  // Nothing of the run is undecided: it is the worker that finds it.
  const { engine } = processOn(register, both)
  await engine.start()
  await expectFaulted(register, runId)
  expect(done).toEqual([])
  const started = (await register.events(runId, {})).filter(({ type }) => type === 'effect.started')
  expect(started.map(({ payload }) => payload['effectId'])).not.toContain(row.effectId)
  expect((await register.effect(row.effectId))?.status).toBe('cancelled')
  await engine.stop(1_000)
})

test('a model call of it is not made', async () => {
  done.length = 0
  const register = createMemoryRegister(systemClock)
  const api = processOn(register, []).engine
  const runId = await begin(api, approved())
  edit(register, runId, (was) => ({ ...was, instructions: 'Tell everything.' }))
  const { engine } = processOn(register, both)
  await engine.start()
  await expectFaulted(register, runId)
  const types = await typesOf(register, runId)
  expect(types).not.toContain('effect.started')
  expect(types).not.toContain('model.completed')
  await engine.stop(1_000)
})

test('it can be cancelled: the cancel is taken, and the run ends', async () => {
  const { register, runId } = await waiting()
  edit(register, runId, unguarded)
  const api = processOn(register, []).engine
  expect(await api.commands.cancel({ ...caller, runId, action: 'interrupt' })).toBe('accepted')
  const { engine } = processOn(register, both)
  await engine.start()
  await expectFaulted(register, runId)
  expect(await engine.commands.cancel({ ...caller, runId, action: 'interrupt' })).toBe('already')
  await engine.stop(1_000)
})

test('who answers an approval of it is told, and the run ends', async () => {
  const { register, runId } = await waiting()
  edit(register, runId, unguarded)
  const api = processOn(register, []).engine
  await expect(approveFirst(api, register, runId)).rejects.toMatchObject({
    code: 'definition_changed',
  })
  const { engine } = processOn(register, both)
  await engine.start()
  await expectFaulted(register, runId)
  await engine.stop(1_000)
})

test('a `once` call whose worker vanished is unknown, whatever the edited definition says of that', async () => {
  done.length = 0
  const register = createMemoryRegister(systemClock)
  const settings = { pollMs: 20, redispatchMs: 50, leaseMs: 200, renewMs: 50 }
  const { promise: isBegun, resolve: begun } = Promise.withResolvers<void>()
  const hanging = functionTools({
    pay: async () => {
      begun()
      return new Promise<JsonObject>(() => {})
    },
  })
  const dying: Register = { ...register }
  const first = world({ model, tools: hanging, register: dying, settings }).engine
  await first.start()
  const runId = await begin(first, agent([toolSpec('pay', 'once')], { onUnknown: 'tell' }))
  await isBegun
  // It lives no more: nothing of it reaches the register.
  const gone = new Promise<never>(() => {})
  dying.renew = () => gone
  dying.append = () => gone
  void first.stop(0)
  edit(register, runId, (was) => ({ ...was, instructions: 'You paid.' }))
  const { engine } = world({ model, tools, register, settings })
  await engine.start()
  expect(await outcomeOf(register, runId)).toBe('failed')
  const fault = await eventOf(register, runId, 'run.faulted')
  expect(fault.payload['code']).toBe('definition_changed')
  expect(done).toEqual([])
  await engine.stop(1_000)
})

test('the fault is reproduced by the definition that was pinned: it was folded from nothing of the edited one', async () => {
  const { register, runId } = await waiting()
  const back = edit(register, runId, unguarded)
  const api = processOn(register, []).engine
  await api.commands.cancel({ ...caller, runId, action: 'interrupt' })
  const { engine } = processOn(register, both)
  await engine.start()
  await expectFaulted(register, runId)
  await engine.stop(1_000)
  back()
  const head = await register.head(runId)
  const definition = head && (await register.definition(head.definitionHash))
  const events = await register.events(runId, {})
  if (!definition) throw new Error('no definition')
  const subject = { run: runId, agent: definition, machine: newestOf(machines) }
  expect(replay(subject, events).differences).toEqual([])
  expect(await typesOf(register, runId)).not.toContain('state.repaired')
})
