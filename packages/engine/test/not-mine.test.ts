/**
 * What is newer than a build, or cannot be prepared by a process, is a condition of one run there (D2, D8): the process
 * leaves the run to others, faults nothing, and goes on with everything else.
 */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  type AgentDefinition,
  machines,
  newestOf,
  type PureEvaluator,
  replay,
} from '@signalbox/core'
import { createMemoryRegister, type MemoryRegister } from '@signalbox/testing/memory'
import type { Engine, PolicyHost, Register } from '@signalbox/engine'
import { canonical, systemClock } from '@signalbox/engine'
import {
  approveFirst,
  begin,
  caller,
  eventOf,
  hostOf,
  httpPolicy,
  outcomeOf,
} from './support/governed.ts'
import {
  agent,
  functionTools,
  silentLog,
  toolSpec,
  turnModel,
  until,
  world,
} from './support/world.ts'

const asks = () => turnModel([[{ tool: 'pay', args: { a: 1 } }], 'done'])

interface Paying {
  readonly engine: Engine
  readonly paid: string[]
  /** Warnings of the log. */
  readonly warned: string[]
  /** The last number of runs it said it leaves to others. */
  readonly left: () => number
}

/** A process with both roles over the register; it is started, and has to be stopped. */
async function process(register: Register, policies?: PolicyHost): Promise<Paying> {
  const paid: string[] = []
  const warned: string[] = []
  let left = 0
  const log = { ...silentLog, warn: (message: string) => void warned.push(message) }
  const tools = functionTools({
    pay: async () => {
      paid.push('paid')
      return 'paid'
    },
  })
  const onNotMine = (runs: number) => void (left = runs)
  const parts = {
    model: asks(),
    tools,
    register,
    log,
    onNotMine,
    settings: { pollMs: 20, redispatchMs: 50 },
  }
  const { engine } = world(policies ? { ...parts, policies } : parts)
  await engine.start()
  return { engine, paid, warned, left: () => left }
}

const approved = (more = {}): AgentDefinition =>
  agent([toolSpec('pay', 'once')], { guardrails: { approvalTools: ['pay'], ...more } })

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
  await approveFirst(engine, register, runId)
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
  await approveFirst(other.engine, register, sibling)
  expect(await outcomeOf(register, sibling)).toBe('completed')
  expect(await outcomeOf(register, runId)).toBe('cancelled')
  await other.engine.stop(1_000)
}, 5_000)

/** What a newer build may have left in a register, and the way back to what this build knows. */
const newer: readonly [string, (register: MemoryRegister, runId: string) => () => void][] = [
  [
    'a machine of a newer version',
    ({ tables }, runId) => {
      const row = tables.runs.get(runId)
      if (row) tables.runs.set(runId, { ...row, machineVersion: 2 })
      return () => {
        const now = tables.runs.get(runId)
        if (now) tables.runs.set(runId, { ...now, machineVersion: 1 })
      }
    },
  ],
  [
    'a cached state of a newer form',
    ({ tables }, runId) => {
      const row = tables.runs.get(runId)
      const state = row?.state ?? null
      if (row) row.state = { ...state, v: 3 }
      return () => {
        if (row) row.state = state
      }
    },
  ],
  [
    'a definition with a key of a newer build',
    ({ tables }, runId) => {
      const hash = tables.runs.get(runId)?.definitionHash ?? ''
      const known = tables.definitions.get(hash)
      if (!known) throw new Error('no definition')
      const limits = { ...known.limits, maxThoughts: 3 }
      const definition = { ...known, limits }
      const definitionHash = createHash('sha256').update(canonical(definition)).digest('hex')
      tables.definitions.set(definitionHash, definition)
      const pin = (to: string): void => {
        const now = tables.runs.get(runId)
        if (now) tables.runs.set(runId, { ...now, definitionHash: to })
      }
      pin(definitionHash)
      return () => pin(hash)
    },
  ],
  [
    'a fact of a type that only a newer build knows',
    ({ tables }, runId) => {
      const log = tables.events.get(runId) ?? []
      const at = log.findIndex(({ type }) => type === 'approval.answered')
      const [answer] = log.slice(at)
      if (!answer) throw new Error('no answer')
      log[at] = { ...answer, type: 'approval.delegated' }
      return () => void (log[at] = answer)
    },
  ],
]

test.each(newer)('%s: the run is left to others, said once, and not spun on', async (_, change) => {
  const { register, runId } = await waiting()
  const api = world({ model: asks(), tools: functionTools({}), register, roles: [] }).engine
  await approveFirst(api, register, runId)
  const back = change(register, runId)
  let loads = 0
  const counted: Register = {
    ...register,
    tail: (id, after) => {
      if (id === runId) loads += 1
      return register.tail(id, after)
    },
  }
  const older = await process(counted)
  const sibling = await begin(older.engine, agent([toolSpec('pay', 'once')]))
  expect(await outcomeOf(register, sibling)).toBe('completed')
  await pause(500)
  expect(loads).toBeLessThan(6)
  const said = older.warned.filter((message) => message === 'a run is left to other processes')
  expect(said).toHaveLength(1)
  expect(older.left()).toBe(1)
  const head = await register.head(runId)
  expect(head).toMatchObject({ status: 'waiting', outcome: null })
  const types = (await register.events(runId, {})).map(({ type }) => type)
  expect(types).not.toContain('run.faulted')
  await older.engine.stop(1_000)
  back()
  const after = await process(register)
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(after.paid).toEqual(['paid'])
  await after.engine.stop(1_000)
})

