/** The cached state of a run: written anew only for the decision it stands for, by its tenant, within the limit. */
import { type JsonObject, limits } from '@signalbox/core'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { systemClock, type Register } from '@signalbox/engine'
import { describe, expect, it } from 'vitest'
import { about, creation, decision, event, fact, newRun } from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
const memory = createMemoryRegister(systemClock)

const registers: readonly [string, () => Register][] = [
  ['Postgres', () => bench.register],
  ['memory', () => memory],
]

describe.each(registers)('in %s', (_, registerOf) => {
  async function decided() {
    const register = registerOf()
    const run = newRun()
    await register.append(creation(run))
    const facts = (await register.head(run.runId))?.facts ?? 0
    await register.append({ ...about(run), decision: decision(0, facts) })
    return { register, run, facts }
  }

  it('is repaired for the decision it stands for, and no other', async () => {
    const { register, run, facts } = await decided()
    const state = { v: 2, mended: true }
    const notes = [event('state.repaired', { payload: { seq: 1 } })]
    const before = (await register.events(run.runId, {})).length
    expect(await register.repairState(about(run), { decided: facts - 1, state, notes })).toBe(false)
    expect((await register.head(run.runId))?.state).not.toEqual(state)
    expect(await register.repairState(about(run), { decided: facts, state, notes })).toBe(true)
    const head = await register.head(run.runId)
    expect(head).toMatchObject({ state, facts, decided: facts })
    const events = await register.events(run.runId, {})
    expect(events).toHaveLength(before + 1)
    expect(events.at(-1)).toMatchObject({ type: 'state.repaired', seq: head?.seq })
  })

  it('is repaired once by all who find the same damage', async () => {
    const { register, run, facts } = await decided()
    const notes = [event('state.repaired', { payload: { seq: 1 } })]
    const repair = async (state: JsonObject) =>
      register.repairState(about(run), { decided: facts, state, notes })
    const four = await Promise.all(Array.from({ length: 4 }, () => repair({ v: 2, mended: true })))
    expect(four.filter((done) => done)).toHaveLength(1)
    expect(await repair({ mended: true, v: 2 })).toBe(false)
    const types = (await register.events(run.runId, {})).map(({ type }) => type)
    expect(types.filter((type) => type === 'state.repaired')).toHaveLength(1)
    expect(await repair({ v: 2, mended: 'again' })).toBe(true)
  })

  it('makes a decision stale that was made from what stood there before', async () => {
    const { register, run, facts } = await decided()
    await register.append({ ...about(run), facts: [fact('tool.completed')] })
    const before = await register.head(run.runId)
    const notes = [event('state.repaired', { payload: { seq: 1 } })]
    const repaired = { decided: facts, state: { v: 2, mended: true }, notes }
    expect(await register.repairState(about(run), repaired)).toBe(true)
    const after = await register.head(run.runId)
    const decide = async (seq: number | undefined) => {
      const over = seq === undefined ? {} : { seq }
      const draft = decision(facts, after?.facts ?? 0, over)
      return (await register.append({ ...about(run), decision: draft })).decisionCode
    }
    expect(await decide(before?.seq)).toBe('stale')
    expect((await register.head(run.runId))?.state).toEqual(repaired.state)
    expect(await decide(after?.seq)).toBe('ok')
  })

  it('is nothing of another tenant', async () => {
    const { register, run, facts } = await decided()
    const repaired = { decided: facts, state: { v: 2 }, notes: [] }
    const other = { ...about(run), tenantId: `${run.tenantId}-other` }
    expect(await register.repairState(other, repaired)).toBe(false)
  })

  it('leaves runs out of what is ready', async () => {
    const register = registerOf()
    const [one, other] = [newRun(), newRun()]
    for (const run of [one, other]) await register.append(creation(run))
    const ready = async (but?: readonly string[]) =>
      (await register.readyRuns(limits.pageMax, but)).map(({ runId }) => runId)
    expect(await ready()).toEqual(expect.arrayContaining([one.runId, other.runId]))
    expect(await ready([one.runId])).not.toContain(one.runId)
    expect(await ready([one.runId])).toContain(other.runId)
  })
})

it('has a limit', async () => {
  const run = newRun()
  await bench.register.append(creation(run))
  const state = { text: 'x'.repeat(limits.stateBytesMax) }
  await expect(
    bench.register.repairState(about(run), { decided: 0, state, notes: [] }),
  ).rejects.toThrow(/state_too_large/)
})
