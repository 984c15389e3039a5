/** The circuit breaker in memory: the semantics of `admit_call` and `report_call`. A model without a row is closed. */
import type { Clock, Register } from '@signalbox/engine'
import type { CircuitRow, Tables } from './tables.ts'

export function circuitsOf(
  { circuits }: Tables,
  clock: Pick<Clock, 'now'>,
): Pick<Register, 'admitCall' | 'reportCall'> {
  return {
    admitCall: async (model, { openMs }) => {
      const row = circuits.get(model)
      const failures = row?.failures ?? 0
      if (row === undefined || row.openedAt === null)
        return { state: 'closed', failures, waitMs: 0 }
      const now = clock.now()
      const waitMs = Math.max(row.openedAt, row.probeAt ?? 0) + openMs - now
      if (waitMs > 0) return { state: 'open', failures, waitMs }
      circuits.set(model, { ...row, probeAt: now })
      return { state: 'probe', failures, waitMs: 0 }
    },
    reportCall: async (model, outcome, { threshold }) => {
      if (outcome === 'ok') circuits.delete(model)
      else circuits.set(model, failed(circuits.get(model), threshold, clock.now()))
    },
  }
}

/** Of the failures of an open circuit, only a probe's opens it anew. */
function failed(row: CircuitRow | undefined, threshold: number, now: number): CircuitRow {
  const failures = (row?.failures ?? 0) + 1
  const openedAt = row?.openedAt ?? null
  if (openedAt === null)
    return { failures, openedAt: failures >= threshold ? now : null, probeAt: null }
  return { failures, openedAt: row?.probeAt == null ? openedAt : now, probeAt: null }
}
