import { z } from '@hono/zod-openapi'
import type { AgentDefinition } from '@signalbox/core'

/** An agent as the wire shows it: an assistant. */
export const Assistant = z
  .object({
    assistant_id: z.string(),
    graph_id: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    metadata: z.record(z.string(), z.unknown()),
    config: z.record(z.string(), z.unknown()),
    context: z.record(z.string(), z.unknown()),
    /** An agent is configured: it has one version, and no time of its own. */
    version: z.literal(1),
    created_at: z.string(),
    updated_at: z.string(),
    model: z.object({ provider: z.string(), model: z.string() }),
    tools: z.array(z.object({ name: z.string(), description: z.string(), effect: z.string() })),
    limits: z.record(z.string(), z.number().nullable()),
  })
  .openapi('Assistant')
export type Assistant = z.infer<typeof Assistant>

const always = new Date(0).toISOString()

/** Neither instructions nor addresses of the model: they are the operator's. */
export const agentView = (agent: AgentDefinition): Assistant => ({
  assistant_id: agent.name,
  graph_id: agent.name,
  name: agent.name,
  description: null,
  metadata: { created_by: 'system' },
  config: {},
  context: {},
  version: 1,
  created_at: always,
  updated_at: always,
  model: { provider: agent.model.provider, model: agent.model.model },
  tools: agent.tools.map(({ name, description, effect }) => ({ name, description, effect })),
  limits: { ...agent.limits },
})
