import { z } from '@hono/zod-openapi'
import type { AgentDefinition } from '@signalbox/core'
import type { StoredAssistant } from '@signalbox/postgres'
import type { Api } from '../api.ts'
import { definitionOf } from '../find-assistant.ts'
import { iso } from './iso.ts'

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
    /** A configured agent has one version, and no time of its own. */
    version: z.number().int(),
    created_at: z.string(),
    updated_at: z.string(),
    /** What comes of it: absent for an assistant that does not fit its agent any more. */
    model: z.object({ provider: z.string(), model: z.string() }).optional(),
    tools: z
      .array(z.object({ name: z.string(), description: z.string(), effect: z.string() }))
      .optional(),
    limits: z.record(z.string(), z.number().nullable()).optional(),
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
  ...abilities(agent),
})

/** An assistant, and what it makes of its agent. */
export function assistantView(api: Pick<Api, 'agents'>, stored: StoredAssistant): Assistant {
  const definition = definitionOf(api, stored)
  return {
    assistant_id: stored.assistantId,
    graph_id: stored.agent,
    name: stored.name,
    description: stored.description,
    metadata: { ...stored.metadata },
    config: { ...stored.config },
    context: { ...stored.context },
    version: stored.version,
    created_at: iso(stored.createdAt),
    updated_at: iso(stored.updatedAt),
    ...(definition ? abilities(definition) : {}),
  }
}

const abilities = (agent: AgentDefinition) => ({
  model: { provider: agent.model.provider, model: agent.model.model },
  tools: agent.tools.map(({ name, description, effect }) => ({ name, description, effect })),
  limits: { ...agent.limits },
})
