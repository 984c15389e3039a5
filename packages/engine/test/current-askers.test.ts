/**
 * Policies of today's configuration that are asked, with their real host: what they want a person to approve is not executed unless a
 * person did. Would catch: a policy server or module that is put in the way of a tool and has no say in runs that began before.
 */
import { decisionSchemas, type JsonObject, type PolicyRequest } from '@signalbox/core'
import { expect, test } from 'vitest'
import { createPolicyHost } from '../../policies/src/index.ts'
import { approveFirst, begin, eventOf, governed, outcomeOf } from './support/governed.ts'
import { functionTools, silentLog, turnModel, until, world } from './support/world.ts'

type Says = 'allow' | 'deny' | 'require_approval'

const module = { use: 'module', id: 'asker', path: './asker.ts' }
const lists = { approvalTools: ['pay'] }

/** Runs one after the other, each pays once: under `pinned`, in a process that is configured with `current`. */
async function scene(
  parts: { readonly pinned: JsonObject; readonly current: JsonObject; readonly turns?: number },
  says: (request: PolicyRequest) => Says,
) {
  const paid: unknown[] = []
  const tools = functionTools({ pay: async (args) => (paid.push(args), 'paid') })
  const policies = createPolicyHost({
    log: silentLog,
    clock: { now: () => Date.now() },
    env: {},
    modules: new Map([['./asker.ts', (request) => ({ effect: says(request) })]]),
    baseDir: '.',
  })
  let current: JsonObject | null = null
  const pay = [{ tool: 'pay', args: { to: 'ann' } }]
  const { engine, register } = world({
    model: turnModel([...Array.from({ length: parts.turns ?? 1 }, () => pay), 'done']),
    tools,
    policies,
    agents: () => current && governed({ guardrails: current }),
  })
  await engine.start()
  const start = () => begin(engine, governed({ guardrails: parts.pinned }))
  /** From here on the configuration is another one. */
  const change = () => void (current = parts.current)
  const deniedIn = async (runId: string) => {
    await outcomeOf(register, runId)
    return (await register.events(runId, {})).find(({ type }) => type === 'tool.denied')?.payload
  }
  const stop = async () => {
    await engine.stop(1_000)
    await policies.close()
  }
  return { engine, register, paid, start, change, deniedIn, stop }
}

test.each<[string, JsonObject]>([
  ['a module alone', { policies: [module] }],
  ['a module beside lists', { deniedTools: ['search'], policies: [module] }],
])(
  'what %s of today wants a person to approve, and nobody did, is not called',
  async (_n, current) => {
    const { paid, start, change, deniedIn, stop } = await scene(
      { pinned: {}, current },
      () => 'require_approval',
    )
    change()
    const denied = await deniedIn(await start())
    await stop()
    expect(paid).toEqual([])
    expect(denied).toMatchObject({ configuration: 'current', answer: { effect: 'deny' } })
  },
)

test('a module of today that denies is asked, though nobody was asked to approve', async () => {
  const { paid, start, change, deniedIn, stop } = await scene(
    { pinned: {}, current: { policies: [module] } },
    () => 'deny',
  )
  change()
  expect(await deniedIn(await start())).toMatchObject({ configuration: 'current' })
  await stop()
  expect(paid).toEqual([])
})

test('what a person approved in this run is called, whichever policy of today wants the approval', async () => {
  const { engine, register, paid, start, change, deniedIn, stop } = await scene(
    { pinned: lists, current: { policies: [module] } },
    () => 'require_approval',
  )
  change()
  const runId = await start()
  await approveFirst(engine, register, runId)
  expect(await deniedIn(runId)).toBeUndefined()
  await stop()
  expect(paid).toEqual([{ to: 'ann' }])
})

test.each<[string, JsonObject]>([
  ['a list', lists],
  ['a module', { policies: [module] }],
])(
  'what a person approved for the run before, as %s wanted, is called again, whichever policy of today wants it',
  async (_name, pinned) => {
    const { engine, register, paid, start, change, deniedIn, stop } = await scene(
      { pinned, current: { deniedTools: ['search'], policies: [module] }, turns: 2 },
      () => 'require_approval',
    )
    const runId = await start()
    const { payload } = await eventOf(register, runId, 'approval.requested')
    change()
    const answer = {
      tenantId: 'default',
      actor: 'user:test',
      runId,
      callId: decisionSchemas['approval.requested'].parse(payload).callId,
      decision: 'approve',
      scope: 'run',
    } as const
    expect(await engine.commands.answerApproval(answer)).toEqual({ code: 'accepted' })
    const denied = await deniedIn(runId)
    const reused = await until(async () =>
      (await register.events(runId, {})).find(({ type }) => type === 'approval.reused'),
    )
    await stop()
    expect(reused).toBeDefined()
    expect(denied).toBeUndefined()
    expect(paid).toHaveLength(2)
  },
)
