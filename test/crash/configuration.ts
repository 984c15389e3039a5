/** The configuration of every process of the tests: production parts, scripted models, tools that leave marks. */
import type { EngineSettings } from '@signalbox/engine'
import { definePolicy, parseConfig, type Role } from '@signalbox/server'
import { setTimeout as sleep } from 'node:timers/promises'
import { bannedTerm, playPlans, toolOf } from './plan.ts'
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

/** Where a process finds what it signs with. */
export const webhookSecretEnv = 'CRASH_WEBHOOK_SECRET'

const everything = ['look', 'put', 'pay', 'dump', 'boom', 'endless', 'stall', 'linger']

const agent = {
  model: { provider: 'scripted' as const, model: 'plans' },
  tools: everything,
  modelRetries: { max: 10, baseMs: 20, capMs: 100 },
}

/** Nobody is held: stops are only counted. */
const hold = { stops: 1_000, withinMs: 1, holdMs: 1 }

const policyMs = 20

/**
 * A policy with I/O, as a process of this role sees it: `dump` is denied at once, `boom` only when a worker asks again,
 * after a human has approved it.
 */
const policyOf = (role: Role) =>
  definePolicy({
    id: 'house',
    evaluate: async ({ tool }, { signal }) => {
      await sleep(policyMs, undefined, { signal })
      if (tool === 'dump' || (tool === 'boom' && role === 'worker')) return { effect: 'deny' }
      return { effect: tool === 'boom' ? 'require_approval' : 'allow' }
    },
  })

/** An agent whose window a few results of `dump` fill: some 600 tokens of tools, and 1,100 for head and tail of each. From 2,400 on there is a summary. */
const roomy = {
  ...agent,
  model: { ...agent.model, contextWindow: 6_000 },
  context: { compact: { at: 0.5, keep: 1, failuresMax: 1 } },
}

const starts = { ...agent, tools: [...everything, 'agent:helper', 'agent:leaf'] }

/**
 * Agents: `plain`; `guarded`, whose `put` a human must approve; `hasty`, which has no time; `governed`, with everything that
 * can stand between a model and a tool; `falling`, whose own model never answers. And those that start runs: `chief`, which
 * must ask before it starts a `leaf`; `helper`, which also starts itself; `frugal` and `terse`, whose trees have too few calls
 * and too few turns; `leaf`, which starts none. `narrow` works on one run at a time, and names its
 * threads, as `namer` does. `keeper` reads files and leaves
 * some. `roomy` has its conversation summed up, and `pruned` has its old results cleared. `commander` executes commands, in the sandbox that
 * `use` names. `curious` asks, and has a plan.
 */
export function configurationOf(
  world: string,
  role: Role,
  use: 'virtual' | 'bubblewrap' = 'virtual',
) {
  const provider = policyOf(role)
  return parseConfig({
    scripts: { plans: playPlans(), down: () => ({ status: { code: 503 } }) },
    tools: crashTools(world),
    agents: {
      plain: agent,
      guarded: { ...agent, guardrails: { approvalTools: ['put'] } },
      hasty: { ...agent, limits: { timeoutMs: 500 } },
      governed: {
        ...agent,
        guardrails: {
          provider,
          approvalTools: ['put'],
          stream: [{ use: 'banned-terms', terms: [bannedTerm] }],
        },
        approvals: { forbidRequester: true },
        safety: { hold },
      },
      falling: {
        ...agent,
        model: { provider: 'scripted', model: 'down' },
        fallbackModels: [agent.model],
        modelRetries: { max: 1, baseMs: 20, capMs: 100 },
        // Its circuit never opens: each schedule must report its failures.
        breaker: { threshold: 1_000, openMs: 1 },
      },
      chief: {
        ...starts,
        guardrails: { provider, approvalTools: [toolOf('leaf')] },
      },
      helper: { ...starts, safety: { hold } },
      frugal: { ...starts, limits: { maxToolCalls: 3 } },
      terse: { ...starts, limits: { maxTurns: 2 } },
      roomy,
      pruned: {
        ...roomy,
        model: { ...agent.model, contextWindow: 10_000 },
        context: { prune: { at: 0.3, keepTurns: 1, minTokens: 1_000 }, compact: { maxPerRun: 0 } },
      },
      leaf: agent,
      curious: { ...agent, clarification: true, todo: true },
      commander: { ...agent, tools: ['look', 'bash'] },
      narrow: { ...agent, title: { maxWords: 6 } },
      namer: { ...agent, title: { maxWords: 6 } },
      keeper: { ...agent, tools: [...everything, 'keep'] },
    },
    runLimits: [{ agents: ['narrow'], concurrency: 1 }],
    webhooks: { secretEnv: webhookSecretEnv, allow: ['127.0.0.1'] },
    sandbox: { use, limits: { wallMs: 20_000, processes: 32 } },
    queues: {
      tools: { concurrency: 8 },
      endless: { concurrency: 2 },
      sandbox: { concurrency: 4 },
    },
    server: { graceMs: 500, identity: { userHeader: 'x-user' } },
  })
}
