/**
 * What every pair of Dispatcher and HintSource owes the engine: at least once while nothing fails; one job of a call however often
 * it is announced; and after any failure the next dispatch, under the same number once the job is gone, else under a higher one.
 */
import type { Dispatcher, Hint, HintSource } from '@signalbox/engine'
import { afterEach, describe, expect, it } from 'vitest'

/** A worker of another process, that takes effects and never finishes them. */
export interface HangingWorker {
  /** Ids of the effects it has taken. */
  readonly holds: readonly string[]
  /** kill -9. */
  kill(): Promise<void>
}

export interface DispatchHarness {
  readonly dispatcher: Dispatcher
  readonly source: HintSource
  /** Makes the store forget everything, as FLUSHALL does. */
  flush?(): Promise<void>
  /** Cuts the store's connections the hardest way there is, and brings it back. */
  kill?(): Promise<void>
  hangingWorker?(queue: string): Promise<HangingWorker>
  close(): Promise<void>
}

type Perform = Parameters<HintSource['start']>[1]
type Open = () => Promise<DispatchHarness>

/** What an adapter has no counterpart of: a store to lose, or other processes. */
export type Missing = 'flush' | 'kill' | 'hangingWorker'

/** Each test gets a harness, and with it an empty store, of its own. */
export function dispatchContract(
  name: string,
  make: () => Promise<DispatchHarness>,
  missing: readonly Missing[] = [],
): void {
  describe(`dispatch contract: ${name}`, () => {
    let harness: DispatchHarness | null = null
    const open = async () => (harness = await make())
    afterEach(async () => {
      await harness?.source.stop(0)
      await harness?.close()
      harness = null
    })
    delivery(open)
    redispatch(open)
    depths(open)
    bounds(open)
    const failures = { flush: afterFlush, kill: afterKill, hangingWorker: afterWorkerKill }
    for (const [part, failure] of Object.entries(failures)) {
      if (!missing.some((one) => one === part)) failure(open)
    }
  })
}

function delivery(open: Open): void {
  it('delivers each hint at least once', async () => {
    const { dispatcher, source } = await open()
    const seen = new Set<string>()
    await source.start([queue('a', 5), queue('b', 5)], record(seen))
    const batch = ids('batch', 50)
    const single = ids('single', 10)
    await Promise.all([
      dispatcher.dispatch(batch.map((id, n) => hint(id, 1, n % 2 === 0 ? 'a' : 'b'))),
      ...single.map((id) => dispatcher.dispatch([hint(id, 1)])),
    ])
    await dispatcher.dispatch([hint('alone.0', 1)])
    await until(() => seen.size === 61)
    expect([...seen].sort()).toEqual([...batch, ...single, 'alone.0'].sort())
  })

  it('takes an empty dispatch', async () => {
    const { dispatcher } = await open()
    await expect(dispatcher.dispatch([])).resolves.toBeUndefined()
  })

  it('keeps to the queues it was started for', async () => {
    const { dispatcher, source } = await open()
    const seen = new Set<string>()
    await source.start([queue('a', 1)], record(seen))
    await dispatcher.dispatch([hint('foreign.0', 1, 'b'), hint('own.0', 1, 'a')])
    await until(() => seen.has('own.0'))
    expect([...seen]).toEqual(['own.0'])
  })
}

function redispatch(open: Open): void {
  const answers: readonly (readonly [string, Perform])[] = [
    ['it completed', async () => 'done'],
    ['a worker that did not know the tool answered', async () => 'not_mine'],
    ['it failed', () => Promise.reject(new Error('a broken performer'))],
  ]
  it.each(answers)('delivers the next dispatch after %s', async (_, answer) => {
    const { dispatcher, source } = await open()
    let performed = 0
    await source.start([queue('a', 1)], async (effectId) => {
      performed += 1
      return answer(effectId)
    })
    for (let dispatch = 1; dispatch <= 3; dispatch += 1) {
      await dispatcher.dispatch([hint('again.0', dispatch)])
      await until(() => performed >= dispatch)
    }
    expect(performed).toBeGreaterThanOrEqual(3)
    // Under the same number as well: the job is gone, or soon will be.
    const enough = performed + 2
    do await dispatcher.dispatch([hint('again.0', 3)])
    while (!(await within(100, () => performed >= enough)))
  })

  it('delivers the next dispatch while the last one is stuck', async () => {
    const { dispatcher, source } = await open()
    let performed = 0
    await source.start([queue('a', 2)], () => {
      performed += 1
      return performed === 1 ? new Promise(() => {}) : Promise.resolve('done')
    })
    await dispatcher.dispatch([hint('stuck.0', 1)])
    await until(() => performed === 1)
    await dispatcher.dispatch([hint('stuck.0', 2)])
    await until(() => performed > 1)
    expect(performed).toBe(2)
  })
}

