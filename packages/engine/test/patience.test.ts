/** Patience of what is part of an effect, and of what it has left behind. Would catch: a read that nobody waits for, tried until the process stops. */
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { systemRandom } from '@signalbox/engine'
import { repeatedly, waitingOn } from '../src/record/patience.ts'
import { silentLog } from './support/world.ts'

const patience = {
  clock: { now: () => 0, monotonic: () => 0, sleep: () => setImmediate() },
  random: systemRandom,
  log: silentLog,
  stopped: new AbortController().signal,
}

/** A read that never succeeds, and how often it was tried. */
function hopeless() {
  const tried = { times: 0 }
  const read = () =>
    repeatedly(patience, 'read', async () => {
      tried.times += 1
      throw new Error('this row cannot be read')
    })
  return { tried, read }
}

const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) await setImmediate()
}

test('a read is tried for as long as its effect lasts, and then no more', async () => {
  const { tried, read } = hopeless()
  const effect = new AbortController()
  const over = Promise.withResolvers<void>()
  const left: Promise<unknown>[] = []
  const work = waitingOn(effect.signal, async () => {
    left.push(read().catch(() => 'given up'))
    await over.promise
  })
  await turns(50)
  expect(tried.times).toBeGreaterThan(20)
  over.resolve()
  await work
  const before = tried.times
  await turns(50)
  expect(tried.times - before).toBeLessThan(3)
  expect(await Promise.race([left[0], turns(5)])).toBe('given up')
})

test('outside of an effect a read is tried nine times', async () => {
  const { tried, read } = hopeless()
  await expect(read()).rejects.toThrow('cannot be read')
  expect(tried.times).toBe(9)
})
