/** Grants and safety stops, found in the events. */
import type { Register, StoredEvent } from '@signalbox/engine'
import type { Tables } from './tables.ts'

export function governanceOf({ runs, events }: Tables): Pick<Register, 'grants' | 'safetyStops'> {
  const of = (type: string, tenantId: string): StoredEvent[] =>
    [...events.values()]
      .flat()
      .filter((event) => event.type === type && event.tenantId === tenantId)
  return {
    grants: async ({ tenantId, agent }, calls) => {
      const always = of('approval.answered', tenantId).filter(
        ({ runId, seq, payload }) =>
          runs.get(runId)?.agent === agent &&
          payload['decision'] === 'approve' &&
          payload['scope'] === 'always' &&
          !events
            .get(runId)
            ?.some(({ type, payload: { seq: n } }) => type === 'event.ignored' && n === seq),
      )
      return calls.map((call) =>
        always.some(
          ({ tool, payload }) => tool === call.tool && payload['argsHash'] === call.argsHash,
        ),
      )
    },
    safetyStops: async ({ tenantId, endUser }, since, limit) =>
      of('safety.suppressed', tenantId)
        .filter(({ runId }) => events.get(runId)?.[0]?.payload['endUser'] === endUser)
        .map(({ at }) => at)
        .filter((at) => at >= since)
        .toSorted((a, b) => b - a)
        .slice(0, limit),
  }
}
