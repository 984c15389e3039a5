import { AgentDefinition, type EffectMode } from '../../src/index.ts'

const tool = (name: string, effect: EffectMode = 'idempotent') => ({
  name,
  version: 'v1',
  description: name,
  inputSchema: { type: 'object' },
  effect,
  queue: 'default',
  timeoutMs: 30_000,
})

/** What a test changes of the agent; a part that is an object is changed key by key. */
export type Patch = {
  readonly [K in keyof AgentDefinition]?: AgentDefinition[K] extends readonly unknown[]
    ? AgentDefinition[K]
    : AgentDefinition[K] extends object
      ? Partial<AgentDefinition[K]>
      : AgentDefinition[K]
}

/** A model beside the agent's own. */
export const modelNamed = (model: string): AgentDefinition['model'] => ({
  provider: 'scripted',
  model,
  idleTimeoutMs: 60_000,
  endMarker: 'required',
})

/** A policy that takes I/O to ask. */
export const asked: AgentDefinition['guardrails']['policies'][number] = {
  use: 'http',
  id: 'opa',
  digest: 'sha256:1',
  url: 'http://127.0.0.1:1/',
  timeoutMs: 1000,
}

/** A pure policy of a kind that the core itself cannot evaluate. */
export const cedar: AgentDefinition['guardrails']['policies'][number] = {
  use: 'cedar',
  id: 'rules',
  digest: 'sha256:2',
  policies: { p: 'permit(principal, action, resource);' },
  schema: null,
  codes: {},
  approval: [],
}

const base = AgentDefinition.parse({
  name: 'a',
  model: { provider: 'scripted', model: 'm' },
  instructions: 'Be brief.',
  tools: [tool('search', 'read'), tool('write', 'once'), tool('pay', 'once'), tool('rm', 'once')],
  guardrails: { approvalTools: ['pay'], deniedTools: ['rm'] },
})

/**
 * An agent with the tools `search` (reads), `write` (once), `pay` (must be approved) and `rm` (denied). Throws for one
 * that no configuration could make.
 */
export const agentWith = (patch: Patch = {}): AgentDefinition =>
  AgentDefinition.parse({
    ...base,
    ...patch,
    model: { ...base.model, ...patch.model },
    safety: { ...base.safety, ...patch.safety },
    guardrails: { ...base.guardrails, ...patch.guardrails },
    approvals: { ...base.approvals, ...patch.approvals },
    loop: { ...base.loop, ...patch.loop },
    limits: { ...base.limits, ...patch.limits },
    modelRetries: { ...base.modelRetries, ...patch.modelRetries },
  })
