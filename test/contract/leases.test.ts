/**
 * Leases in both registers: a claim that is sent again is known, and leases stand still while nobody can renew them. Would
 * catch: a lost answer that makes a call unknown, and an outage that takes calls from workers who live.
 */
import { createMemoryRegister } from '@signalbox/testing/memory'
import type { Effect, EffectMode } from '@signalbox/core'
import { type ClaimDraft, type FactDraft, type Register, systemClock } from '@signalbox/engine'
import { setTimeout as rest } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  about,
  admission,
  claim,
  event,
  fact,
  fence,
  finalDecision,
  newRun,
  type RunIds,
  settling,
  startEffect,
  toolEffect,
  webhookEffect,
} from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()
const memory = createMemoryRegister(systemClock)
const registers: readonly (readonly [string, () => Register])[] = [
  ['in memory', () => memory],
  ['in Postgres', () => bench.register],
]

const leaseMs = 1_000

interface Subject {
  readonly run: RunIds
  readonly id: string
}

async function call(register: Register, mode: EffectMode): Promise<Subject> {
  const run = newRun()
  await register.append(admission(run, { effects: [toolEffect(run, 1, { mode })] }))
  return { run, id: `${run.runId}.1` }
}

const draft = ({ id }: Subject, over: Partial<ClaimDraft> = {}): ClaimDraft =>
  claim(id, { leaseMs, owner: 'w1', ...over })

async function send(register: Register, { run }: Subject, claimed: ClaimDraft) {
  const result = await register.append({ ...about(run), claims: [claimed] })
  return `${result.claims[0]?.code} ${result.claims[0]?.attempt}`
}

const another = (register: Register, subject: Subject) =>
  send(register, subject, draft(subject, { owner: 'w2' }))

const starts = async (register: Register, { run }: Subject) =>
  (await register.events(run.runId, {})).filter(({ type }) => type === 'effect.started').length

/** Declares an attempt lost, as the reconciler does. */
async function declare(register: Register, { run, id }: Subject) {
  const lost = fact('tool.unknown', `lost-${Math.random()}`, { fence: fence(id, 'lost') })
  return (await register.append({ ...about(run), facts: [lost] })).factCodes[0]
}

/** Some process renews, as each does every now and then. */
async function renewals(register: Register, forMs: number): Promise<void> {
  for (const end = performance.now() + forMs; performance.now() < end;) {
    await register.renew([], leaseMs)
    await rest(leaseMs / 10)
  }
}

describe.each(registers)('a claim that is sent again, %s,', (_name, open) => {
  it.each(['read', 'idempotent', 'once'] as const)(
    'is the same attempt, and no second event: %s',
    async (mode) => {
      const register = open()
      const subject = await call(register, mode)
      const mine = draft(subject)
      expect(await send(register, subject, mine)).toBe('ok 1')
      expect(await send(register, subject, mine)).toBe('ok 1')
      expect(await starts(register, subject)).toBe(1)
      // Neither another claim of the same process, nor the same salt of another.
      expect(await send(register, subject, draft(subject))).toBe('leased 1')
      expect(await send(register, subject, { ...mine, owner: 'w2' })).toBe('leased 1')
    },
  )

  it.each(['idempotent', 'once'] as const)(
    'is known after its lease, and after a cancel: %s',
    async (mode) => {
      const register = open()
      const subject = await call(register, mode)
      const mine = draft(subject)
      await send(register, subject, mine)
      await register.renew([{ effectId: subject.id, attempt: 1 }], 0)
      await rest(2)
      expect(await send(register, subject, mine)).toBe('ok 1')
      const cancel = fact('cancel.requested', 'cancel')
      await register.append({ ...about(subject.run), facts: [cancel] })
      expect(await send(register, subject, mine)).toBe('ok 1')
      expect(await another(register, subject)).toBe('cancelled 1')
      expect(await starts(register, subject)).toBe(1)
    },
  )

  it('is nothing any more once another attempt has begun, or the effect is done', async () => {
    const register = open()
    const subject = await call(register, 'read')
    const mine = draft(subject)
    await send(register, subject, mine)
    await register.renew([{ effectId: subject.id, attempt: 1 }], 0)
    await rest(2)
    expect(await another(register, subject)).toBe('ok 2')
    expect(await send(register, subject, mine)).toBe('leased 2')
    const late = fact('tool.completed', 'l', {
      fence: fence(subject.id, 'started', { attempt: 1 }),
    })
    expect((await register.append({ ...about(subject.run), facts: [late] })).factCodes).toEqual([
      'fenced',
    ])
    const done = fact('tool.completed', 'd', {
      fence: fence(subject.id, 'started', { attempt: 2 }),
    })
    await register.append({ ...about(subject.run), facts: [done] })
    expect(await send(register, subject, mine)).toBe('gone 2')
  })
})

