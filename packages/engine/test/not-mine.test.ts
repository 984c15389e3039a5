/**
 * What is newer than a build, or cannot be prepared by a process, is a condition of one run there (D2, D8): the process
 * leaves the run to others, faults nothing, and goes on with everything else.
 */
import { expect, test } from 'vitest'
import type { AgentDefinition } from '@signalbox/core'
import { createMemoryRegister, type MemoryRegister } from '@signalbox/engine/memory'
import type { Engine, PolicyHost } from '@signalbox/engine'
import { systemClock } from '@signalbox/engine'
import { begin, caller, eventOf, hostOf, httpPolicy, outcomeOf } from './support/governed.ts'
import { agent, functionTools, toolSpec, turnModel, until, world } from './support/world.ts'

const asks = () => turnModel([[{ tool: 'pay', args: { a: 1 } }], 'done'])

interface Paying {
  readonly engine: Engine
  readonly paid: string[]
}

/** A process with both roles over the register; it is started, and has to be stopped. */
async function process(register: MemoryRegister, policies?: PolicyHost): Promise<Paying> {
  const paid: string[] = []
  const tools = functionTools({
    pay: async () => {
      paid.push('paid')
      return 'paid'
    },
  })
  const parts = { model: asks(), tools, register, settings: { pollMs: 20 } }
  const { engine } = world(policies ? { ...parts, policies } : parts)
  await engine.start()
  return { engine, paid }
}

const approved = (more = {}): AgentDefinition =>
  agent([toolSpec('pay', 'once')], { guardrails: { approvalTools: ['pay'], ...more } })

const approve = async (engine: Engine, register: MemoryRegister, runId: string) => {
  const { payload } = await eventOf(register, runId, 'approval.requested')
  const callId = String(payload['callId'])
  return engine.commands.answerApproval({ ...caller, runId, callId, decision: 'approve' })
}

/** A run that waits for a human, its process stopped. */
async function waiting(definition = approved(), policies?: PolicyHost) {
  const register = createMemoryRegister(systemClock)
  const first = await process(register, policies)
  const runId = await begin(first.engine, definition)
  await until(async () => (await register.head(runId))?.status === 'waiting')
  await first.engine.stop(1_000)
  return { register, runId }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const unprepared = (): PolicyHost => ({
  ...hostOf({}),
  prepare: async (specs) => {
    if (specs.length > 0) throw new Error('the module ./mine.ts is not loaded')
  },
})

test('a fact in a newer version faults nothing, and is decided by a process that knows it', async () => {
  const { register, runId } = await waiting()
  const { engine } = world({ model: asks(), tools: functionTools({}), register, roles: [] })
  await approve(engine, register, runId)
  const log = register.tables.events.get(runId) ?? []
  const at = log.findIndex(({ type }) => type === 'approval.answered')
  const answer = log[at]
  if (!answer) throw new Error('no answer')
  log[at] = { ...answer, version: 2 }
  const older = await process(register)
  await pause(300)
  expect((await register.head(runId))?.status).toBe('waiting')
  expect(log.map(({ type }) => type)).not.toContain('run.faulted')
  await older.engine.stop(1_000)
  // As a build that knows the second version would read it.
  log[at] = answer
  const newer = await process(register)
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(newer.paid).toEqual(['paid'])
  await newer.engine.stop(1_000)
})

test('a run whose policies cannot be prepared is cancelled all the same, and stops nobody', async () => {
  const definition = approved({ policies: [httpPolicy] })
  const { register, runId } = await waiting(definition, hostOf({}))
  const other = await process(register, unprepared())
  expect(await other.engine.commands.cancel({ ...caller, runId, action: 'interrupt' })).toBe(
    'accepted',
  )
  const sibling = await begin(other.engine, approved())
  await until(async () => (await register.head(sibling))?.status === 'waiting')
  await approve(other.engine, register, sibling)
  expect(await outcomeOf(register, sibling)).toBe('completed')
  expect(await outcomeOf(register, runId)).toBe('cancelled')
  await other.engine.stop(1_000)
}, 5_000)
