/**
 * What the reconciler asks, of both registers. Would catch: a register that answers "now" where nothing is due, a due time that
 * counts what nobody takes or what was looked at before, a bad row that hides those behind it because it is read first.
 */
import { type Register, systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  about,
  admission,
  creation,
  fact,
  newRun,
  type RunIds,
  timer,
  toolEffect,
} from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()
const inMemory = createMemoryRegister(systemClock)
const registers: readonly (readonly [string, () => Register])[] = [
  ['in memory', () => inMemory],
  ['in Postgres', () => bench.register],
]

const idOf = ({ runId }: { readonly runId: string }): string => runId

/** Two runs with the same to do. */
const two = async (register: Register, more: Parameters<typeof admission>[1]) => {
  const runs = [newRun(), newRun()]
  for (const run of runs) await register.append(admission(run, more))
  return runs.map(idOf)
}
/** The first that is found of some runs, whatever other tests have left. */
const first = async (
  ids: readonly string[],
  find: (except: readonly string[]) => Promise<readonly { readonly runId: string }[]>,
) => {
  const except: string[] = []
  for (;;) {
    const [found] = await find(except)
    if (!found || ids.includes(found.runId)) return found?.runId
    except.push(found.runId)
  }
}

describe.each(registers)('%s, the time until something is due', (_name, open) => {
  it('is none while nothing is, and none of what was due before the look', async () => {
    const register = open()
    const next = (lookedMs = 0) => register.nextDue(['tool.call'], lookedMs)
    expect(await next()).toBeNull()
    const run = newRun()
    const effects = [toolEffect(run, 1, { delayMs: 400 })]
    await register.append(admission(run, { effects, timers: [timer('a', 400)] }))
    expect(await next()).toBeGreaterThan(0)
    expect(await next()).toBeLessThanOrEqual(400)
    await setTimeout(450)
    expect(await next(10_000)).toBe(0)
    expect(await next(1)).toBeNull()
    const later = newRun()
    await register.append(admission(later, { timers: [timer('a', 60_000)] }))
    expect(await next(1)).toBeGreaterThan(10_000)
    await register.append({ ...about(later), facts: [fact('x.done')] })
  })

  it('counts effects of the given kinds alone', async () => {
    const register = open()
    const run = newRun()
    await register.append(admission(run, { effects: [toolEffect(run, 1, { delayMs: 20_000 })] }))
    expect(await register.nextDue(['tool.call'], 0)).toBeLessThanOrEqual(20_000)
    expect(await register.nextDue(['model.call', 'webhook.deliver'], 0)).toBeGreaterThan(20_000)
  })
})

describe.each(registers)('%s, what is left out hides nothing', (_name, open) => {
  it('of timers', async () => {
    const register = open()
    const [bad = '', good = ''] = await two(register, { timers: [timer('t', 1)] })
    await setTimeout(5)
    const find = (except: readonly string[]) => register.dueTimers(1, except)
    expect(await first([bad, good], find)).toBe(bad)
    expect(await first([good], (except) => find([bad, ...except]))).toBe(good)
    expect(await first([bad, good], (except) => find([bad, good, ...except]))).toBeUndefined()
  })

  it('of runs that are ready or wait for their thread, and nobody overtakes on a thread', async () => {
    const register = open()
    const [bad, good] = [newRun(), newRun()]
    const behind = newRun({ threadId: bad.threadId })
    for (const run of [bad, behind, good]) await register.append(creation(run))
    const mine = [bad, behind, good].map(idOf)
    const ready = (except: readonly string[]) => register.readyRuns(1, except)
    expect(await first([good.runId], ready)).toBe(good.runId)
    expect(await first(mine, (except) => ready([...mine, ...except]))).toBeUndefined()
    const admissible = (except: readonly string[]) => register.admissibleRuns(1, except)
    expect(await first(mine, admissible)).toBe(bad.runId)
    expect(await first(mine, (except) => admissible([bad.runId, ...except]))).toBe(good.runId)
  })

  it('of runs that make way', async () => {
    const register = open()
    const pairs: RunIds[] = []
    for (let n = 0; n < 2; n++) {
      const old = newRun()
      await register.append(admission(old))
      await register.append(
        creation(newRun({ threadId: old.threadId }), { multitask: 'interrupt' }),
      )
      pairs.push(old)
    }
    const [bad = '', good = ''] = pairs.map(idOf)
    // They are due behind those that make way.
    await setTimeout(5)
    const find = (except: readonly string[]) => register.superseded(1, undefined, except)
    expect(await first([bad, good], find)).toBe(bad)
    expect(await first([bad, good], (except) => find([bad, ...except]))).toBe(good)
  })
})
