/**
 * What begins, and what ends, under a lease. Would catch: a payment that begins after its run was cancelled, since the answer to
 * its claim came late; a process that believes a clock that was set; a lease that is lost and a call that goes on.
 */
import {
  type AbortError,
  type Clock,
  type Model,
  type Register,
  systemClock,
  systemRandom,
  type ToolHost,
} from '@signalbox/engine'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createWriter } from '../src/record/draft.ts'
import { withAppend } from './support/faulty.ts'
import {
  caller,
  fastClock,
  type Land,
  land,
  lineTo,
  pass,
  stubbornTools,
} from './support/outage.ts'
import { activePassport } from './support/passport.ts'
import { agent, functionTools, toolSpec, turnModel, until } from './support/world.ts'

const leaseMs = 15_000

let here: Land

beforeEach(() => {
  here = land()
})

afterEach(() => here.stop())

const paying = (effect: 'once' | 'idempotent', onUnknown: 'ask' | 'tell' = 'tell') =>
  agent([toolSpec('pay', effect)], { onUnknown })

/** The same, under a passport that is looked at again before each call: for that the worker reads the run's first event. */
const passport = { use: 'passport', id: 'p', source: './passport.json', passport: activePassport }
const rechecked = () =>
  agent([toolSpec('pay', 'once')], {
    onUnknown: 'tell',
    guardrails: { policies: [{ ...passport, capabilities: { pay: 'exempt' } }], failClosed: false },
  })

const pays = () => turnModel([[{ tool: 'pay', args: {} }], 'done'])

/** A register that answers the first claim of a process only after a while, or when it is told to. */
function lateTo(truth: Register, wait: () => Promise<void>) {
  const { promise: claimed, resolve: claims } = Promise.withResolvers<void>()
  let isFirst = true
  const register = withAppend(truth, async (item, next) => {
    const result = await next(item)
    if (item.claims === undefined || item.decision !== undefined || !isFirst) return result
    isFirst = false
    claims()
    await wait()
    return result
  })
  return { register, claimed }
}

/** Records a fault, as a process does for a run that it cannot decide. */
async function faulted(register: Register, runId: string): Promise<void> {
  const payload = { code: 'undecidable', message: 'for the test' }
  const fact = createWriter({ actor: 'test', clock: fastClock, random: systemRandom })
  const draft = fact.fact('run.faulted', payload, { key: 'fault' })
  await register.append({ tenantId: 'default', runId, facts: [draft] })
}

test('a call that runs when its run faults is aborted at once, and its result is in the log before the end', async () => {
  const { host, causes, begun, letGo } = stubbornTools()
  const engine = await here.start({ roles: ['orchestrator'], model: pays() })
  const renewMs = 200_000
  await here.start({ roles: ['worker'], tools: host, settings: { leaseMs: 3 * renewMs, renewMs } })
  const runId = await here.begin(engine, paying('once'))
  await begun
  const before = fastClock.monotonic()
  await faulted(here.truth, runId)
  await until(async () => causes.length)
  expect(fastClock.monotonic() - before).toBeLessThan(renewMs / 2)
  expect(causes).toMatchObject([{ abortCause: 'cancelled' }])
  // The tool goes on all the same, and is waited for.
  await pass(2 * leaseMs)
  expect(await here.truth.head(runId)).toMatchObject({ status: 'running' })
  letGo()
  expect(await here.outcome(runId)).toBe('failed')
  const types = (await here.events(runId)).map(({ type }) => type)
  expect(types.slice(-3)).toEqual(['run.faulted', 'tool.completed', 'run.transitioned'])
})