function depths(open: Open): void {
  it('holds one job of a call that waits, however often it is announced', async () => {
    const { dispatcher, source } = await open()
    const seen = new Set<string>()
    const gate = Promise.withResolvers<void>()
    let performed = 0
    await eventually(dispatcher, 'a', 0)
    for (let times = 0; times < 4; times += 1) {
      await dispatcher.dispatch(ids('waits', 10).map((id) => hint(id, 0)))
      await dispatcher.dispatch([hint('waits.0', 0)])
    }
    await eventually(dispatcher, 'a', 10)
    await dispatcher.dispatch([hint('other.0', 0, 'b')])
    await eventually(dispatcher, 'b', 1)
    expect(await dispatcher.depth('a')).toBe(10)

    // A job that was taken waits no more, and is not made anew while it is in work.
    await source.start([queue('a', 3)], async (effectId) => {
      performed += 1
      seen.add(effectId)
      await gate.promise
      return 'done'
    })
    await until(() => performed === 3)
    await eventually(dispatcher, 'a', 7)
    await dispatcher.dispatch(ids('waits', 10).map((id) => hint(id, 0)))
    expect(await dispatcher.depth('a')).toBe(7)
    gate.resolve()
    await until(() => seen.size === 10)
    await eventually(dispatcher, 'a', 0)
    expect(performed).toBe(10)
  })
}

