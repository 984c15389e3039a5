/**
 * Whose turn it is among tool calls. A queue hands hints over in the order of their dispatch, so a tenant that has dispatched a
 * thousand would have a thousand served before anybody else.
 *
 * T1 A hint says that there is work in a queue, not whose. While all hands of the queue are busy, the register says whose turn
 *    it is, and the tenants take turns. While some are idle nobody waits, and nobody is asked.
 * T2 A hint whose call somebody else took stands for what he left: as many calls are looked for as hints were sent.
 */
import type { EffectRow, Register } from '../ports.ts'
import { insist, type Patience } from '../record/patience.ts'
import type { EngineSettings } from '../settings.ts'

export interface Turns {
  /** Counts a hand of the queue as busy while it works. */
  hold<T>(queue: string, work: () => Promise<T>): Promise<T>
  /** Are all hands of the queue busy? */
  isCrowded(queue: string): boolean
  /** The tool call whose turn it is, of the tenant after the one asked for before. Null: nothing waits. */
  next(queue: string): Promise<EffectRow | null>
}

export function createTurns(
  deps: Patience & {
    readonly register: Pick<Register, 'nextWaiting'>
    readonly settings: EngineSettings
  },
): Turns {
  const hands = new Map(deps.settings.queues.map(({ queue, concurrency }) => [queue, concurrency]))
  const busy = new Map<string, number>()
  const served = new Map<string, string>()
  const count = (queue: string, change: number): void =>
    void busy.set(queue, (busy.get(queue) ?? 0) + change)
  return {
    async hold(queue, work) {
      count(queue, 1)
      try {
        return await work()
      } finally {
        count(queue, -1)
      }
    },
    isCrowded: (queue) => (busy.get(queue) ?? 0) >= (hands.get(queue) ?? Infinity),
    async next(queue) {
      const row = await insist(deps, 'read next', () =>
        deps.register.nextWaiting(queue, served.get(queue) ?? ''),
      )
      if (row) served.set(queue, row.tenantId)
      return row
    },
  }
}