const cedar = {
  use: 'cedar',
  id: 'c',
  policies: { c: 'permit(principal, action, resource);' },
} as const
const allows: PureEvaluator = ({ tool }) => ({
  effect: 'allow',
  reasons: [{ code: 'x.allow', message: tool }],
  policyId: 'c',
  policyDigest: '',
})
const withCedar = (): PolicyHost => ({ ...hostOf({}), evaluator: () => allows })

/** A run whose model has answered, and nobody has decided yet: to decide, its pure policy must be evaluated. */
async function answered() {
  const register = createMemoryRegister(systemClock)
  const withoutDecision: Register = {
    ...register,
    append: async (item) => {
      const { decision: _decision, claims: _claims, ...facts } = item
      const isAnswer = item.facts?.some(({ type }) => type === 'model.completed') === true
      if (item.decision && !isAnswer && item.facts === undefined && answeredOnce) return never
      if (isAnswer) answeredOnce = true
      return register.append(isAnswer ? facts : item)
    },
  }
  let answeredOnce = false
  const never = new Promise<never>(() => {})
  const first = await process(withoutDecision, withCedar())
  const definition = agent([toolSpec('pay', 'once')], { guardrails: { policies: [cedar] } })
  const runId = await begin(first.engine, definition)
  await eventOf(register, runId, 'model.completed')
  void first.engine.stop(0)
  return { register, runId, definition }
}

test('a decision that takes a policy which this process has not waits for one that has it', async () => {
  const { register, runId } = await answered()
  let has = false
  const later: PolicyHost = {
    ...withCedar(),
    prepare: async () => {
      if (!has) throw new Error('Cedar is not installed')
    },
  }
  const other = await process(register, later)
  await pause(300)
  expect((await register.head(runId))?.stateName).toBe('model')
  expect(other.left()).toBe(1)
  has = true
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(other.paid).toEqual(['paid'])
  expect(other.left()).toBe(0)
  await other.engine.stop(1_000)
})

test('its cancel is carried out all the same: the policies deny, the decision says so, and it replays', async () => {
  const { register, runId, definition } = await answered()
  const other = await process(register, unprepared())
  expect(await other.engine.commands.cancel({ ...caller, runId, action: 'interrupt' })).toBe(
    'accepted',
  )
  expect(await outcomeOf(register, runId)).toBe('cancelled')
  expect(other.paid).toEqual([])
  const events = await register.events(runId, {})
  const steps = events.filter(({ type }) => type === 'run.transitioned')
  expect(steps.some(({ payload }) => payload['withoutPolicies'] === true)).toBe(true)
  const subject = { run: runId, agent: definition, machine: newestOf(machines) }
  const { differences } = replay({ ...subject, evaluatorOf: () => allows }, events)
  expect(differences).toEqual([])
  await other.engine.stop(1_000)
})

test('policies that hang while they are loaded hold up nobody, and their run goes on when they come', async () => {
  const { register, runId } = await waiting(approved({ policies: [httpPolicy] }), hostOf({}))
  const { promise: loaded, resolve: load } = Promise.withResolvers<void>()
  const hanging: PolicyHost = {
    ...hostOf({}),
    prepare: (specs) => (specs.length === 0 ? Promise.resolve() : loaded),
  }
  const other = await process(register, hanging)
  await approveFirst(other.engine, register, runId)
  const sibling = await begin(other.engine, agent([toolSpec('pay', 'once')]))
  expect(await outcomeOf(register, sibling)).toBe('completed')
  expect(other.paid).toEqual(['paid'])
  load()
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect(other.paid).toEqual(['paid', 'paid'])
  await other.engine.stop(1_000)
})

test('a conversation that is newer than the build fails no model call', async () => {
  const register = createMemoryRegister(systemClock)
  const first = await process(register)
  const threadId = 'thread'
  const plain = agent([toolSpec('pay', 'once')])
  const before = await begin(first.engine, plain, { threadId })
  expect(await outcomeOf(register, before)).toBe('completed')
  await first.engine.stop(1_000)
  const log = register.tables.events.get(before) ?? []
  const at = log.findIndex(({ type }) => type === 'model.completed')
  const [answer] = log.slice(at)
  if (!answer) throw new Error('no answer')
  log[at] = { ...answer, version: 2 }
  const older = await process(register)
  const runId = await begin(older.engine, plain, { threadId })
  await pause(300)
  expect((await register.head(runId))?.outcome).toBeNull()
  // With its decision, and once more when it was due again: not each time that it is looked at.
  const starts = register.tables.events.get(runId)?.filter(({ type }) => type === 'effect.started')
  expect(starts?.length).toBeLessThanOrEqual(2)
  await older.engine.stop(1_000)
  log[at] = answer
  const after = await process(register)
  expect(await outcomeOf(register, runId)).toBe('completed')
  await after.engine.stop(1_000)
})

test('an approved call is left to a worker that has its policies: none without them executes or loses it', async () => {
  const { register, runId } = await waiting(approved({ policies: [httpPolicy] }), hostOf({}))
  const lacking = await process(register, unprepared())
  expect(await approveFirst(lacking.engine, register, runId)).toBe('accepted')
  await until(async () => (await register.head(runId))?.stateName === 'tools')
  await pause(300)
  expect(lacking.paid).toEqual([])
  const able = await process(register, hostOf({}))
  expect(await outcomeOf(register, runId)).toBe('completed')
  expect([lacking.paid, able.paid]).toEqual([[], ['paid']])
  const types = (await register.events(runId, {})).map(({ type }) => type)
  expect(types).not.toContain('tool.unknown')
  await lacking.engine.stop(1_000)
  await able.engine.stop(1_000)
})
