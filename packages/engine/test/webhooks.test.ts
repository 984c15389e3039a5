/**
 * Delivering webhooks, with the register in memory and a clock that can be set forward. Would catch: an end that nobody is told
 * of because a process died, another id on another attempt, a note that is written twice, attempts without end or in a hurry.
 */
import { effectId } from '@signalbox/core'
import {
  type Delivery,
  type DeliveryAnswer,
  type Engine,
  type EngineSettings,
  type Register,
  systemClock,
  type WebhookSender,
} from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { retryDelay } from '../src/perform/retry-delay.ts'
import { expire, mortal, withAppend } from './support/faulty.ts'
import { eventOf, outcomeOf } from './support/governed.ts'
import { agent, functionTools, turnModel, until, world } from './support/world.ts'

const address = 'https://hooks.test/secret-path?token=1'

function office(...answers: readonly DeliveryAnswer[]) {
  let ahead = 0
  const clock = { ...systemClock, now: () => Date.now() + ahead }
  const register = createMemoryRegister(clock)
  const sent: Delivery[] = []
  const webhooks: WebhookSender = {
    endpoints: () => [],
    deliver: async (delivery) => {
      sent.push(delivery)
      return answers[Math.min(sent.length, answers.length) - 1] ?? ok
    },
  }
  const engineOn = (over: Register, settings: Partial<EngineSettings> = {}) =>
    world({
      register: over,
      clock,
      webhooks,
      model: turnModel(['done']),
      tools: functionTools({}),
      settings: { pollMs: 10, ...settings },
    }).engine
  const notes = async (runId: string) =>
    (await register.events(runId, {})).filter(({ type }) => /^(?:webhook|effect)\./.test(type))
  return {
    register,
    sent,
    engineOn,
    /** Types of what the log says of deliveries, with the attempt. */
    log: async (runId: string) =>
      (await notes(runId))
        .filter(({ payload }) => payload['effectId'] === effectId(runId, 2))
        .map(({ type, payload }) => `${type} ${Number(payload['attempt'])}`),
    notes,
    forward: (ms: number) => void (ahead += ms),
  }
}

const ok: DeliveryAnswer = { code: 'delivered', status: 200 }
const busy: DeliveryAnswer = { code: 'rejected', status: 429, retryAfterMs: null, final: false }

const created = async (engine: Engine) => {
  await engine.start()
  return create(engine, 't1')
}

const create = async (engine: Engine, threadId: string) => {
  const answer = await engine.commands.createRun({
    tenantId: 'default',
    actor: 'user:test',
    threadId,
    definition: agent([]),
    input: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }],
    metadata: {},
    webhook: address,
    alias: null,
  })
  if (answer.code !== 'created') throw new Error(answer.code)
  return answer.runId
}

const has = (log: readonly string[], line: string) => (log.includes(line) ? log : null)

test('who dies between the delivery and the note has delivered what is delivered again, under the same id', async () => {
  const { register, engineOn, sent, log } = office()
  const doomed = mortal(register, { before: (item) => item.settle !== undefined })
  const first = engineOn(doomed.register)
  const runId = await created(first)
  await doomed.dead
  expect(await log(runId)).toEqual(['effect.started 1'])
  await expire(register, runId)
  const second = engineOn(register)
  await second.start()
  const whole = await until(async () => has(await log(runId), 'webhook.delivered 2'))
  expect(whole).toEqual(['effect.started 1', 'effect.started 2', 'webhook.delivered 2'])
  expect(sent.map(({ id, to }) => [id, to])).toEqual(
    [1, 2].map(() => [effectId(runId, 2), { url: address }]),
  )
  await Promise.all([first.stop(100), second.stop(100)])
})

test('a sender that throws, or does not come back, holds up no run; its words stand in no event', async () => {
  const register = createMemoryRegister(systemClock)
  const hung = Promise.withResolvers<void>()
  const webhooks: WebhookSender = {
    endpoints: () => [],
    deliver: (_delivery, signal) => {
      if (!hangs) throw new Error(`no way to ${address}`)
      hung.resolve()
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      })
    },
  }
  let hangs = false
  const { engine } = world({
    register,
    webhooks,
    model: turnModel(['done']),
    tools: functionTools({}),
    settings: { pollMs: 10 },
  })
  const throwing = await created(engine)
  const failure = await eventOf(register, throwing, 'webhook.failed')
  expect(failure.payload).toMatchObject({ code: 'not_sent', status: null })
  expect(failure.payload['retryMs']).toBeGreaterThan(0)
  hangs = true
  for (const threadId of ['t2', 't3'])
    expect(await outcomeOf(register, await create(engine, threadId))).toBe('completed')
  await hung.promise
  await engine.stop(100)
  const said = JSON.stringify([...register.tables.events.values()])
  expect(said).not.toContain('hooks.test/secret-path')
})

