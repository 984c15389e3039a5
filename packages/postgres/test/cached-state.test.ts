/** The cached state of a run: written anew only for the decision it stands for, by its tenant, within the limit. */
import { limits } from '@signalbox/core'
import { createMemoryRegister } from '@signalbox/engine/memory'
import { systemClock, type Register } from '@signalbox/engine'
import { describe, expect, it } from 'vitest'
import { about, creation, decision, newRun } from './support/drafts.ts'
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
    expect(await register.repairState(about(run), { decided: facts - 1, state })).toBe(false)
    expect((await register.head(run.runId))?.state).not.toEqual(state)
    expect(await register.repairState(about(run), { decided: facts, state })).toBe(true)
    const head = await register.head(run.runId)
    expect(head).toMatchObject({ state, decided: facts })
    expect((await register.events(run.runId, {})).at(-1)?.seq).toBe(head?.seq)
  })

  it('is nothing of another tenant', async () => {
    const { register, run, facts } = await decided()
    const repaired = { decided: facts, state: { v: 2 } }
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
  await expect(bench.register.repairState(about(run), { decided: 0, state })).rejects.toThrow(
    /state_too_large/,
  )
})
