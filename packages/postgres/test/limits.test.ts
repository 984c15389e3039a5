/** What the register refuses to hold, whoever asks. */
import { limits } from '@signalbox/core'
import { describe, expect, it } from 'vitest'
import { about, decision, event, fact, finalDecision, toolEffect } from './support/drafts.ts'
import { useRegister } from './support/register.ts'
import { running } from './support/stories.ts'

const bench = useRegister()

const stateOf = (bytes: number) => ({ s: 'x'.repeat(bytes - JSON.stringify({ s: '' }).length) })

describe('limits', () => {
  it('accepts a state of exactly the limit and rejects one byte more', async () => {
    const run = await running(bench)
    await bench.register.append({ ...about(run), facts: [fact('a.done'), fact('b.done')] })
    const over = decision(2, 4, { state: stateOf(limits.stateBytesMax + 1) })
    expect(await bench.register.append({ ...about(run), decision: over })).toMatchObject({
      code: 'rejected',
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
      expect(result).toMatchObject({ code: 'rejected', detail: 'sql_22023: event_malformed' })
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

  it('keeps the last 100 events of a run for what ends it', async () => {
    const run = await running(bench)
    const fill = async (notes: number) => {
      for (let left = notes; left > 0; left -= 1000) {
        const some = Array.from({ length: Math.min(left, 1000) }, () => event('tool.late'))
        expect((await bench.register.append({ ...about(run), notes: some })).code).toBe('ok')
      }
    }
    await fill(limits.eventsPerRunMax - 100 - 3)
    const work = decision(2, 9901, { effects: [toolEffect(run, 1)] })
    const withFact = await bench.register.append({
      ...about(run),
      facts: [fact('a.done')],
      decision: work,
    })
    expect(withFact).toMatchObject({ factCodes: ['ok'], decisionCode: 'stale', seq: 9901 })
    expect(await bench.register.append({ ...about(run), decision: work })).toMatchObject({
      code: 'rejected',
      detail: 'history_too_long',
    })
    await fill(98)
    const end = await bench.register.append({ ...about(run), decision: finalDecision(2, 9901) })
    expect(end).toMatchObject({ decisionCode: 'ok', seq: limits.eventsPerRunMax })
    expect(
      await bench.register.append({ ...about(run), notes: [event('tool.late')] }),
    ).toMatchObject({
      code: 'rejected',
      detail: 'history_too_long',
    })
  })
})
