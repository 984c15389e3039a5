/**
 * Digests of arguments and results, plain in runs of before and keyed in new ones. Would catch: a digest that can be made
 * without the key, a call that runs although its arguments were exchanged, an approval, a decision or a recording that is
 * lost or stretched between the schemes, a statement per call.
 */
import { createHash, createHmac } from 'node:crypto'
import {
  type AgentDefinition,
  decisionSchemas,
  factSchemas,
  type JsonObject,
} from '@signalbox/core'
import {
  type AnswerApproval,
  type Engine,
  type Register,
  type StoredEvent,
  systemClock,
  systemRandom,
} from '@signalbox/engine'
import { createMemoryRegister, type MemoryRegister } from '@signalbox/testing/memory'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createDigests } from '../src/record/digests.ts'
import { begin, caller, eventOf, hostOf, httpPolicy, outcomeOf, says } from './support/governed.ts'
import { agent, functionTools, toolSpec, type Turn, turnModel, world } from './support/world.ts'

let register: MemoryRegister
const engines: Engine[] = []
beforeEach(() => void (register = createMemoryRegister(systemClock)))
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.stop(1_000)
})

type Scheme = AgentDefinition['digests']
const schemes = ['sha256', 'hmac-sha256'] as const
const pairs = schemes.flatMap((first) => schemes.map((second) => [first, second] as const))

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const plain = '{"pin":"4931"}'
const other = '{"pin":"1111"}'

/** What a digest must be, by its specification: HMAC-SHA-256, under the tenant's key, of the sha256 of RFC 8785. */
function digestOf(scheme: Scheme, text: string): string {
  if (scheme === 'sha256') return sha256(text)
  const key = Buffer.from(register.tables.digestKeys.get('default') ?? '', 'hex')
  return `hk1:${createHmac('sha256', key).update(sha256(text)).digest('hex')}`
}

const open: Turn = [{ tool: 'pay', args: { pin: '4931' } }]

async function scene(turns: readonly Turn[], on: Register = register, helper?: AgentDefinition) {
  const done: JsonObject[] = []
  const tools = functionTools({
    pay: async (args) => {
      done.push(args)
      return 'ok'
    },
  })
  const agents = helper ? { agents: () => helper } : {}
  const model = turnModel(turns)
  const policies = hostOf({ ask: () => says('require_approval') })
  const parts = { model, tools, policies, register: on, checkArguments: () => null }
  const { engine } = world({ ...parts, ...agents })
  engines.push(engine)
  await engine.start()
  return { engine, done }
}

const agentOf = (digests: Scheme, more: JsonObject = {}): AgentDefinition =>
  agent([toolSpec('pay', 'once')], { digests, approvals: { rememberedBits: 128 }, ...more })
const asking = (digests: Scheme): AgentDefinition =>
  agentOf(digests, { guardrails: { approvalTools: ['pay'] } })
const askingByPolicy = (digests: Scheme): AgentDefinition =>
  agentOf(digests, { guardrails: { policies: [httpPolicy] } })

const eventsOf = async (runId: string, type: string): Promise<readonly StoredEvent[]> =>
  (await register.events(runId, {})).filter((event) => event.type === type)

async function answer(
  engine: Engine,
  runId: string,
  said: Partial<AnswerApproval> & Pick<AnswerApproval, 'decision'>,
) {
  const { payload } = await eventOf(register, runId, 'approval.requested')
  const { callId } = decisionSchemas['approval.requested'].parse(payload)
  return engine.commands.answerApproval({ ...caller, runId, callId, ...said })
}

/** Somebody has been at the answer that asked for the call. */
const exchanged = (row: Awaited<ReturnType<Register['effect']>>) =>
  row?.call ? { ...row, call: { ...row.call, args: { pin: '1111' } } } : row

/** Everything that the register holds of its runs, but for what stands in messages as it was said. */
const stored = (): string =>
  JSON.stringify([[...register.tables.events.values()], [...register.tables.effects.values()]])

