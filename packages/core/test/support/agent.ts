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

type Patch = {
  readonly [K in keyof AgentDefinition]?: AgentDefinition[K] extends object
    ? Partial<AgentDefinition[K]>
    : AgentDefinition[K]
}

/** An agent with the tools `search`, `write` (once), `pay` (must be approved) and `rm` (denied). */
export function agentWith(patch: Patch = {}): AgentDefinition {
  const base = AgentDefinition.parse({
    name: 'a',
    model: { provider: 'scripted', model: 'm' },
    instructions: 'Be brief.',
    tools: [tool('search', 'read'), tool('write', 'once'), tool('pay', 'once'), tool('rm', 'once')],
    guardrails: { approvalTools: ['pay'], deniedTools: ['rm'] },
  })
  return {
    ...base,
    ...patch,
    model: { ...base.model, ...patch.model },
    tools: patch.tools ? [...patch.tools].filter((each) => each !== undefined) : base.tools,
    safety: { ...base.safety, ...patch.safety },
    guardrails: { ...base.guardrails, ...patch.guardrails },
    loop: { ...base.loop, ...patch.loop },
    limits: { ...base.limits, ...patch.limits },
    modelRetries: { ...base.modelRetries, ...patch.modelRetries },
  }
}
