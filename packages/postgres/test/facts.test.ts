/** The codes of the port, one by one, on real Postgres. What a code means stands in `engine/src/ports.ts`. */
import { limits } from '@signalbox/core'
import type { FactDraft } from '@signalbox/engine'
import { describe, expect, it } from 'vitest'
import {
  about,
  claim,
  decision,
  event,
  fact,
  fence,
  finalDecision,
  newRun,
  type RunIds,
  toolEffect,
} from './support/drafts.ts'
import { useRegister } from './support/register.ts'
import { ended, running } from './support/stories.ts'

const bench = useRegister()

describe('facts', () => {
  it('are refused for a run that is not there, or is of another tenant (I19)', async () => {
    const run = await running(bench)
    const facts = [fact('tool.completed')]
    expect(await bench.register.append({ ...about(newRun()), facts })).toMatchObject({
      code: 'no_run',
    })
    expect(
      await bench.register.append({ ...about({ ...run, tenantId: 'other' }), facts }),
    ).toMatchObject({ code: 'no_run', seq: 0 })
  })

  it('are idempotent by key, within and across items (I3)', async () => {
    const run = await running(bench)
    const one = fact('tool.completed', 'k')
    const result = await bench.register.append({ ...about(run), facts: [one, one] })
    expect(result).toMatchObject({ factCodes: ['ok', 'duplicate'], seq: 4, facts: 4 })
    const again = await bench.register.append({ ...about(run), facts: [one] })
    expect(again).toMatchObject({ factCodes: ['duplicate'], seq: 4, facts: 4 })
  })

  it('are refused on ended runs; a repetition is still known as one', async () => {
    const run = await ended(bench)
    const facts = [fact('tool.completed'), fact('run.created', 'created')]
    const result = await bench.register.append({ ...about(run), facts })
    expect(result).toMatchObject({ factCodes: ['ended', 'duplicate'], seq: 3 })
  })

  it.each([
    ['started', 'the claimed attempt', 1, 'ok'],
    ['started', 'an older attempt', 0, 'fenced'],
    ['lost', 'a living lease', 1, 'fenced'],
    ['pending', 'a started effect', 1, 'fenced'],
    ['unknown', 'a started effect', 1, 'fenced'],
  ] as const)('fence %s against %s', async (expectation, _what, attempt, code) => {
    const run = await running(bench, (ids) => [toolEffect(ids, 1)])
    const id = `${run.runId}.1`
    await bench.register.append({ ...about(run), claims: [claim(id)] })
    const facts = [fact('tool.completed', 'r', { fence: fence(id, expectation, { attempt }) })]
    const result = await bench.register.append({ ...about(run), facts })
    expect(result.factCodes).toEqual([code])
    expect((await bench.register.effect(id))?.status).toBe(code === 'ok' ? 'done' : 'started')
  })

  it('take an effect through pending, unknown and back to pending', async () => {
    const run = await running(bench, (ids) => [toolEffect(ids, 1, { mode: 'once' })])
    const id = `${run.runId}.1`
    await bench.register.append({ ...about(run), claims: [claim(id, { leaseMs: 1 })] })
    await new Promise((resolve) => setTimeout(resolve, 5))
    const lost = fact('tool.unknown', 'u', { fence: fence(id, 'lost', { becomes: 'unknown' }) })
    const result = await bench.register.append({ ...about(run), facts: [lost] })
    expect(result).toMatchObject({ factCodes: ['ok'], facts: 5 })
    expect(await bench.register.effect(id)).toMatchObject({ status: 'unknown', leaseUntil: null })
    const again = fact('tool.resolved', 'v', {
      fence: fence(id, 'unknown', { becomes: 'pending' }),
    })
    expect((await bench.register.append({ ...about(run), facts: [again] })).factCodes).toEqual([
      'ok',
    ])
    expect(await bench.register.effect(id)).toMatchObject({ status: 'pending', attempt: 1 })
    // Announced by nobody, so it is overdue at once.
    const due = await bench.register.takeDue(['tool.call'], 1000, 1000)
    expect(due.map((effect) => effect.effectId)).toContain(id)
    const never = fact('tool.aborted', 'a', {
      fence: fence(id, 'pending', { becomes: 'cancelled' }),
    })
    expect((await bench.register.append({ ...about(run), facts: [never] })).factCodes).toEqual([
      'ok',
    ])
    expect((await bench.register.effect(id))?.status).toBe('cancelled')
  })

  it('cancel.requested is kept in the head', async () => {
    const run = await running(bench)
    await bench.register.append({ ...about(run), facts: [fact('cancel.requested')] })
    expect((await bench.register.head(run.runId))?.cancelRequested).toBe(true)
  })
})

const said = (messages: number, bytes: number) =>
  fact('input.injected', undefined, {
    payload: { messages: Array.from({ length: messages }, () => ({})), bytes },
  })
const codes = async (run: RunIds, ...facts: FactDraft[]) =>
  (await bench.register.append({ ...about(run), facts })).factCodes

describe('what is said to a run (I6)', () => {
  it('is refused once a cancel was asked, or a decision has closed the run', async () => {
    const asked = await running(bench)
    expect(await codes(asked, said(1, 1), fact('cancel.requested'), said(1, 1))).toEqual([
      'ok',
      'ok',
      'ended',
    ])
    const closed = await running(bench)
    const closing = decision(2, 4, { stateName: 'cancelling' })
    await bench.register.append({ ...about(closed), facts: [fact('timer.fired')] })
    await bench.register.append({ ...about(closed), decision: closing })
    expect(await codes(closed, said(1, 1))).toEqual(['ended'])
    expect(await codes(closed, fact('tool.completed'))).toEqual(['ok'])
  })

  it('moves the decision that would have ended the run', async () => {
    const run = await running(bench)
    await codes(run, fact('model.completed'))
    await codes(run, said(1, 1))
    const end = await bench.register.append({ ...about(run), decision: finalDecision(2, 4) })
    expect(end.decisionCode).toBe('moved')
  })

  it('is refused beyond the limits, and a repetition is still known as one', async () => {
    const run = await running(bench)
    const most = limits.injectedMessagesMax
    const first = said(most - 1, 1)
    expect(await codes(run, first)).toEqual(['ok'])
    expect(await codes(run, said(2, 1))).toEqual(['full'])
    expect(await codes(run, said(1, limits.injectedBytesMax))).toEqual(['full'])
    expect(await codes(run, said(1, limits.injectedBytesMax - 1))).toEqual(['ok'])
    expect(await codes(run, said(1, 1))).toEqual(['full'])
    expect(await codes(run, first)).toEqual(['duplicate'])
  })

  it('of two at once has a number each, whoever asks', async () => {
    const run = await running(bench)
    const both = await Promise.all([said(1, 1), said(1, 1)].map((one) => codes(run, one)))
    expect(both).toEqual([['ok'], ['ok']])
    const events = await bench.register.events(run.runId, { after: 3 })
    expect(events.map(({ seq, type }) => [seq, type])).toEqual([
      [4, 'input.injected'],
      [5, 'input.injected'],
    ])
  })
})

describe('notes', () => {
  it('never move the facts cursor, and are allowed after the end', async () => {
    const run = await ended(bench)
    const result = await bench.register.append({
      ...about(run),
      notes: [event('webhook.delivered')],
    })
    expect(result).toMatchObject({ code: 'ok', seq: 4, facts: 2, decided: 2 })
  })
})