describe.each(schemes)('in a run with %s', (scheme) => {
  test('arguments, call sets and results are known by it', async () => {
    const { engine, done } = await scene([open, 'done'])
    const runId = await begin(engine, agentOf(scheme))
    expect(await outcomeOf(register, runId)).toBe('completed')
    expect(done).toEqual([{ pin: '4931' }])
    expect(stored()).toContain(digestOf(scheme, plain))
    const [asked] = await eventsOf(runId, 'model.completed')
    const [said] = await eventsOf(runId, 'tool.completed')
    const { callSet } = factSchemas['model.completed'].parse(asked?.payload)
    const { resultHash } = factSchemas['tool.completed'].parse(said?.payload)
    expect(callSet).toMatch(/^[0-9a-f]{12}$/)
    expect(resultHash).toMatch(/^[0-9a-f]{16}$/)
    const result = sha256('[{"text":"\\"ok\\"","type":"text"}]').slice(0, 16)
    expect(resultHash === result).toBe(scheme === 'sha256')
    expect(stored().includes(sha256(plain))).toBe(scheme === 'sha256')
  })

  test('exchanged arguments do not run (I11)', async () => {
    const away = { ...register, effect: async (id: string) => exchanged(await register.effect(id)) }
    const { engine, done } = await scene([open, 'done'], away)
    const runId = await begin(engine, agentOf(scheme))
    await outcomeOf(register, runId)
    const [failed] = await eventsOf(runId, 'tool.failed')
    expect(failed?.payload).toMatchObject({ error: { code: 'call_changed' } })
    expect(done).toEqual([])
  })

  test('edited arguments run, and their digest is of it; another edit is a conflict', async () => {
    const { engine, done } = await scene([open, 'done'])
    const runId = await begin(engine, asking(scheme))
    const edit = { decision: 'edit', args: { pin: '1111' } } as const
    expect(await answer(engine, runId, edit)).toEqual({ code: 'accepted' })
    expect(await answer(engine, runId, edit)).toEqual({ code: 'already' })
    const another = { decision: 'edit', args: { pin: '2222' } } as const
    expect(await answer(engine, runId, another)).toEqual({ code: 'conflict', decision: 'edit' })
    expect(await outcomeOf(register, runId)).toBe('completed')
    expect(done).toEqual([{ pin: '1111' }])
    const [said] = await eventsOf(runId, 'approval.answered')
    expect(said?.payload['edited']).toMatchObject({ argsHash: digestOf(scheme, other) })
  })

  test('an approval for the run holds for the same arguments, and for no others', async () => {
    const { engine, done } = await scene([open, open, [{ tool: 'pay', args: { pin: '1111' } }]])
    const runId = await begin(engine, asking(scheme))
    await answer(engine, runId, { decision: 'approve', scope: 'run' })
    await eventOf(register, runId, 'approval.requested', 1)
    expect(done).toHaveLength(2)
    expect(await eventsOf(runId, 'approval.reused')).toHaveLength(1)
  })

  test('a run that a call starts is compared, started and told of', async () => {
    const helper = agent([], { name: 'helper', digests: scheme })
    const starting = agent([{ ...toolSpec('task'), runs: 'helper' }], { digests: scheme })
    const task: Turn = [{ tool: 'task', args: { prompt: '4931' } }]
    const { engine } = await scene([task, 'done'], register, helper)
    const runId = await begin(engine, starting)
    expect(await outcomeOf(register, runId)).toBe('completed')
    expect(await eventsOf(runId, 'child.ended')).toHaveLength(1)
    expect(stored().includes(sha256('{"prompt":"4931"}'))).toBe(scheme === 'sha256')
  })
})

describe.each(pairs)('between runs, from %s to %s', (before, since) => {
  test('what was approved for always is not asked again, and nothing else is approved', async () => {
    const first = await scene([open, 'done'])
    const approved = await begin(first.engine, asking(before))
    await answer(first.engine, approved, { decision: 'approve', scope: 'always' })
    await outcomeOf(register, approved)
    const next = await begin(first.engine, asking(since))
    expect(await outcomeOf(register, next)).toBe('completed')
    expect(await eventsOf(next, 'approval.requested')).toEqual([])
    const [reused] = await eventsOf(next, 'approval.reused')
    expect(reused?.payload).toMatchObject({ argsHash: digestOf(since, plain), scope: 'always' })
    const second = await scene([[{ tool: 'pay', args: { pin: '1111' } }], 'done'])
    const stranger = await begin(second.engine, asking(since))
    await eventOf(register, stranger, 'approval.requested')
    expect(first.done).toHaveLength(2)
    expect(second.done).toEqual([])
  })

  test('what was approved for always stands where a policy with I/O asks for it', async () => {
    const { engine, done } = await scene([open, 'done'])
    const approved = await begin(engine, askingByPolicy(before))
    await answer(engine, approved, { decision: 'approve', scope: 'always' })
    await outcomeOf(register, approved)
    const second = await scene([open, 'done'])
    const next = await begin(second.engine, askingByPolicy(since))
    expect(await outcomeOf(register, next)).toBe('completed')
    expect(await eventsOf(next, 'approval.requested')).toEqual([])
    const [reused] = await eventsOf(next, 'approval.reused')
    expect(reused?.payload).toMatchObject({ argsHash: digestOf(since, plain), scope: 'always' })
    expect([...done, ...second.done]).toHaveLength(2)
  })

  test('a rerun finds what was recorded, and knows its result as it makes digests', async () => {
    const first = await scene([open, open, 'done'])
    const runId = await begin(first.engine, agentOf(before))
    await outcomeOf(register, runId)
    const again = await scene([open, open, 'done'])
    const answered = await again.engine.commands.rerun({
      ...caller,
      runId,
      threadId: 'again',
      definition: agentOf(since),
      metadata: {},
      alias: null,
    })
    if (answered.code !== 'created') throw new Error(answered.code)
    expect(await outcomeOf(register, answered.runId)).toBe('completed')
    expect(again.done).toEqual([])
    const [recorded] = await eventsOf(runId, 'tool.completed')
    const recalled = await eventsOf(answered.runId, 'tool.completed')
    expect(recalled).toHaveLength(2)
    const hashes = recalled.map(({ payload }) => payload['resultHash'])
    expect(new Set(hashes).size).toBe(1)
    const isKeyedNow = before === 'sha256' && since === 'hmac-sha256'
    expect(hashes[0] === recorded?.payload['resultHash']).toBe(!isKeyedNow)
    if (since === 'sha256') return
    expect(JSON.stringify(await register.events(answered.runId, {}))).not.toContain(sha256(plain))
  })
})

