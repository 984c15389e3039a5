/** The configuration of every process of the tests: production parts, scripted models, tools that leave marks. */
import type { EngineSettings } from '@signalbox/engine'
import { parseConfig } from '@signalbox/server'
import { playPlans } from './plan.ts'
import { crashTools } from './tools.ts'

/** Leases that lapse soon and polls that find things soon, so that a schedule takes seconds. */
export const engineSettings: Partial<EngineSettings> = {
  leaseMs: 300,
  renewMs: 70,
  pollMs: 150,
  redispatchMs: 400,
  // Fewer than the runs of a workload: some model calls have to be announced, and taken by whoever has room.
  modelConcurrency: 1,
  verifyEvery: 5,
}

const everything = ['look', 'put', 'pay', 'dump', 'boom', 'endless', 'stall']

const agent = {
  model: { provider: 'scripted' as const, model: 'plans' },
  tools: everything,
  modelRetries: { max: 10, baseMs: 20, capMs: 100 },
}

/** Agents: `plain`; `guarded`, whose `put` a human must approve; `hasty`, which has no time. */
export const configurationOf = (world: string) =>
  parseConfig({
    scripts: { plans: playPlans() },
    tools: crashTools(world),
    agents: {
      plain: agent,
      guarded: { ...agent, guardrails: { approvalTools: ['put'] } },
      hasty: { ...agent, limits: { timeoutMs: 500 } },
    },
    queues: { tools: { concurrency: 8 }, endless: { concurrency: 2 } },
    server: { graceMs: 500 },
  })
