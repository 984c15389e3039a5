/** Claims and leases: the one way an effect starts. The clock is the database's. */
import type { Claimed } from '@signalbox/engine'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { payloadHash } from '../src/chain.ts'
import {
  about,
  admission,
  claim,
  decision,
  fact,
  fence,
  finalDecision,
  newRun,
  toolEffect,
} from './support/drafts.ts'
import { useRegister } from './support/register.ts'
import { type Subject, age, claimOf, withEffect } from './support/stories.ts'

const bench = useRegister()

async function claimRace(subject: Subject): Promise<(string | undefined)[]> {
  const claims = await Promise.all(
    Array.from({ length: 8 }, (_, n) => claimOf(bench, subject, { owner: `w${n}` })),
  )
  return claims.map((one) => one?.code)
}

describe('claims', () => {
  it('increment the attempt and write effect.started in its canonical form', async () => {
    const subject = await withEffect(bench)
    const { run, id } = subject
    expect(await claimOf(bench, subject, { owner: 'w-1', leaseMs: 5000, at: 1234 })).toEqual({
      effectId: id,
      code: 'ok',
      attempt: 1,
    } satisfies Claimed)
    const [note] = await bench.register.events(run.runId, { after: 3 })
    const payload = { attempt: 1, effectId: id, leaseMs: 5000, owner: 'w-1' }
    expect(note).toMatchObject({
      seq: 4,
      type: 'effect.started',
      version: 1,
      at: 1234,
      actor: 'w-1',
      tool: 'write',
      verdict: null,
      key: null,
      payload,
    })
    expect(note?.payloadHash).toBe(payloadHash(note?.salt ?? '', payload))
    expect(await bench.register.effect(id)).toMatchObject({
      status: 'started',
      attempt: 1,
      owner: 'w-1',
    })
  })

  it('are refused while a lease lives, and succeed after it, if the call may be repeated', async () => {
    const subject = await withEffect(bench)
    await claimOf(bench, subject)
    expect(await claimOf(bench, subject)).toMatchObject({ code: 'leased', attempt: 1 })
    await age(bench, subject.id, 60_000)
    expect(await claimOf(bench, subject)).toMatchObject({ code: 'ok', attempt: 2 })
  })

  it('of a once effect whose lease expired are lost, never a second start (I8)', async () => {
    const subject = await withEffect(bench, { mode: 'once' })
    await claimOf(bench, subject)
    await age(bench, subject.id, 60_000)
    expect(await claimOf(bench, subject)).toMatchObject({ code: 'lost', attempt: 1 })
    const events = await bench.register.events(subject.run.runId, {})
    expect(events.filter((one) => one.type === 'effect.started')).toHaveLength(1)
  })

  it('are early before the delay is over', async () => {
    const subject = await withEffect(bench, { delayMs: 60_000 })
    expect(await claimOf(bench, subject)).toMatchObject({ code: 'early', attempt: 0 })
    await age(bench, subject.id, 60_000)
    expect(await claimOf(bench, subject)).toMatchObject({ code: 'ok' })
  })

  it('are cancelled after a cancel, even one in the same item, and after the end (I14)', async () => {
    const subject = await withEffect(bench)
    const { run, id } = subject
    const result = await bench.register.append({
      ...about(run),
      facts: [fact('cancel.requested', 'cancel')],
      claims: [claim(id)],
    })
    expect(result.claims).toEqual([{ effectId: id, code: 'cancelled', attempt: 0 }])
    expect(await claimOf(bench, subject)).toMatchObject({ code: 'cancelled' })
    await bench.register.append({ ...about(run), decision: finalDecision(2, 4) })
    expect(await claimOf(bench, subject)).toMatchObject({ code: 'cancelled' })
  })

  it('are gone for effects that are done, or are not of this run (I7)', async () => {
    const [one, other] = [await withEffect(bench), await withEffect(bench)]
    expect(await claimOf(bench, { run: one.run, id: other.id })).toMatchObject({
      code: 'gone',
      attempt: 0,
    })
    await claimOf(bench, one)
    const done = fact('tool.completed', 'd', { fence: fence(one.id, 'started') })
    await bench.register.append({ ...about(one.run), facts: [done] })
    expect(await claimOf(bench, one)).toMatchObject({ code: 'gone' })
  })

  it('may name effects of the decision of the same item', async () => {
    const run = newRun()
    const id = `${run.runId}.1`
    const item = admission(run, { effects: [toolEffect(run, 1)] })
    const result = await bench.register.append({ ...item, claims: [claim(id), claim(id)] })
    expect(result.claims.map((one) => one.code)).toEqual(['ok', 'leased'])
    expect(result.seq).toBe(4)
  })

  it('are rejected with an owner or lease that is none', async () => {
    const { run, id } = await withEffect(bench)
    for (const over of [{ owner: 'a"b' }, { owner: '' }, { leaseMs: 0 }, { leaseMs: 1.5 }]) {
      const result = await bench.register.append({ ...about(run), claims: [claim(id, over)] })
      expect(result.claims).toMatchObject([{ code: 'rejected' }])
    }
  })

  it('are cancelled once the machine is cancelling, whoever asked for it (I14)', async () => {
    const { run, id } = await withEffect(bench)
    const facts = [fact('timer.fired')]
    const closing = decision(2, 4, { stateName: 'cancelling' })
    await bench.register.append({ ...about(run), facts, decision: closing })
    expect(await claimOf(bench, { run, id })).toMatchObject({ code: 'cancelled' })
    expect(await bench.register.head(run.runId)).toMatchObject({ cancelRequested: true })
  })

  it('stand and fall with the decision of the same item', async () => {
    const { run, id } = await withEffect(bench)
    const result = await bench.register.append({
      ...about(run),
      decision: decision(0, 2),
      claims: [claim(id)],
    })
    expect(result).toMatchObject({
      decisionCode: 'stale',
      claims: [{ effectId: id, code: 'gone', attempt: 0 }],
      seq: 3,
    })
  })

  it('of two processes at once: one wins', async () => {
    const subject = await withEffect(bench)
    const other = await claimRace(subject)
    expect(other.filter((code) => code === 'ok')).toHaveLength(1)
    expect(other.filter((code) => code === 'leased')).toHaveLength(7)
  })
})

