/** The metrics that a process of all roles serves, and the labels of each, as Prometheus has them. */
import type { Tally } from '@signalbox/postgres'
import { z } from 'zod'
import { createMetrics } from '../../packages/server/src/observe/metrics.ts'
import { addRegisterGauges } from '../../packages/server/src/observe/register-gauges.ts'

/** Made with the traces of runs. */
const ofRuns = {
  name: 'signalbox_run_seconds',
  labelNames: ['agent', 'outcome'],
  type: 'histogram',
}

/** Prometheus adds these to what it scrapes. */
const scraped = ['job', 'instance']

// A metric without values does not show its labels, so it is asked itself.
const Metric = z.object({
  name: z.string(),
  labelNames: z.array(z.string()).readonly(),
  type: z.enum(['counter', 'gauge', 'histogram', 'summary']),
})

const never = (): Promise<Tally> => Promise.reject(new Error('nobody asks here'))

/** By name; a histogram has three. */
export function knownMetrics(): ReadonlyMap<string, readonly string[]> {
  const { registry } = createMetrics({ defaults: true })
  addRegisterGauges(registry, { read: never, models: [] })
  const made = registry.getMetricsAsArray()
  const hasRuns = made.some((metric) => Metric.parse(metric).name === ofRuns.name)
  const metrics = [...made, ...(hasRuns ? [] : [ofRuns])].map((metric) => Metric.parse(metric))
  return new Map(
    metrics.flatMap(({ name, labelNames, type }): [string, readonly string[]][] => {
      const labels = [...labelNames, ...scraped]
      if (type !== 'histogram') return [[name, labels]]
      return [
        [`${name}_bucket`, [...labels, 'le']],
        [`${name}_sum`, labels],
        [`${name}_count`, labels],
      ]
    }),
  )
}