const fault = fact('run.faulted', 'fault')
const done = ({ id }: Subject) => fact('tool.completed', id, { fence: fence(id, 'started') })
const finish = async (register: Register, run: RunIds, facts: readonly FactDraft[] = []) => {
  const { decided = 0, seq = 0 } = (await register.head(run.runId)) ?? {}
  const end = finalDecision(decided, seq + facts.length)
  return register.append({ ...about(run), ...(facts.length > 0 && { facts }), decision: end })
}

describe.each(registers)('the end of a run, %s,', (_name, open) => {
  beforeAll(() => renewals(open(), leaseMs))

  it('waits for what is claimed, and closes the run for claims', async () => {
    const register = open()
    const run = newRun()
    const effects = [toolEffect(run, 1, { mode: 'once' }), toolEffect(run, 2)]
    await register.append(admission(run, { effects }))
    const [subject, other] = effects.map(({ id }) => ({ run, id }))
    if (!subject || !other) throw new Error('no effects')
    await send(register, subject, draft(subject, { leaseMs: 60_000 }))
    expect(await finish(register, run, [fault])).toMatchObject({
      factCodes: ['ok'],
      decisionCode: 'held',
    })
    expect(await register.head(run.runId)).toMatchObject({ status: 'running', decided: 2 })
    expect(await send(register, other, draft(other))).toBe('cancelled 0')
    expect(await register.renew([{ effectId: subject.id, attempt: 1 }], 60_000)).toEqual([
      { effectId: subject.id, kept: true, cancel: true },
    ])
    expect((await finish(register, run)).decisionCode).toBe('held')
    await register.append({ ...about(run), facts: [done(subject)] })
    expect((await finish(register, run)).decisionCode).toBe('ok')
    expect(await register.head(run.runId)).toMatchObject({ status: 'ended' })
  })

  it('waits for no lease that is over, though nobody has declared it lost', async () => {
    const register = open()
    const subject = await call(register, 'once')
    await send(register, subject, draft(subject))
    expect((await finish(register, subject.run, [fault])).decisionCode).toBe('held')
    await renewals(register, leaseMs + 100)
    expect((await finish(register, subject.run)).decisionCode).toBe('ok')
  })

  it('waits for a lease that could not be renewed in an outage', async () => {
    const register = open()
    const subject = await call(register, 'once')
    await send(register, subject, draft(subject))
    await rest(2 * leaseMs)
    expect((await finish(register, subject.run, [fault])).decisionCode).toBe('held')
    await renewals(register, leaseMs * 0.6)
    expect((await finish(register, subject.run)).decisionCode).toBe('held')
    await renewals(register, leaseMs * 0.6)
    expect((await finish(register, subject.run)).decisionCode).toBe('ok')
  })

  it('waits for no lease that was given back', async () => {
    const register = open()
    const subject = await call(register, 'once')
    await send(register, subject, draft(subject))
    await register.renew([{ effectId: subject.id, attempt: 1 }], 0)
    await rest(2)
    expect((await finish(register, subject.run, [fault])).decisionCode).toBe('ok')
  })

  it('waits neither for a question to a policy, a recall or a webhook, nor for a run that was started', async () => {
    const register = open()
    const run = newRun()
    const question: Effect = {
      id: `${run.runId}.1`,
      kind: 'policy.evaluate',
      mode: 'read',
      queue: 'policy',
      delayMs: 0,
      source: `${run.runId}.0`,
      callIds: ['call_1'],
    }
    const asked = { callId: 'call_4', tool: 'write', toolVersion: '1', argsHash: 'a' }
    const recall: Effect = { ...question, ...asked, id: `${run.runId}.4`, kind: 'tool.recall' }
    const effects = [question, webhookEffect(run, 2), startEffect(run, 3), recall]
    await register.append(admission(run, { effects }))
    for (const { id } of effects) await send(register, { run, id }, claim(id, { leaseMs: 60_000 }))
    const started = fact('child.started', 'c', {
      fence: fence(`${run.runId}.3`, 'started', { becomes: 'started' }),
    })
    await register.append({ ...about(run), facts: [started] })
    const ended = await finish(register, run, [fault])
    expect(ended).toMatchObject({ factCodes: ['ok'], decisionCode: 'ok' })
  })
})

