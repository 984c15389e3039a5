/** Which model of an agent is asked. */
import type { AgentDefinition } from './definition.ts'

/** The model a turn is asked of: the agent's own, or its n-th fallback. */
export const modelOf = (agent: AgentDefinition, n: number): AgentDefinition['model'] =>
  (n === 0 ? undefined : agent.fallbackModels[n - 1]) ?? agent.model
