/** Lanes in memory: the limits that runs of the same key share. */
import type { Lane } from '@signalbox/engine'
import type { RunRow, Tables } from './tables.ts'

/** The runs that stand in a lane, whatever has become of them. */
const inLane = ({ runs }: Tables, tenantId: string, { key }: Lane): readonly RunRow[] =>
  [...runs.values()].filter(
    (run) => run.tenantId === tenantId && run.lanes.some((lane) => lane.key === key),
  )

/** Is one of the run's lanes full? A run that waits for a human is not at work. */
export const lanesFull = (tables: Tables, { tenantId, lanes }: RunRow, now: number): boolean =>
  lanes.some((lane) => {
    const { most = Infinity, rate = Infinity, perMs = 0, key } = lane
    const admitted = inLane(tables, tenantId, lane).filter((run) => run.admittedAt !== null)
    const working = admitted.filter(({ status }) => status !== 'ended' && status !== 'waiting')
    const started = admitted
      .filter((run) => run.lanes.some((each) => each.key === key && each.rate !== undefined))
      .filter((run) => (run.admittedAt ?? 0) > now - perMs)
    return working.length >= most || started.length >= rate
  })

/** Does anybody wait for one of the run's lanes already? */
export const laneAwaited = (tables: Tables, run: RunRow): boolean =>
  run.lanes.some((lane) =>
    inLane(tables, run.tenantId, lane).some(
      (other) =>
        other !== run && !other.admitted && other.status !== 'ended' && other.dueAt <= run.dueAt,
    ),
  )

export const sharesLane = (a: RunRow, b: RunRow): boolean =>
  a.tenantId === b.tenantId && a.lanes.some(({ key }) => b.lanes.some((lane) => lane.key === key))

/** The most urgent first, then who has waited longest. */
export const byUrgency = (a: RunRow, b: RunRow): number =>
  b.priority - a.priority || a.dueAt - b.dueAt || (a.runId < b.runId ? -1 : 1)
