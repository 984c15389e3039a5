import { z } from '@hono/zod-openapi'
import type { AgentDefinition } from '@signalbox/core'

/** An agent as the wire shows it: an assistant. */
export const Assistant = z
  .object({
    assistant_id: z.string(),
    graph_id: z.string(),
    name: z.string(),
    metadata: z.record(z.string(), z.unknown()),
    config: z.record(z.string(), z.unknown()),
    model: z.object({ provider: z.string(), model: z.string() }),
    tools: z.array(z.object({ name: z.string(), description: z.string(), effect: z.string() })),
    limits: z.record(z.string(), z.number().nullable()),
  })
  .openapi('Assistant')
export type Assistant = z.infer<typeof Assistant>

/** Neither instructions nor addresses of the model: they are the operator's. */
export const agentView = (agent: AgentDefinition): Assistant => ({
  assistant_id: agent.name,
  graph_id: agent.name,
  name: agent.name,
  metadata: {},
  config: {},
  model: { provider: agent.model.provider, model: agent.model.model },
  tools: agent.tools.map(({ name, description, effect }) => ({ name, description, effect })),
  limits: { ...agent.limits },
})
