/** Trees of runs in memory: who started whom, and who waits for what. */
import type { ChildRef, Register } from '@signalbox/engine'
import { refOf } from './queue.ts'
import type { RunRow, Tables } from './tables.ts'
import { isNoneOf } from './turns.ts'

export function familiesOf({
  runs,
  effects,
}: Tables): Pick<Register, 'children' | 'endedChildren' | 'orphans'> {
  const born = (): RunRow[] => [...runs.values()].filter(({ parent }) => parent !== null)
  return {
    children: async (runId) =>
      born()
        .filter(({ parent }) => parent?.runId === runId)
        .toSorted((a, b) => (a.runId < b.runId ? -1 : 1))
        .map(({ tenantId, runId: childId, parent, status }): ChildRef => {
          const { effectId = '' } = parent ?? {}
          return { tenantId, runId: childId, effectId, ended: status === 'ended' }
        }),
    endedChildren: async (limit, except) =>
      born()
        .filter(
          ({ parent, status }) =>
            status === 'ended' && effects.get(parent?.effectId ?? '')?.status === 'started',
        )
        .filter(isNoneOf(except))
        .slice(0, limit)
        .map(refOf),
    orphans: async (limit, except) =>
      born()
        .filter((run) => {
          const parent = run.parent ? runs.get(run.parent.runId) : undefined
          const left = parent?.status === 'ended' || parent?.cancelRequested
          return run.status !== 'ended' && !run.cancelRequested && left
        })
        .filter(isNoneOf(except))
        .slice(0, limit)
        .map(refOf),
  }
}
