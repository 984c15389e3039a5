/**
 * Facts of a newer version, of a run that this build may work for otherwise: the newer build has decided what they say, and
 * what is left to do is of a machine and a definition that both know. What cannot be read is left to others before it is
 * claimed: nobody is told that a call may have happened which never began, or that nobody is to be told of a run (D8).
 */
import { expect, test } from 'vitest'
import { type AgentDefinition, decisionSchemas } from '@signalbox/core'
import { createMemoryRegister, type MemoryRegister } from '@signalbox/testing/memory'
import { type Engine, systemClock, type WebhookSender } from '@signalbox/engine'
import { byTurn, dumping, readerAgent, reads } from './support/compacting.ts'
import { counting } from './support/counting.ts'
import {
  approveFirst,
  begin,
  caller,
  eventOf,
  hostOf,
  httpPolicy,
  outcomeOf,
} from './support/governed.ts'
import { agent, functionTools, toolSpec, turnModel, until, world } from './support/world.ts'

type Parts = Partial<Parameters<typeof world>[0]>

/** A started process over the register, and the calls it made. */
async function processOf(register: MemoryRegister, parts: Parts = {}) {
  const paid: string[] = []
  const pay = async () => {
    paid.push('paid')
    return 'paid'
  }
  const { engine } = world({
    model: turnModel([[{ tool: 'pay', args: { a: 1 } }], 'done']),
    tools: functionTools({ pay }),
    register,
    policies: hostOf({}),
    checkArguments: () => null,
    settings: { pollMs: 20, redispatchMs: 50, leaseMs: 200, renewMs: 50 },
    ...parts,
  })
  await engine.start()
  return { engine, paid }
}

/** A fact gets the form of a newer version; answers the way back. */
function raise({ tables }: MemoryRegister, runId: string, type: string): () => void {
  const log = tables.events.get(runId) ?? []
  const at = log.findIndex((event) => event.type === type)
  const [known] = log.slice(at)
  if (!known) throw new Error(`no ${type}`)
  log[at] = { ...known, version: 2, payload: { said: known.payload } }
  return () => void (log[at] = known)
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const typesOf = async (register: MemoryRegister, runId: string): Promise<readonly string[]> =>
  (await register.events(runId, {})).map(({ type }) => type)

const approved = (): AgentDefinition =>
  agent([toolSpec('pay', 'once')], {
    guardrails: { approvalTools: ['pay'], policies: [httpPolicy] },
  })

/** What a human says, by the fact that the call is then checked by. */
const answers = {
  'run.created': approveFirst,
  'approval.answered': async (engine: Engine, register: MemoryRegister, runId: string) => {
    const { payload } = await eventOf(register, runId, 'approval.requested')
    const callId = decisionSchemas['approval.requested'].parse(payload).callId
    const edit = { ...caller, runId, callId, decision: 'edit', args: { a: 2 } } as const
    return (await engine.commands.answerApproval(edit)).code
  },
}

test.each(['run.created', 'approval.answered'] as const)(
  'a call that is checked by a newer %s is not claimed, so it is never unknown; who can read it makes it',
  async (type) => {
    const register = createMemoryRegister(systemClock)
    const deciding = await processOf(register, { roles: ['orchestrator'] })
    const runId = await begin(deciding.engine, approved())
    await answers[type](deciding.engine, register, runId)
    await until(async () =>
      (await register.openEffects(runId)).some(({ kind }) => kind === 'tool.call'),
    )
    await deciding.engine.stop(1_000)
    const back = raise(register, runId, type)
    const before = await typesOf(register, runId)
    const older = await processOf(register)
    await pause(800)
    expect(await typesOf(register, runId)).toEqual(before)
    await older.engine.stop(1_000)
    expect(older.paid).toEqual([])
    back()
    const newer = await processOf(register)
    expect(await outcomeOf(register, runId)).toBe('completed')
    expect(newer.paid).toEqual(['paid'])
    await newer.engine.stop(1_000)
  },
)

test('policies are not asked, over and over, about a run whose beginning is newer', async () => {
  const register = createMemoryRegister(systemClock)
  const never = hostOf({ ask: () => new Promise(() => {}) })
  const deciding = await processOf(register, { policies: never })
  const definition = agent([toolSpec('pay', 'once')], { guardrails: { policies: [httpPolicy] } })
  const runId = await begin(deciding.engine, definition)
  await until(async () => (await register.openEffects(runId)).some(({ attempt }) => attempt === 1))
  await until(
    async () =>
      (await typesOf(register, runId)).filter((type) => type === 'effect.started').length === 2,
  )
  await deciding.engine.stop(0)
  const back = raise(register, runId, 'run.created')
  const before = await typesOf(register, runId)
  const older = await processOf(register)
  await pause(1_200)
  expect(await typesOf(register, runId)).toEqual(before)
  await older.engine.stop(1_000)
  back()
  const newer = await processOf(register)
  expect(await outcomeOf(register, runId)).toBe('completed')
  await newer.engine.stop(1_000)
})

const reading = (summary?: Parameters<typeof byTurn>[1]) => ({
  model: counting(byTurn(reads(12), summary), 32_000).model,
  tools: dumping(),
})
const never = ({ signal }: { readonly signal: AbortSignal }) =>
  new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
  )

