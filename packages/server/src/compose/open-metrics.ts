/** The metrics of a process, over what it was composed of. */
import { type AgentDefinition, pinnedSkills } from '@signalbox/core'
import type { Log } from '@signalbox/engine'
import { createTallyReader } from '@signalbox/postgres'
import type { CountingLog } from '../observe/log.ts'
import { createMetrics, type Metrics } from '../observe/metrics.ts'
import { addRegisterGauges } from '../observe/register-gauges.ts'
import type { Closers } from './closers.ts'

/** The metrics that every process has. */
export function openMetrics(parts: {
  readonly roles: readonly string[]
  readonly version: string
  readonly log: Log | CountingLog
}): Metrics {
  const { roles, version, log } = parts
  const metrics = createMetrics({ defaults: true })
  metrics.build.set({ version, node: process.versions.node, roles: roles.join(',') }, 1)
  if ('onDropped' in log) log.onDropped((lines) => metrics.logDropped.inc(lines))
  return metrics
}

/**
 * What is only known once there are agents and a database. Gauges of the register are told by the roles `api` and `orchestrator`:
 * workers are many, and all would say the same.
 */
export function measureRegister(
  metrics: Metrics,
  parts: {
    readonly roles: readonly string[]
    readonly agents: ReadonlyMap<string, AgentDefinition>
    readonly engineUrl: string
  },
  closers: Closers,
): void {
  const { roles, agents, engineUrl } = parts
  const models = [...agents.values()].flatMap((agent) => [agent.model, ...agent.fallbackModels])
  metrics.agents.know(agents.keys())
  metrics.models.know(models.map(({ model }) => model))
  metrics.skills.know([...agents.values()].flatMap(pinnedSkills).map(({ name }) => name))
  if (!roles.includes('api') && !roles.includes('orchestrator')) return
  const tally = createTallyReader({ engineUrl })
  closers.add('gauges', () => tally.close())
  const names = models.map(({ provider, model }) => `${provider}/${model}`)
  addRegisterGauges(metrics.registry, { read: () => tally.read(), models: names })
}