describe('the key', () => {
  test('is read once per process and tenant, however many calls there are', async () => {
    let asked = 0
    const digestKey: Register['digestKey'] = (wanted) => {
      asked += 1
      return register.digestKey(wanted)
    }
    const { engine, done } = await scene([open, open, 'done'], { ...register, digestKey })
    for (const _ of [1, 2, 3])
      await outcomeOf(register, await begin(engine, agentOf('hmac-sha256')))
    expect(done).toHaveLength(6)
    expect(asked).toBe(1)
  })

  test('of one tenant is none of another', async () => {
    const digests = createDigests({ register, random: systemRandom })
    const args = { pin: '4931' }
    const agentOfAll = { digests: 'hmac-sha256' } as const
    const one = (await digests.by('a', agentOfAll)).argsHash(args)
    expect((await digests.by('b', agentOfAll)).argsHash(args)).not.toBe(one)
    const process = createDigests({ register, random: systemRandom })
    expect((await process.by('a', agentOfAll)).argsHash(args)).toBe(one)
    expect(await process.matches('a', args, one)).toBe(true)
    expect(await process.matches('b', args, one)).toBe(false)
    expect(await process.matches('a', { pin: '1111' }, one)).toBe(false)
  })

  test('that cannot be read is asked for again: no run fails for it', async () => {
    let failures = 3
    const digestKey: Register['digestKey'] = async (wanted) => {
      failures -= 1
      if (failures >= 0) throw new Error('the register is away')
      return register.digestKey(wanted)
    }
    const { engine, done } = await scene([open, 'done'], { ...register, digestKey })
    const runId = await begin(engine, agentOf('hmac-sha256'))
    expect(await outcomeOf(register, runId)).toBe('completed')
    expect(done).toHaveLength(1)
  })

  test('that somebody stops waiting for is read by those who still do', async () => {
    const given = new AbortController()
    let reads = 0
    const digestKey = async (): Promise<string> => {
      reads += 1
      if (reads === 1)
        await new Promise((resolve) => given.signal.addEventListener('abort', resolve))
      if (reads === 1) throw new Error('connection lost')
      return 'ab'.repeat(32)
    }
    const digests = createDigests({ register: { digestKey }, random: systemRandom })
    const definition = { digests: 'hmac-sha256' } as const
    const first = digests.by('t', definition)
    const second = digests.by('t', definition)
    const third = digests.by('t', definition)
    given.abort()
    await expect(first).rejects.toThrow('connection lost')
    expect((await second).argsHash({})).toBe((await third).argsHash({}))
    expect(reads).toBe(2)
  })

  test('that is gone while a call waits lets nothing run, and what was approved is asked again', async () => {
    const first = await scene([open, 'done'])
    const always = await begin(first.engine, asking('hmac-sha256'))
    const waits = await begin(first.engine, asking('hmac-sha256'))
    await eventOf(register, waits, 'approval.requested')
    await answer(first.engine, always, { decision: 'approve', scope: 'always' })
    await outcomeOf(register, always)
    expect(first.done).toHaveLength(1)
    await first.engine.stop(1_000)
    register.tables.digestKeys.clear()
    const second = await scene([open, 'done'])
    await answer(second.engine, waits, { decision: 'approve' })
    await outcomeOf(register, waits)
    expect((await eventsOf(waits, 'tool.failed'))[0]?.payload).toMatchObject({
      error: { code: 'call_changed' },
    })
    const next = await begin(second.engine, asking('hmac-sha256'))
    await eventOf(register, next, 'approval.requested')
    expect(second.done).toEqual([])
  })
})
