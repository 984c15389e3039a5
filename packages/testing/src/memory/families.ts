/** Trees of runs in memory: who started whom, and who waits for what. */
import type { ChildRef, Register, RunRef } from '@signalbox/engine'
import type { RunRow, Tables } from './tables.ts'
import { isNoneOf } from './turns.ts'

const refs = (rows: readonly RunRow[], limit: number): RunRef[] =>
  rows.slice(0, limit).map(({ tenantId, runId }) => ({ tenantId, runId }))

export function familiesOf({
  runs,
  effects,
}: Tables): Pick<Register, 'children' | 'endedChildren' | 'orphans'> {
  const born = (): RunRow[] => [...runs.values()].filter(({ parent }) => parent !== null)
  const parentOf = ({ parent }: RunRow): RunRow | undefined =>
    parent ? runs.get(parent.runId) : undefined
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
      refs(
        born()
          .filter(
            ({ parent, status }) =>
              status === 'ended' && effects.get(parent?.effectId ?? '')?.status === 'started',
          )
          .filter(isNoneOf(except)),
        limit,
      ),
    orphans: async (limit, except) =>
      refs(
        born()
          .filter((run) => {
            const parent = parentOf(run)
            const left = parent?.status === 'ended' || parent?.cancelRequested
            return run.status !== 'ended' && !run.cancelRequested && left
          })
          .filter(isNoneOf(except)),
        limit,
      ),
  }
}