describe('a claim whose answer comes late', () => {
  test('by ten leases, after the end of its run: nothing begins', async () => {
    const { register, claimed } = lateTo(here.truth, () => pass(10 * leaseMs))
    const { host, asked, letGo } = stubbornTools()
    letGo()
    const engine = await here.start({ roles: ['orchestrator'], model: pays() })
    await here.start({ roles: ['worker'], register, tools: host })
    const runId = await here.begin(engine, paying('once'))
    await claimed
    await engine.commands.cancel({ ...caller, runId, action: 'interrupt' })
    expect(await here.outcome(runId)).toBe('cancelled')
    await pass(11 * leaseMs)
    expect(asked).toEqual([])
  })

  test('by ten leases, after a fault of its run: nothing begins, and the run ends when the lease is over', async () => {
    const { register, claimed } = lateTo(here.truth, () => pass(10 * leaseMs))
    const { host, asked, letGo } = stubbornTools()
    letGo()
    const engine = await here.start({ roles: ['orchestrator'], model: pays() })
    await here.start({ roles: ['worker'], register, tools: host })
    const runId = await here.begin(engine, paying('once'))
    await claimed
    const before = fastClock.monotonic()
    await faulted(here.truth, runId)
    expect(await here.outcome(runId)).toBe('failed')
    expect(fastClock.monotonic() - before).toBeGreaterThan(leaseMs / 2)
    await pass(11 * leaseMs)
    expect(asked).toEqual([])
  })

  test('after an operator had the call made again: it is made once', async () => {
    const { promise: free, resolve: answer } = Promise.withResolvers<void>()
    const { register: late, claimed } = lateTo(here.truth, () => free)
    // Nor are its renewals answered: while they are, the claim keeps its lease.
    const renew: Register['renew'] = (...asked) => free.then(() => late.renew(...asked))
    const { host, asked, letGo } = stubbornTools()
    letGo()
    const engine = await here.start({ roles: ['orchestrator'], model: pays() })
    await here.start({ roles: ['worker'], register: { ...late, renew }, tools: host })
    const runId = await here.begin(engine, paying('once', 'ask'))
    await claimed
    const { effectId } = await until(async () =>
      (await here.truth.openEffects(runId)).find(({ status }) => status === 'unknown'),
    )
    await here.start({ roles: ['worker'], tools: host })
    await engine.commands.resolveUnknown({ ...caller, runId, effectId, resolution: 'retry' })
    expect(await here.outcome(runId)).toBe('completed')
    answer()
    await pass(leaseMs)
    expect(asked.map(({ attempt }) => attempt)).toEqual([2])
  })

  test('only when it was sent again, and a cancel came meanwhile: nothing begins', async () => {
    let tries = 0
    const cancelling: { run?: () => Promise<unknown> } = {}
    const register = withAppend(here.truth, async (item, next) => {
      const result = await next(item)
      if (item.claims === undefined || (tries += 1) > 1) return result
      await cancelling.run?.()
      throw new Error('the answer is lost')
    })
    const { host, asked, letGo } = stubbornTools()
    letGo()
    const engine = await here.start({ roles: ['orchestrator'], model: pays() })
    await here.start({ roles: ['worker'], register, tools: host })
    cancelling.run = async () => {
      const [runId = ''] = here.truth.tables.runs.keys()
      await engine.commands.cancel({ ...caller, runId, action: 'interrupt' })
    }
    const runId = await here.begin(engine, paying('once'))
    expect(await here.outcome(runId)).toBe('cancelled')
    expect(tries).toBe(2)
    expect(asked).toEqual([])
    expect(await here.events(runId, 'tool.unknown')).toEqual([])
  })

  // The claim was granted; its connection alone fell silent, and is given up after the two leases that a query may take.
  test('never, and whose connection is given up after two leases: the call is made, once', async () => {
    let tries = 0
    const { promise: claimed, resolve: claims } = Promise.withResolvers<void>()
    const register = withAppend(here.truth, async (item, next) => {
      const result = await next(item)
      if (item.claims === undefined || item.decision !== undefined || (tries += 1) > 1)
        return result
      claims()
      await pass(2 * leaseMs)
      throw new Error('the connection does not answer')
    })
    const { host, asked, letGo } = stubbornTools()
    letGo()
    const engine = await here.start({ roles: ['orchestrator'], model: pays() })
    await here.start({ roles: ['worker'], register, tools: host })
    const runId = await here.begin(engine, paying('once'))
    await claimed
    // Another worker, which would take the call over.
    await here.start({ roles: ['worker'], tools: host })
    expect(await here.outcome(runId)).toBe('completed')
    expect(asked).toHaveLength(1)
    expect(await here.events(runId, 'tool.unknown')).toEqual([])
  })

  test('after most of its lease: the lease is renewed first', async () => {
    const { register, claimed } = lateTo(here.truth, () => pass(leaseMs * 0.9))
    const { host, asked, begun, letGo } = stubbornTools()
    const engine = await here.start({ roles: ['orchestrator'], model: pays() })
    await here.start({ roles: ['worker'], register, tools: host })
    const runId = await here.begin(engine, paying('once'))
    await claimed
    await begun
    const row = (await here.truth.openEffects(runId)).find(({ kind }) => kind === 'tool.call')
    expect(Number(row?.leaseUntil) - fastClock.now()).toBeGreaterThan(leaseMs * 0.8)
    letGo()
    expect(await here.outcome(runId)).toBe('completed')
    expect(asked).toHaveLength(1)
  })

  test('a model is not asked, and a webhook not delivered, for a lease that is another’s', async () => {
    const asked: string[] = []
    const model: Model = {
      call: (request, sink, signal) => {
        asked.push(request.messageId)
        return turnModel(['done']).call(request, sink, signal)
      },
    }
    const delivered: string[] = []
    const webhooks = {
      endpoints: () => [
        { on: ['completed' as const], origin: 'https://ops.test', endpoint: 'ops' },
      ],
      deliver: async ({ id }: { readonly id: string }) => {
        delivered.push(id)
        return { code: 'delivered' as const, status: 204 }
      },
    }
    // Every claim of the first process is answered late; whoever else looks takes over meanwhile.
    const slow = withAppend(here.truth, async (item, next) => {
      const result = await next(item)
      if (item.claims !== undefined && item.claims.length > 0) await pass(4 * leaseMs)
      return result
    })
    const parts = { roles: ['orchestrator' as const], model, webhooks }
    const engine = await here.start({ ...parts, register: slow })
    await here.start(parts)
    const creating = here.begin(engine, agent([]))
    const runId = await until(async () => [...here.truth.tables.runs.keys()][0])
    expect(await here.outcome(runId)).toBe('completed')
    await creating
    await until(async () => (await here.events(runId, 'webhook.delivered')).length)
    await pass(5 * leaseMs)
    expect(asked).toHaveLength(1)
    expect(delivered).toHaveLength(1)
  })
})

