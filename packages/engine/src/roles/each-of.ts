/**
 * Items of a loop, one by one, so that none is the fate of the others. Every loop over rows of many runs stands on this.
 *
 * E1 An item that throws is warned about; the others go on.
 * E2 Nothing waits for an item longer than `itemMsMax`. It goes on alone, and is not begun again before it has settled.
 * E3 An item that failed, or did not get on, rests: twice as long after each time, at most `restMsMax`. A question for items
 *    leaves out those in `away`, so that they hide nothing behind them.
 */
import { messageOf } from '../errors.ts'
import type { Clock, Log } from '../ports.ts'
import { settlesWithin } from '../record/patience.ts'

export interface EachDeps {
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  /** Aborted when nothing more may begin. */
  readonly stopped: AbortSignal
}

/** The description of a loop. */
export interface Loop {
  /** Names the loop in warnings. */
  readonly name: string
  /** Items at work at a time, those aside that are not waited for any more. */
  readonly atOnce: number
  /** Milliseconds an item rests at most, default 10 000. */
  readonly restMsMax?: number
}

/** A loop that remembers which of its items are at work, and which have failed. */
export interface Each {
  /** Ids of the items that are at work or rest. */
  readonly away: readonly string[]
  /**
   * Does the work of each item that is not away, in order. `false`: the item did not get on, and rests. Answers whether any
   * item got on.
   */
  over<T>(
    items: readonly T[],
    idOf: (item: T) => string,
    work: (item: T) => Promise<unknown>,
  ): Promise<boolean>
  /** Begins the work of one item that is not away, for nobody to wait for. Answers whether it got on. Never rejects. */
  begin(id: string, work: () => Promise<unknown>): Promise<boolean>
}

const itemMsMax = 500
/** Items that were not begun after this are left to the next look. */
const allMsMax = 4_000
const restMsFirst = 50
/** Items that are remembered. Beyond these a failing one is tried with each look. */
const knownMax = 10_000

interface Known {
  failures: number
  away: boolean
}

/** The memory of one loop. */
export function createEach(deps: EachDeps, loop: Loop): Each {
  const { clock, stopped } = deps
  const known = new Map<string, Known>()
  const isAway = (id: string): boolean => known.get(id)?.away ?? false

  const rest = (one: Known): void => {
    one.failures += 1
    const ms = Math.min(loop.restMsMax ?? 10_000, restMsFirst * 2 ** (one.failures - 1))
    void clock.sleep(ms, stopped).then(() => {
      one.away = false
    })
  }

  const begin: Each['begin'] = async (id, work) => {
    if (isAway(id) || stopped.aborted) return false
    const one = known.get(id) ?? { failures: 0, away: true }
    one.away = true
    if (known.size < knownMax) known.set(id, one)
    const gotOn = await attempt(deps, { loop: loop.name, id }, work)
    if (gotOn) known.delete(id)
    else rest(one)
    return gotOn
  }

  /** An item that is not found any more, once it could have been, has got on without us. */
  const forgetAllBut = (found: ReadonlySet<string>): void => {
    for (const [id, { away }] of known) if (!away && !found.has(id)) known.delete(id)
  }

  return {
    get away() {
      return [...known].filter(([, { away }]) => away).map(([id]) => id)
    },
    begin,
    async over(items, idOf, work) {
      forgetAllBut(new Set(items.map(idOf)))
      let gotOn = false
      await inLanes(deps, { items, atOnce: loop.atOnce }, async (item) => {
        if (await begin(idOf(item), () => work(item))) gotOn = true
      })
      return gotOn
    },
  }
}

/** Does the work of each item once, without a memory: for what somebody finds again if it fails. Never rejects. */
export async function eachOf<T>(
  deps: EachDeps,
  loop: { readonly name: string; readonly items: readonly T[]; readonly idOf: (item: T) => string },
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const { name, items, idOf } = loop
  await inLanes(deps, { items, atOnce: 1 }, async (item) => {
    await attempt(deps, { loop: name, id: idOf(item) }, () => work(item))
  })
}

/** Answers whether the work neither threw nor answered `false`. */
async function attempt(
  { log, stopped }: EachDeps,
  about: { readonly loop: string; readonly id: string },
  work: () => Promise<unknown>,
): Promise<boolean> {
  try {
    return (await work()) !== false
  } catch (error) {
    if (!stopped.aborted)
      log.warn('one failed, the others go on', { ...about, error: messageOf(error) })
    return false
  }
}

/** So many items at a time, each for as long as one is waited for. `work` must not reject. */
async function inLanes<T>(
  { clock, stopped }: EachDeps,
  { items, atOnce }: { readonly items: readonly T[]; readonly atOnce: number },
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items]
  const beganAt = clock.monotonic()
  const lane = async (): Promise<void> => {
    while (left.length > 0 && !stopped.aborted && clock.monotonic() - beganAt < allMsMax)
      for (const item of left.splice(0, 1)) await settlesWithin(clock, itemMsMax, work(item))
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, lane))
}