/** What was given up by a busy dispatcher may arrive later. */
async function eventually(dispatcher: Dispatcher, name: string, depth: number): Promise<void> {
  const end = performance.now() + 30_000
  while ((await dispatcher.depth(name).catch(() => -1)) !== depth) {
    if (performance.now() > end) throw new Error(`${name} never held ${depth}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function bounds(open: Open): void {
  it('performs as many at a time as the queue allows, each queue for itself', async () => {
    const { dispatcher, source } = await open()
    const running = { a: 0, b: 0 }
    const most = { a: 0, b: 0 }
    let done = 0
    const gate = Promise.withResolvers<void>()
    await source.start([queue('a', 3), queue('b', 1)], async (effectId) => {
      const name = effectId.startsWith('a') ? 'a' : 'b'
      running[name] += 1
      most[name] = Math.max(most[name], running[name])
      await gate.promise
      // A turn of the loop, so that one slot too many would show.
      await new Promise(setImmediate)
      running[name] -= 1
      done += 1
      return 'done'
    })
    const a = ids('a', 12).map((id) => hint(id, 1, 'a'))
    const b = ids('b', 4).map((id) => hint(id, 1, 'b'))
    await dispatcher.dispatch([...a, ...b])
    await until(() => running.a === 3 && running.b === 1)
    gate.resolve()
    await until(() => done === 16)
    expect(most).toEqual({ a: 3, b: 1 })
  })

  it('stops when running work is done, and takes no more', async () => {
    const { dispatcher, source } = await open()
    const order: string[] = []
    const gate = Promise.withResolvers<void>()
    await source.start([queue('a', 2)], async (effectId) => {
      order.push(`start ${effectId}`)
      await gate.promise
      order.push(`end ${effectId}`)
      return 'done'
    })
    await dispatcher.dispatch([hint('work.0', 1)])
    await until(() => order.length === 1)
    const stopped = source.stop(30_000).then(() => order.push('stopped'))
    await dispatcher.dispatch([hint('late.0', 1)])
    // Time enough for a source that does not wait to show it.
    await within(300, () => order.length > 1)
    gate.resolve()
    await stopped
    expect(order).toEqual(['start work.0', 'end work.0', 'stopped'])
  })

  it('does not wait longer than its grace', async () => {
    const { dispatcher, source } = await open()
    let performed = 0
    await source.start([queue('a', 1)], () => {
      performed += 1
      return new Promise(() => {})
    })
    await dispatcher.dispatch([hint('endless.0', 1)])
    await until(() => performed === 1)
    await expect(source.stop(50)).resolves.toBeUndefined()
  })
}

function afterKill(open: Open): void {
  it('works again after its store was killed', async () => {
    const harness = await open()
    const seen = new Set<string>()
    await harness.source.start([queue('a', 2)], record(seen))
    await harness.dispatcher.dispatch([hint('before.0', 1)])
    await until(() => seen.has('before.0'))
    await harness.kill?.()
    await dispatchUntil(harness.dispatcher, 'after.0', () => seen.has('after.0'))
    // Whatever was rebuilt on the way has to last.
    await dispatchUntil(harness.dispatcher, 'lasting.0', () => seen.has('lasting.0'))
    expect([...seen]).toEqual(['before.0', 'after.0', 'lasting.0'])
  })
}

function afterFlush(open: Open): void {
  it('delivers the next dispatch after its store was flushed', async () => {
    const harness = await open()
    const seen = new Set<string>()
    const gate = Promise.withResolvers<void>()
    await harness.source.start([queue('a', 1)], async (effectId) => {
      seen.add(effectId)
      if (effectId === 'running.0') await gate.promise
      return 'done'
    })
    await harness.dispatcher.dispatch([hint('running.0', 1)])
    await until(() => seen.has('running.0'))
    await harness.dispatcher.dispatch([hint('waiting.0', 1)])
    await eventually(harness.dispatcher, 'a', 1)
    await harness.flush?.()
    expect(await harness.dispatcher.depth('a')).toBe(0)
    gate.resolve()
    await dispatchUntil(harness.dispatcher, 'next.0', () => seen.has('next.0'))
    expect([...seen]).toEqual(['running.0', 'next.0'])
  })
}

function afterWorkerKill(open: Open): void {
  it('is not blocked by what a killed worker process had taken', async () => {
    const harness = await open()
    const worker = await harness.hangingWorker?.('a')
    await harness.dispatcher.dispatch([hint('taken.0', 1)])
    await until(() => worker?.holds.includes('taken.0') === true)
    await worker?.kill()
    let performed = 0
    await harness.source.start([queue('a', 1)], () => {
      performed += 1
      return Promise.resolve('done')
    })
    await harness.dispatcher.dispatch([hint('taken.0', 2)])
    await until(() => performed > 0)
    expect(performed).toBe(1)
  })
}

function record(seen: Set<string>): Perform {
  return (effectId) => {
    seen.add(effectId)
    return Promise.resolve('done')
  }
}

function hint(effectId: string, dispatch: number, name = 'a'): Hint {
  return { effectId, queue: name, dispatch }
}

function queue(name: string, concurrency: number): { queue: string; concurrency: number } {
  return { queue: name, concurrency }
}

function ids(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, n) => `${prefix}.${n}`)
}

/** Dispatches under rising numbers, as the reconciler does, until it has arrived. */
async function dispatchUntil(
  dispatcher: Dispatcher,
  effectId: string,
  arrived: () => boolean,
): Promise<void> {
  for (let dispatch = 1; dispatch <= 200; dispatch += 1) {
    await dispatcher.dispatch([hint(effectId, dispatch)])
    if (await within(200, arrived)) return
  }
  throw new Error(`${effectId} never arrived`)
}

async function until(condition: () => boolean): Promise<void> {
  if (!(await within(30_000, condition))) throw new Error(`never: ${condition.toString()}`)
}

async function within(ms: number, condition: () => boolean): Promise<boolean> {
  const end = performance.now() + ms
  while (!condition()) {
    if (performance.now() > end) return false
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return true
}
