/** Assistants in LangGraph's words: searched, with the machine as their graph and the shapes they take. */
import { isDeepStrictEqual } from 'node:util'
import { z } from '@hono/zod-openapi'
import { type AgentDefinition, JsonObjectSchema, limits, runMachine } from '@signalbox/core'
import type { Assistant } from '../../http/wire/agent-view.ts'
import { ChatMessage } from './messages.ts'

const filters = {
  graph_id: z.string().nullish(),
  /** Part of the name, in whatever case. */
  name: z.string().nullish(),
  metadata: JsonObjectSchema.nullish().openapi({ type: ['object', 'null'] }),
}

export const AssistantCount = z.object(filters).openapi('AssistantCount')

const page = {
  limit: z.number().int().min(1, 'takes at least 1').max(limits.pageMax).default(10),
  offset: z.number().int().min(0).max(1_000_000).default(0),
}

export const AssistantVersions = z
  .object({ ...page, metadata: filters.metadata })
  .openapi('AssistantVersions')

export const AssistantSearch = z
  .object({
    ...filters,
    ...page,
    sort_by: z.enum(['assistant_id', 'created_at', 'updated_at', 'name', 'graph_id']).nullish(),
    sort_order: z.enum(['asc', 'desc']).nullish(),
  })
  .openapi('AssistantSearch')
export type AssistantSearch = z.output<typeof AssistantSearch>

/** The assistants that a filter finds. */
export function foundAssistants(
  among: readonly Assistant[],
  filter: z.output<typeof AssistantCount>,
): readonly Assistant[] {
  const { graph_id, name } = filter
  const metadata = Object.entries(filter.metadata ?? {})
  return among
    .filter((each) => !graph_id || each.graph_id === graph_id)
    .filter((each) => !name || each.name.toLowerCase().includes(name.toLowerCase()))
    .filter((each) =>
      metadata.every(([key, value]) => isDeepStrictEqual(each.metadata[key], value)),
    )
}

/** A page of them: by name if nothing else is asked, those of one name by id. */
export function assistantPage(found: readonly Assistant[], asked: AssistantSearch): Assistant[] {
  const { limit, offset, sort_by, sort_order } = asked
  const keys = [sort_by ?? 'name', 'name', 'assistant_id'] as const
  const rank = (each: Assistant) => keys.map((key) => each[key])
  const sorted = found.toSorted((a, b) => compare(rank(a), rank(b)))
  const ordered = sort_order === 'desc' ? sorted.toReversed() : sorted
  return ordered.slice(offset, offset + limit)
}

function compare(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((one, n) => one !== b[n])
  return at < 0 ? 0 : (a[at] ?? '') < (b[at] ?? '') ? -1 : 1
}

export const Graph = z
  .object({
    nodes: z.array(
      z.object({
        id: z.string(),
        type: z.string(),
        data: z.object({ id: z.array(z.string()), name: z.string() }),
      }),
    ),
    edges: z.array(
      z.object({ source: z.string(), target: z.string(), conditional: z.boolean().optional() }),
    ),
  })
  .openapi('Graph')
export type Graph = z.infer<typeof Graph>

/** The machine of every agent: its states as nodes, its transitions as edges. */
export function machineGraph(): Graph {
  const states = Object.values(runMachine.states)
  const edges = states.flatMap((state) => {
    const targets = new Set(
      [...state.transitions.values(), state.always ?? []].flatMap((transitions) =>
        transitions.flatMap(({ target = [] }) => target.map(({ key }) => key)),
      ),
    )
    if (state.type === 'final') return [{ source: state.key, target: '__end__' }]
    const conditional = targets.size > 1 ? { conditional: true } : {}
    return [...targets].map((target) => ({ source: state.key, target, ...conditional }))
  })
  return {
    nodes: ['__start__', ...states.map(({ key }) => key), '__end__'].map((id) => ({
      id,
      type: 'runnable',
      data: { id: ['signalbox', id], name: id },
    })),
    edges: [{ source: '__start__', target: 'queued' }, ...edges],
  }
}

const Said = z.object({ type: z.enum(['human', 'system']), content: z.string() })

/** The fields that its runs may carry; null where it declares none. */
function fieldsSchema({ fields }: AgentDefinition) {
  if (!fields) return null
  const properties = Object.entries(fields).map(([name, { type, values, description }]) => [
    name,
    {
      type,
      ...(values ? { enum: values } : {}),
      ...(description === undefined ? {} : { description }),
    },
  ])
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  }
}

/** The shapes an agent takes and gives, as JSON schemas: those of messages are the same for each. */
export function schemasOf(agent: AgentDefinition) {
  const state = z.toJSONSchema(z.object({ messages: z.array(ChatMessage) }))
  const fields = fieldsSchema(agent)
  return {
    graph_id: agent.name,
    input_schema: z.toJSONSchema(z.object({ messages: z.array(Said) })),
    output_schema: state,
    state_schema: state,
    config_schema: fields,
    context_schema: fields,
  }
}
