/**
 * The tail of a run, which is read for a decision, in both registers. Would catch: events that are missing where a caller knows less than was decided, events
 * that are told twice or out of order, and events that read otherwise than one by one.
 */
import { limits } from '@signalbox/core'
import { type Register, systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { describe, expect, it } from 'vitest'
import {
  about,
  creation,
  decision,
  event,
  fact,
  newRun,
} from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()
const registers: readonly (readonly [string, () => Register])[] = [
  ['in memory', () => createMemoryRegister(systemClock)],
  ['in Postgres', () => bench.register],
]

describe.each(registers)('the tail of a run, %s', (_, registerOf) => {
  /** A run that was decided once, with two facts since. */
  async function run() {
    const register = registerOf()
    const made = newRun()
    const { runId } = made
    await register.append(creation(made))
    const first = (await register.head(runId))?.facts ?? 0
    await register.append({
      ...about(made),
      decision: decision(0, first),
      notes: [event('tool.late')],
    })
    await register.append({
      ...about(made),
      facts: [fact('tool.completed'), fact('tool.completed')],
      notes: [event('tool.late')],
    })
    const events = await register.events(runId, {})
    const { decided = 0, seq = 0 } = (await register.head(runId)) ?? {}
    expect({ decided, seq }).toEqual({ decided: first, seq: events.length })
    expect(decided).toBeLessThan(seq - 3)
    return { register, runId, events, decided, seq }
  }

  it('is all after its last decision, for whoever knows nothing of it or more', async () => {
    const { register, runId, events, decided, seq } = await run()
    const undecided = events.filter((each) => each.seq > decided)
    for (const after of [null, decided, decided + 1, seq, seq + 9, 2 ** 31 - 1])
      expect((await register.tail(runId, after))?.events).toEqual(undecided)
  })

  it('is all that is news to whoever knows less', async () => {
    const { register, runId, events, decided } = await run()
    for (let after = 0; after < decided; after += 1)
      expect((await register.tail(runId, after))?.events).toEqual(
        events.filter((each) => each.seq > after),
      )
  })

  it('is what is undecided, for whoever lacks more than a tail may begin with', async () => {
    const register = registerOf()
    const made = newRun()
    const { runId } = made
    await register.append(creation(made))
    const { tailEventsMax } = limits
    const notes = Array.from({ length: tailEventsMax }, () => event('tool.late'))
    await register.append({ ...about(made), notes })
    await register.append({ ...about(made), facts: [fact('tool.completed')] })
    const { facts = 0 } = (await register.head(runId)) ?? {}
    await register.append({ ...about(made), decision: decision(0, facts) })
    const { decided = 0, seq = 0 } = (await register.head(runId)) ?? {}
    expect(decided).toBeGreaterThan(tailEventsMax)
    const lengthOf = async (after: number) => (await register.tail(runId, after))?.events.length
    expect(await lengthOf(decided - tailEventsMax)).toBe(seq - decided + tailEventsMax)
    expect(await lengthOf(decided - tailEventsMax - 1)).toBe(seq - decided)
    expect(await lengthOf(0)).toBe(seq - decided)
  })

  it('has the head of the same moment', async () => {
    const { register, runId } = await run()
    expect((await register.tail(runId, 0))?.head).toEqual(await register.head(runId))
  })

  it('is none where there is no such run', async () => {
    const { register } = await run()
    expect(await register.tail(newRun().runId, 0)).toBeNull()
    expect(await register.tail('none', 0)).toBeNull()
  })
})