describe.each(registers)('a lease, %s,', (_name, open) => {
  beforeAll(() => renewals(open(), leaseMs))

  it('is over after its time, while others renew theirs', async () => {
    const register = open()
    const [once, read] = [await call(register, 'once'), await call(register, 'read')]
    for (const one of [once, read]) await send(register, one, draft(one))
    await renewals(register, leaseMs + 100)
    expect(await another(register, once)).toBe('lost 1')
    expect(await declare(register, once)).toBe('ok')
    expect(await another(register, read)).toBe('ok 2')
  })

  it('is not over in an outage, nor for as long as it was made for after it', async () => {
    const register = open()
    const subjects = [await call(register, 'once'), await call(register, 'read')] as const
    for (const one of subjects) await send(register, one, draft(one))
    await rest(3 * leaseMs)
    const refused = async () => {
      for (const one of subjects) {
        expect(await another(register, one)).toBe('leased 1')
        expect(await declare(register, one)).toBe('fenced')
      }
    }
    // Before anybody else is back, and then.
    await refused()
    await renewals(register, leaseMs * 0.6)
    await refused()
    // Whoever comes back has it still; who does not has lost it.
    const [back, gone] = subjects
    expect(await register.renew([{ effectId: back.id, attempt: 1 }], leaseMs)).toEqual([
      { effectId: back.id, kept: true, cancel: false },
    ])
    await renewals(register, leaseMs * 0.6)
    expect(await another(register, back)).toBe('leased 1')
    expect(await another(register, gone)).toBe('ok 2')
  })

  it('that was given back is over at once, outage or not', async () => {
    const register = open()
    const subject = await call(register, 'idempotent')
    await send(register, subject, draft(subject))
    await rest(leaseMs)
    await register.renew([{ effectId: subject.id, attempt: 1 }], 0)
    await rest(2)
    expect(await another(register, subject)).toBe('ok 2')
  })

  it('of a webhook is settled by the attempt that holds it', async () => {
    const register = open()
    const run = newRun()
    await register.append(admission(run, { effects: [webhookEffect(run, 1)] }))
    const subject = { run, id: `${run.runId}.1` }
    await send(register, subject, draft(subject))
    await register.renew([{ effectId: subject.id, attempt: 1 }], 0)
    await rest(2)
    expect(await another(register, subject)).toBe('ok 2')
    const settle = async (attempt: number) => {
      const settled = settling(subject.id, { attempt })
      return register.append({
        ...about(run),
        notes: [event('webhook.delivered')],
        settle: settled,
      })
    }
    expect(await settle(1)).toMatchObject({ settled: false })
    expect(await settle(2)).toMatchObject({ settled: true })
  })

  it('of a webhook is kept after the end of its run, and no cancel ends it', async () => {
    const register = open()
    const run = newRun()
    const effects = [webhookEffect(run, 1)]
    await register.append({ ...admission(run), decision: finalDecision(0, 2, { effects }) })
    const subject = { run, id: `${run.runId}.1` }
    expect(await send(register, subject, draft(subject))).toBe('ok 1')
    expect(await register.renew([{ effectId: subject.id, attempt: 1 }], leaseMs)).toEqual([
      { effectId: subject.id, kept: true, cancel: false },
    ])
  })
})