test('a conversation that is newer is not claimed, over and over, to be summed up', async () => {
  const register = createMemoryRegister(systemClock)
  const deciding = await processOf(register, reading(never))
  const runId = await begin(deciding.engine, readerAgent())
  await until(async () =>
    (await register.openEffects(runId)).some(
      ({ kind, attempt }) => kind === 'context.compact' && attempt === 1,
    ),
  )
  await deciding.engine.stop(0)
  const back = raise(register, runId, 'tool.completed')
  const before = await typesOf(register, runId)
  const older = await processOf(register, reading())
  await pause(1_200)
  expect(await typesOf(register, runId)).toEqual(before)
  await older.engine.stop(1_000)
  back()
  const newer = await processOf(register, reading())
  expect(await outcomeOf(register, runId)).toBe('completed')
  await newer.engine.stop(1_000)
}, 10_000)

test('a webhook whose address is said in a newer form is not given up', async () => {
  const register = createMemoryRegister(systemClock)
  const told: string[] = []
  const sender: WebhookSender = {
    endpoints: () => [],
    deliver: async ({ on }) => {
      told.push(on)
      return { code: 'delivered', status: 200 }
    },
  }
  const alone = await processOf(register)
  const runId = await begin(alone.engine, agent([toolSpec('pay', 'once')]), {
    webhook: 'https://example.com/hook',
  })
  expect(await outcomeOf(register, runId)).toBe('completed')
  await alone.engine.stop(1_000)
  const back = raise(register, runId, 'run.created')
  const before = await typesOf(register, runId)
  const older = await processOf(register, { webhooks: sender })
  await pause(3_000)
  expect(await typesOf(register, runId)).toEqual(before)
  await older.engine.stop(1_000)
  back()
  const newer = await processOf(register, { webhooks: sender })
  await until(async () => told.length > 0)
  await newer.engine.stop(1_000)
}, 10_000)

test('nobody approves a call of their own run because the fact that names its user is newer', async () => {
  const register = createMemoryRegister(systemClock)
  const { engine } = await processOf(register)
  const definition = agent([toolSpec('pay', 'once')], {
    guardrails: { approvalTools: ['pay'] },
    approvals: { forbidRequester: true },
  })
  const ann = { id: 'ann', role: null }
  const runId = await begin(engine, definition, { user: ann })
  const { payload } = await eventOf(register, runId, 'approval.requested')
  const log = register.tables.events.get(runId) ?? []
  const [created] = log
  if (!created) throw new Error('no first event')
  // The newer build says it elsewhere.
  const { user: _, ...rest } = created.payload
  log[0] = { ...created, version: 2, payload: { ...rest, whom: ann } }
  const callId = decisionSchemas['approval.requested'].parse(payload).callId
  const answer = { ...caller, runId, callId, decision: 'approve', by: ann } as const
  await expect(engine.commands.answerApproval(answer)).rejects.toThrow('newer')
  expect(await typesOf(register, runId)).not.toContain('approval.answered')
  await engine.stop(1_000)
})