test('an answer of the register that is lost writes no note twice', async () => {
  const { register, engineOn, sent, log } = office()
  let lost = 0
  const forgetful = withAppend(register, async (item, next) => {
    const result = await next(item)
    if (item.settle === undefined || (lost += 1) > 1) return result
    throw new Error('connection lost')
  })
  const engine = engineOn(forgetful)
  const runId = await created(engine)
  await until(async () => lost > 1)
  await engine.stop(1_000)
  expect(await log(runId)).toEqual(['effect.started 1', 'webhook.delivered 1'])
  expect(sent).toHaveLength(1)
})

test('eight attempts within a day, then none, until somebody asks: then as many again', async () => {
  const { register, engineOn, log, notes, forward, sent } = office(busy)
  const engine = engineOn(register)
  const runId = await created(engine)
  const id = effectId(runId, 2)
  const about = { tenantId: 'default', actor: 'user:test', runId, effectId: id }
  for (let n = 1; n < 8; n += 1) {
    await until(async () => has(await log(runId), `webhook.failed ${n}`))
    expect(await engine.commands.replayWebhook(about)).toBe('under_way')
    const retryMs = Number((await notes(runId)).at(-1)?.payload['retryMs'])
    forward(retryMs - 2_000)
    expect((await register.effect(id))?.status).toBe('pending')
    forward(2_000)
  }
  await until(async () => has(await log(runId), 'webhook.failed 8'))
  const failures = (await notes(runId)).filter(({ type }) => type === 'webhook.failed')
  const delays = failures.map(({ payload }) => payload['retryMs'])
  const hours = delays.reduce((sum: number, ms) => sum + Number(ms ?? 0), 0) / 3_600_000
  expect(hours).toBeGreaterThan(23)
  expect(hours).toBeLessThan(27)
  expect(delays.at(-1)).toBeNull()
  expect(failures.map(({ verdict }) => verdict)).toEqual([...Array(7).fill('retried'), 'gave_up'])
  expect((await register.effect(id))?.status).toBe('done')

  expect(await engine.commands.replayWebhook({ ...about, tenantId: 'other' })).toBe('unknown')
  expect(await engine.commands.replayWebhook({ ...about, effectId: `${runId}.1` })).toBe('unknown')
  expect(await engine.commands.replayWebhook(about)).toBe('accepted')
  await until(async () => has(await log(runId), 'webhook.failed 9'))
  const last = (await notes(runId)).at(-1)
  expect(Number(last?.payload['retryMs'])).toBeLessThan(6_000)
  expect(last?.verdict).toBe('retried')
  expect(new Set(sent.map((each) => each.id)).size).toBe(1)
  const replayed = (await notes(runId)).find(({ type }) => type === 'webhook.replayed')
  expect(replayed).toMatchObject({ actor: 'user:test', payload: { attempt: 8 } })
  await engine.stop(1_000)
})

test('an address that was erased with the content of its thread is told nothing; no event ever held it', async () => {
  const { register, engineOn, log, notes, sent } = office(busy, ok)
  const blind: Register = { ...register, blob: async () => null }
  const engine = engineOn(blind)
  const runId = await created(engine)
  await until(async () => has(await log(runId), 'webhook.failed 1'))
  expect((await notes(runId)).at(-1)?.payload).toMatchObject({
    code: 'address_gone',
    retryMs: null,
  })
  expect(sent).toEqual([])
  expect(JSON.stringify(await register.events(runId, {}))).not.toContain('token')
  expect(JSON.stringify(await register.events(runId, {}))).not.toContain('secret-path')
  await engine.stop(1_000)
})

test('a pause is never shorter than its own, nor than what was asked up to six hours', () => {
  const own = [5_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 54_000_000]
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 }),
      fc.option(fc.nat(1_000_000_000)),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (n, askedMs, chance) => {
        const pause = retryDelay(n, { askedMs, chance })
        const [least] = own.slice(n - 1)
        expect(pause === null).toBe(least === undefined)
        if (least === undefined || pause === null) return
        expect(pause).toBeGreaterThanOrEqual(least)
        expect(pause).toBeGreaterThanOrEqual(Math.min(askedMs ?? 0, 21_600_000))
        expect(pause).toBeLessThanOrEqual(
          Math.max(least * 1.1 + 1, Math.min(askedMs ?? 0, 21_600_000)),
        )
      },
    ),
  )
})

test('an outcome that no register takes uses up no room', async () => {
  const { register, sent, engineOn } = office(ok)
  let bad: string | undefined
  const over = withAppend(register, (item, next) => {
    const isOutcome = (item.notes ?? []).some(({ type }) => type.startsWith('webhook.'))
    if (isOutcome) bad ??= item.runId
    return isOutcome && item.runId === bad ? Promise.reject(new Error('bad')) : next(item)
  })
  const engine = engineOn(over, { webhookConcurrency: 1 })
  await created(engine)
  await until(async () => bad)
  const others = [await create(engine, 't2'), await create(engine, 't3')]
  for (const runId of others)
    await until(async () => sent.some((one) => one.runId === runId) || null)
  expect(sent.map((one) => one.runId)).toEqual(expect.arrayContaining(others))
  await engine.stop(0)
})
