/** Which model of an agent is asked. */
import type { AgentDefinition } from './definition.ts'

type Model = AgentDefinition['model']

/** The model a turn is asked of: the agent's own, or its n-th fallback. */
export const modelOf = (agent: AgentDefinition, n: number): Model =>
  (n === 0 ? undefined : agent.fallbackModels[n - 1]) ?? agent.model

/** Is the n-th model of an agent shown images? */
export const seesImages = (agent: AgentDefinition, n: number): boolean =>
  modelOf(agent, n).vision === true

/** The model that writes a run's summaries: the one that its agent names for them, or the one that its turns are asked of. */
export function summaryModelOf(agent: AgentDefinition, n: number): Model {
  const name = agent.context?.compact.model ?? null
  const named = [agent.model, ...agent.fallbackModels].find(({ model }) => model === name)
  return named ?? modelOf(agent, n)
}
