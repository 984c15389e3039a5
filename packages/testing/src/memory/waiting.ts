/** Tool calls that wait for a worker, in memory: how many, whose turn it is, and which to announce again. */
import type { Clock, EffectRow, Register } from '@signalbox/engine'
import { nextTenant } from './turns.ts'
import type { EffectRecord, Tables } from './tables.ts'

/** From its announcement, before it is announced again for the first time. */
const firstMs = 2_000

export function waitingOf(
  tables: Tables,
  clock: Pick<Clock, 'now'>,
  rowOf: (tables: Tables, effect: EffectRecord) => EffectRow,
): Pick<Register, 'waitingCalls' | 'takeWaiting' | 'nextWaiting'> {
  const waiting = (): EffectRecord[] =>
    [...tables.effects.values()].filter(
      ({ status, kind, notBefore }) =>
        status === 'pending' && kind === 'tool.call' && notBefore <= clock.now(),
    )
  const inQueue = (queue: string): EffectRecord[] =>
    waiting().filter((effect) => effect.queue === queue)
  return {
    waitingCalls: async () => {
      const counts = new Map<string, number>()
      for (const { queue } of waiting()) counts.set(queue, (counts.get(queue) ?? 0) + 1)
      return [...counts].map(([queue, calls]) => ({ queue, calls }))
    },
    takeWaiting: async (queue, waitMs, limit) =>
      inQueue(queue)
        .filter((effect) => announcedAt(effect) + pauseOf(effect, waitMs) <= clock.now())
        .toSorted((a, b) => announcedAt(a) - announcedAt(b))
        .slice(0, limit)
        .map((effect) => {
          effect.dispatches += 1
          effect.announced = clock.now()
          return rowOf(tables, effect)
        }),
    nextWaiting: async (queue, afterTenant) => {
      const next = nextTenant(inQueue(queue), afterTenant)
      return next ? rowOf(tables, next) : null
    },
  }
}

const announcedAt = ({ notBefore, announced }: EffectRecord): number =>
  Math.max(notBefore, announced)

function pauseOf({ dispatches }: EffectRecord, waitMs: number): number {
  if (dispatches < 2) return Math.min(firstMs, waitMs)
  return dispatches === 2 ? waitMs : 2 * waitMs
}
