/** What the register refuses to hold, whoever asks. */
import { limits } from '@signalbox/core'
import { describe, expect, it } from 'vitest'
import {
  about,
  claim,
  decision,
  event,
  fact,
  finalDecision,
  toolEffect,
  webhookEffect,
} from './support/drafts.ts'
import { useRegister } from './support/register.ts'
import { running } from './support/stories.ts'

const bench = useRegister()

const notes = (count: number) => Array.from({ length: count }, () => event('tool.late'))

const stateOf = (bytes: number) => ({ s: 'x'.repeat(bytes - JSON.stringify({ s: '' }).length) })

describe('limits', () => {
  it('accepts a state of exactly the limit and rejects one byte more', async () => {
    const run = await running(bench)
    await bench.register.append({ ...about(run), facts: [fact('a.done'), fact('b.done')] })
    const over = decision(2, 4, { state: stateOf(limits.stateBytesMax + 1) })
    expect(await bench.register.append({ ...about(run), decision: over })).toMatchObject({
      decisionCode: 'rejected',
      detail: 'state_too_large',
    })
    const full = decision(2, 4, { state: stateOf(limits.stateBytesMax) })
    expect((await bench.register.append({ ...about(run), decision: full })).decisionCode).toBe('ok')
  })

  it.each(['type', 'actor', 'tool', 'verdict', 'key'] as const)(
    `rejects a %s of more than ${limits.idCharsMax} characters`,
    async (column) => {
      const run = await running(bench)
      const long = 'x'.repeat(limits.idCharsMax)
      const good = { ...fact('a.done'), [column]: long }
      expect((await bench.register.append({ ...about(run), facts: [good] })).code).toBe('ok')
      const bad = { ...fact('a.done'), [column]: `${long}x` }
      const result = await bench.register.append({ ...about(run), facts: [bad] })
      expect(result).toMatchObject({ code: 'rejected', detail: 'event_malformed' })
    },
  )

  it.each([
    ['a NUL', 'a\0b'],
    ['a lone surrogate', 'a\uD800b'],
  ])('rejects %s, which jsonb cannot hold', async (_what, text) => {
    const run = await running(bench)
    const bad = { ...fact('a.done'), payload: { text } }
    const result = await bench.register.append({ ...about(run), facts: [bad] })
    expect(result.code).toBe('rejected')
    expect(result.detail).toMatch(/^sql_22P0[25]/)
    expect((await bench.register.head(run.runId))?.seq).toBe(3)
  })

  it('keeps the last events of a run for what ends it', async () => {
    const run = await running(bench, (ids) => [toolEffect(ids, 1), toolEffect(ids, 2)])
    await bench.register.append({
      ...about(run),
      claims: [claim(`${run.runId}.1`)],
    })
    await bench.register.renew([{ effectId: `${run.runId}.1`, attempt: 1 }], 0)
    const { eventsPerRunMax: most, eventsKept, eventsKeptPerEffect } = limits
    const kept = eventsKept + 2 * eventsKeptPerEffect
    // Notes leave what the two effects need, to the last event.
    for (let left = most - kept - 4; left > 0; left -= 1000) {
      const some = { ...about(run), notes: notes(Math.min(left, 1000)) }
      expect((await bench.register.append(some)).code).toBe('ok')
    }
    const full = { detail: 'history_too_long' }
    const note = { ...about(run), notes: [event('tool.late')] }
    expect(await bench.register.append(note)).toMatchObject({ code: 'rejected', ...full })
    const second = { ...about(run), claims: [claim(`${run.runId}.2`)] }
    expect(await bench.register.append(second)).toMatchObject({
      code: 'ok',
      claims: [{ code: 'full' }],
    })
    const said = fact('input.injected', 'said', { payload: { messages: [], bytes: 0 } })
    expect((await bench.register.append({ ...about(run), facts: [said] })).factCodes).toEqual([
      'full',
    ])
    // A fact is taken, also where the decision that came with it asks for work.
    const at = most - kept + 1
    const effects = [toolEffect(run, 3)]
    const working = {
      ...about(run),
      facts: [fact('a.done')],
      decision: decision(2, at, { effects }),
    }
    expect(await bench.register.append(working)).toMatchObject({
      factCodes: ['ok'],
      decisionCode: 'rejected',
      ...full,
    })
    const resting = { ...about(run), decision: decision(2, at) }
    expect((await bench.register.append(resting)).decisionCode).toBe('ok')
    // Facts leave room for a fault; then nothing but the fault and the end are taken.
    let last = await bench.register.append(resting)
    while (last.factCodes[0] !== 'full')
      last = await bench.register.append({ ...about(run), facts: [fact('b.done')] })
    expect(last.seq).toBe(most - 8)
    const fault = fact('run.faulted', 'fault', {
      payload: { code: 'history_too_long', message: '' },
    })
    const end = finalDecision(at, last.seq + 1)
    const faulted = { ...about(run), facts: [fault], decision: end }
    expect(await bench.register.append(faulted)).toMatchObject({
      decisionCode: 'ok',
      seq: most - 6,
    })
    // After it, notes leave the last four for the word that the run is deleted.
    expect((await bench.register.append(note)).code).toBe('ok')
    expect((await bench.register.append(note)).code).toBe('ok')
    expect(await bench.register.append(note)).toMatchObject({ code: 'rejected', ...full })
    const hidden = { ...about(run), notes: [event('run.hidden')] }
    for (let n = 0; n < 4; n++) expect((await bench.register.append(hidden)).code).toBe('ok')
    expect(await bench.register.append(hidden)).toMatchObject({ code: 'rejected', ...full })
    expect((await bench.register.head(run.runId))?.seq).toBe(most)
  })

  it('gives up a webhook that the history of an ended run has no room for', async () => {
    const run = await running(bench, (ids) => [webhookEffect(ids, 1)])
    const fill = (count: number) => bench.register.append({ ...about(run), notes: notes(count) })
    await fill(limits.eventsPerRunMax - 110)
    await bench.register.append({ ...about(run), facts: [fact('a.done')] })
    const { facts = 0, seq = 0 } = (await bench.register.head(run.runId)) ?? {}
    await bench.register.append({ ...about(run), decision: finalDecision(2, facts) })
    await fill(limits.eventsPerRunMax - seq - 1 - 5)
    const claims = [claim(`${run.runId}.1`)]
    expect((await bench.register.append({ ...about(run), claims })).claims).toMatchObject([
      { code: 'gone' },
    ])
    expect(await bench.register.openEffects(run.runId)).toEqual([])
  })
})