describe('renew', () => {
  it('keeps leases at their attempt and carries the cancel', async () => {
    const [kept, stale, done] = [
      await withEffect(bench),
      await withEffect(bench),
      await withEffect(bench),
    ]
    for (const one of [kept, stale, done]) await claimOf(bench, one)
    const over = fact('tool.completed', 'd', { fence: fence(done.id, 'started') })
    await bench.register.append({ ...about(done.run), facts: [over] })
    const before = await bench.register.effect(kept.id)
    const leases = [
      { effectId: stale.id, attempt: 2 },
      { effectId: kept.id, attempt: 1 },
      { effectId: done.id, attempt: 1 },
      { effectId: 'nobody', attempt: 1 },
    ]
    expect(await bench.register.renew(leases, 120_000)).toEqual([
      { effectId: stale.id, kept: false, cancel: false },
      { effectId: kept.id, kept: true, cancel: false },
      { effectId: done.id, kept: false, cancel: false },
      { effectId: 'nobody', kept: false, cancel: false },
    ])
    const after = await bench.register.effect(kept.id)
    expect(after?.leaseUntil).toBeGreaterThan(before?.leaseUntil ?? Infinity)
    await bench.register.append({ ...about(kept.run), facts: [fact('cancel.requested')] })
    expect(await bench.register.renew([{ effectId: kept.id, attempt: 1 }], 1000)).toEqual([
      { effectId: kept.id, kept: true, cancel: true },
    ])
  })

  it('never waits for an append, and answers nothing of a lease that is locked', async () => {
    const subject = await withEffect(bench)
    await claimOf(bench, subject)
    const client = new pg.Client(bench.database.adminUrl)
    await client.connect()
    await client.query('begin')
    await client.query('select from signalbox.effect where id = $1 for update', [subject.id])
    const answer = await Promise.race([
      bench.register.renew([{ effectId: subject.id, attempt: 1 }], 1000),
      setTimeout(10_000, 'waited'),
    ])
    await client.query('rollback')
    await client.end()
    expect(answer).toEqual([])
  })
})