/** Cuts the line of a worker right after its claim, before it has read what it needs. */
async function cutAfterClaim(alone: boolean) {
  const [own, others] = [lineTo(here.truth), lineTo(here.truth)]
  const register = withAppend(own.register, async (item, next) => {
    const result = await next(item)
    if (item.claims !== undefined) {
      own.cut()
      if (!alone) others.cut()
    }
    return result
  })
  const { host, asked, letGo } = stubbornTools()
  letGo()
  const engine = await here.start({ roles: ['orchestrator'], line: others, model: pays() })
  await here.start({ roles: ['worker'], register, tools: host })
  const runId = await here.begin(engine, rechecked())
  await until(async () =>
    (await here.events(runId)).some(
      ({ tool, type }) => tool === 'pay' && type === 'effect.started',
    ),
  )
  return { runId, asked, own, others }
}

describe('waits between a claim and its call', () => {
  test('in an outage: the call begins when the register is back, once', async () => {
    const { runId, asked, own, others } = await cutAfterClaim(false)
    await pass(4 * leaseMs)
    expect(asked).toEqual([])
    others.mend()
    await pass(1_000)
    own.mend()
    // The line is cut again with each claim; there is none left to come.
    expect(await here.outcome(runId)).toBe('completed')
    expect(asked).toHaveLength(1)
    expect(await here.events(runId, 'tool.unknown')).toEqual([])
  })

  test('while others have taken the call for lost: it never begins', async () => {
    const { runId, asked, own } = await cutAfterClaim(true)
    expect(await here.outcome(runId)).toBe('completed')
    own.mend()
    await pass(2 * leaseMs)
    expect(asked).toEqual([])
    expect(await here.events(runId, 'tool.unknown')).toHaveLength(1)
  })
})

test.each([-3_600_000, 3_600_000])(
  'a clock that is set by %i ms on one process, in the middle of a call, changes nothing',
  async (ms) => {
    let ahead = 0
    const clock: Clock = { ...fastClock, now: () => fastClock.now() + ahead }
    const { host, asked, begun, letGo } = stubbornTools()
    const engine = await here.start({ roles: ['orchestrator'], model: pays() })
    await here.start({ roles: ['worker'], tools: host, clock })
    const runId = await here.begin(engine, paying('once'))
    await begun
    ahead = ms
    await pass(2 * leaseMs)
    letGo()
    expect(await here.outcome(runId)).toBe('completed')
    expect(asked).toHaveLength(1)
    const [done] = await here.events(runId, 'tool.completed')
    const durationMs = Number(done?.payload['durationMs'])
    expect(durationMs).toBeGreaterThan(leaseMs)
    expect(durationMs).toBeLessThan(20 * leaseMs)
  },
)

