/** The codes of the port, one by one, on real Postgres. What a code means stands in `engine/src/ports.ts`. */
import { setTimeout as rest } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  about,
  admission,
  claim,
  decision,
  fact,
  finalDecision,
  newRun,
  timer,
  toolEffect,
} from './support/drafts.ts'
import { useRegister } from './support/register.ts'
import { running } from './support/stories.ts'

const bench = useRegister()

describe('decisions', () => {
  it.each([
    ['from an old cursor', 0, 4],
    ['from a cursor ahead', 3, 4],
    ['beyond the last fact', 2, 5],
    ['over nothing', 2, 2],
  ])('are stale %s (I4)', async (_what, decided, through) => {
    const run = await running(bench)
    await bench.register.append({ ...about(run), facts: [fact('tool.completed')] })
    const result = await bench.register.append({
      ...about(run),
      decision: decision(decided, through),
    })
    expect(result).toMatchObject({ code: 'ok', decisionCode: 'stale', seq: 4, decided: 2 })
  })

  it('may fold a part of the facts, but a final one folds all (I6)', async () => {
    const run = await running(bench)
    await bench.register.append({ ...about(run), facts: [fact('a.done'), fact('b.done')] })
    const early = await bench.register.append({ ...about(run), decision: finalDecision(2, 4) })
    expect(early).toMatchObject({ decisionCode: 'moved', seq: 5 })
    const part = await bench.register.append({ ...about(run), decision: decision(2, 4) })
    expect(part).toMatchObject({ decisionCode: 'ok', seq: 6, decided: 4 })
    const last = await bench.register.append({ ...about(run), decision: finalDecision(4, 5) })
    expect(last).toMatchObject({ decisionCode: 'ok', seq: 7, decided: 5 })
    expect(await bench.register.head(run.runId)).toMatchObject({
      status: 'ended',
      outcome: 'completed',
    })
    const zombie = await bench.register.append({ ...about(run), decision: decision(5, 6) })
    expect(zombie.decisionCode).toBe('stale')
  })

  it('that come with facts are stale unless every fact stands at its foreseen number', async () => {
    const run = await running(bench)
    await bench.register.append({ ...about(run), facts: [fact('a.done', 'a')] })
    const behind = await bench.register.append({
      ...about(run),
      facts: [fact('b.done', 'b')],
      decision: decision(2, 4),
    })
    expect(behind).toMatchObject({ factCodes: ['ok'], decisionCode: 'stale', seq: 5, facts: 5 })
    const repeated = await bench.register.append({
      ...about(run),
      facts: [fact('b.done', 'b')],
      decision: decision(2, 5),
    })
    expect(repeated).toMatchObject({ factCodes: ['duplicate'], decisionCode: 'stale', seq: 5 })
    const right = await bench.register.append({
      ...about(run),
      facts: [fact('c.done', 'c')],
      decision: decision(2, 6),
    })
    expect(right).toMatchObject({ factCodes: ['ok'], decisionCode: 'ok', seq: 7, decided: 6 })
  })

  it('at the end cancel what is open, and drop the timers', async () => {
    const run = newRun()
    const effects = [toolEffect(run, 1), toolEffect(run, 2)]
    await bench.register.append(admission(run, { effects, timers: [timer('t', 0)] }))
    await bench.register.append({
      ...about(run),
      claims: [claim(`${run.runId}.2`)],
    })
    await bench.register.renew([{ effectId: `${run.runId}.2`, attempt: 1 }], 0)
    await rest(2)
    const facts = [fact('run.faulted')]
    await bench.register.append({ ...about(run), facts, decision: finalDecision(2, 5) })
    expect((await bench.register.effect(`${run.runId}.1`))?.status).toBe('cancelled')
    expect((await bench.register.effect(`${run.runId}.2`))?.status).toBe('cancelled')
    const timers = await bench.register.dueTimers(1000)
    expect(timers.filter((due) => due.runId === run.runId)).toEqual([])
  })

  it('are rejected without their step, or with a malformed effect or end', async () => {
    const run = await running(bench)
    await bench.register.append({ ...about(run), facts: [fact('a.done')] })
    const cases = [
      [decision(2, 4, { events: [] }), 'decision_without_run_transitioned'],
      [decision(2, 4, { effects: [toolEffect(newRun(), 1)] }), 'effect_malformed'],
      [decision(2, 4, { status: 'ended' }), 'decision_malformed'],
      [decision(2, 4, { outcome: 'completed' }), 'decision_malformed'],
    ] as const
    for (const [draft, detail] of cases) {
      const result = await bench.register.append({ ...about(run), decision: draft })
      expect(result).toMatchObject({ decisionCode: 'rejected', detail })
    }
    expect((await bench.register.head(run.runId))?.seq).toBe(4)
  })

  it('may ask for a kind of effect that this build does not know, if it is written as one', async () => {
    const run = await running(bench)
    await bench.register.append({ ...about(run), facts: [fact('a.done')] })
    const asked = (kind: string) => {
      const effects = [Object.assign(toolEffect(run, 1), { kind })]
      return bench.register.append({ ...about(run), decision: decision(2, 4, { effects }) })
    }
    expect(await asked('scratch')).toMatchObject({ detail: 'effect_malformed' })
    expect(await asked('scratch.done')).toMatchObject({ decisionCode: 'ok' })
  })
})
