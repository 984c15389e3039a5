/** The codes of the port, one by one, on real Postgres. What a code means stands in `engine/src/ports.ts`. */
import { describe, expect, it } from 'vitest'
import { about, claim, event, fact, fence, newRun, toolEffect } from './support/drafts.ts'
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
