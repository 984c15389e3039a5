/** The agent that a request names: a configured one, or what an assistant makes of one. */
import type { AgentDefinition, JsonObject } from '@signalbox/core'
import type { Caller } from '@signalbox/engine'
import type { StoredAssistant } from '@signalbox/postgres'
import { type Override, overridden, readOverride } from '../assistants/override.ts'
import type { Api } from './api.ts'
import { agentNamed, findAgent } from './find.ts'
import { Problem } from './problem.ts'

/** An agent that runs can have. */
export interface FoundAssistant {
  /** The name of a configured agent, or the id of an assistant. */
  readonly id: string
  readonly definition: AgentDefinition
  /** What its runs say about it in their metadata. */
  readonly marks: JsonObject
  /** What its runs say in the fields of the agent where their clients do not. */
  readonly fields: JsonObject
}

type Deps = Pick<Api, 'agents' | 'resources'>

/** What a name stands for: a configured agent, or an assistant, whether or not it still fits one. */
type Named = { readonly agent: AgentDefinition } | { readonly stored: StoredAssistant }

/** By name, by the UUID that stands for it, or by the id of an assistant. @throws Problem `unknown_agent` */
export async function lookUpAssistant(
  api: Deps,
  { tenantId }: Caller,
  name: string,
): Promise<Named> {
  const agent = api.agents.get(agentNamed(api, name))
  if (agent) return { agent }
  const stored = await api.resources.assistants.assistant(tenantId, name)
  return stored ? { stored } : { agent: findAgent(api, name) }
}

/** The same, as runs have it. @throws Problem `unknown_agent`, `assistant_outdated` */
export async function findAssistant(
  api: Deps,
  caller: Caller,
  name: string,
): Promise<FoundAssistant> {
  const named = await lookUpAssistant(api, caller, name)
  if ('agent' in named)
    return { id: named.agent.name, definition: named.agent, marks: {}, fields: {} }
  const { stored } = named
  const made = madeOf(api, stored)
  if (made) {
    const { assistantId: id, version } = stored
    return { id, ...made, marks: { assistant_id: id, assistant_version: version } }
  }
  throw new Problem('assistant_outdated', {
    detail: `The assistant ${name} does not fit the agent "${stored.agent}" any more, or there is no such agent. Change the assistant.`,
    field: 'assistant_id',
  })
}

/** The same within LangGraph's limit, which counts a turn of the model and the execution of its calls as one step each. */
export function withinRecursion(found: FoundAssistant, limit: number | null): FoundAssistant {
  const { definition } = found
  const maxTurns = Math.ceil((limit ?? Infinity) / 2)
  if (maxTurns >= definition.limits.maxTurns) return found
  return { ...found, definition: kept(definition, { limits: { maxTurns } }) ?? definition }
}

/** The agent as an assistant has it; null if it does not fit the configuration any more. */
export const definitionOf = (
  api: Pick<Api, 'agents'>,
  stored: StoredAssistant,
): AgentDefinition | null => madeOf(api, stored)?.definition ?? null

function madeOf(
  { agents }: Pick<Api, 'agents'>,
  stored: StoredAssistant,
): Pick<FoundAssistant, 'definition' | 'fields'> | null {
  const agent = agents.get(stored.agent)
  if (!agent) return null
  const read = readOverride(stored, agent)
  if ('mistake' in read) return null
  const definition = kept(agent, read.override)
  return definition && { definition, fields: read.fields }
}

const keptMax = 256
const definitions = new WeakMap<AgentDefinition, Map<string, AgentDefinition>>()

/** The same object for the same content: definitions are hashed and stored once for each. */
function kept(agent: AgentDefinition, override: Override): AgentDefinition | null {
  const known = definitions.get(agent) ?? new Map<string, AgentDefinition>()
  definitions.set(agent, known)
  const key = JSON.stringify(override)
  const before = known.get(key)
  if (before) return before
  const definition = overridden(agent, override)
  if (!definition) return null
  const [oldest] = known.keys()
  if (known.size >= keptMax && oldest !== undefined) known.delete(oldest)
  known.set(key, definition)
  return definition
}