test('the loss of a lease aborts its call, and only that', async () => {
  const line = lineTo(here.truth)
  const { host, begun, causes, letGo } = stubbornTools()
  const engine = await here.start({ roles: ['orchestrator'], model: pays() })
  await here.start({ roles: ['worker'], line, tools: host })
  const runId = await here.begin(engine, paying('once'))
  await begun
  line.cut()
  expect(await here.outcome(runId)).toBe('completed')
  // As long as the register cannot be asked, the call goes on.
  expect(causes).toEqual([])
  line.mend()
  await until(async () => causes.length)
  expect(causes).toMatchObject([
    { name: 'AbortError', abortCause: 'lease_lost' } satisfies Partial<AbortError>,
  ])
  letGo()
})

test('a model call that is handed over does not end its run: another process makes it', async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const hanging: Model = {
    call: (_request, _sink, signal) => {
      begin()
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    },
  }
  const engine = await here.start({ roles: ['orchestrator'], model: hanging })
  const runId = await here.begin(engine, agent([]))
  await begun
  await engine.stop(0)
  expect((await here.truth.head(runId))?.outcome).toBe(null)
  await here.start({ roles: ['orchestrator'], model: turnModel(['done']) })
  expect(await here.outcome(runId)).toBe('completed')
  const answers = await here.events(runId, 'model.completed')
  expect(answers.map(({ verdict }) => verdict)).toEqual(['complete'])
})

test.each([
  ['idempotent', {}, 'tool.unknown'],
  ['idempotent', { contained: true }, 'tool.aborted'],
  ['once', {}, 'tool.unknown'],
  ['read', {}, 'tool.aborted'],
] as const)(
  'a cancel cuts a call (%s, %j) that does not come back: %s',
  async (effect, more, type) => {
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const tools: ToolHost = {
      ...functionTools({ pay: async () => 1 }),
      call: (_request, signal) => {
        begin()
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ status: 'aborted', settled: false }))
        })
      },
    }
    const engine = await here.start({ roles: ['orchestrator', 'worker'], model: pays(), tools })
    const runId = await here.begin(
      engine,
      agent([{ ...toolSpec('pay', effect), ...more }], { onUnknown: 'tell' }),
    )
    await begun
    await engine.commands.cancel({ ...caller, runId, action: 'interrupt' })
    expect(await here.outcome(runId)).toBe('cancelled')
    const said = (await here.events(runId)).map((event) => event.type)
    expect(said.filter((each) => each.startsWith('tool.'))).toEqual([type])
  },
)

const timed = async (stop: Promise<void>): Promise<number> => {
  const began = performance.now()
  await stop
  return performance.now() - began
}

describe('a stop', () => {
  const graceMs = 1_000
  const clock = systemClock
  test('waits one grace for all that is in flight', async () => {
    const { host, begun } = stubbornTools()
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>()
    const model: Model = {
      call: (request, sink, signal) => {
        if (request.tools.length > 0) return pays().call(request, sink, signal)
        ask()
        return new Promise(() => {})
      },
    }
    const roles = ['orchestrator', 'worker'] as const
    const engine = await here.start({ roles, model, tools: host, clock })
    await here.begin(engine, paying('once'))
    await here.begin(engine, agent([]))
    await Promise.all([begun, asked])
    const ms = await timed(engine.stop(graceMs))
    expect(ms).toBeGreaterThanOrEqual(graceMs * 0.9)
    expect(ms).toBeLessThan(graceMs * 1.7)
  })

  test('does not wait for a register that says nothing', async () => {
    const line = lineTo(here.truth)
    const { host, begun } = stubbornTools()
    const roles = ['orchestrator', 'worker'] as const
    const engine = await here.start({ roles, line, model: pays(), tools: host, clock })
    await here.begin(engine, paying('once'))
    await begun
    line.cut('silently')
    const ms = await timed(engine.stop(graceMs))
    line.mend()
    expect(ms).toBeLessThan(graceMs + 4_000)
  })
})
