/** Assistants made, changed and deleted at run time. What comes from the configuration is nobody's to change here. */
import { type AgentDefinition, limits } from '@signalbox/core'
import type { AssistantContent, StoredAssistant } from '@signalbox/postgres'
import { checkOverride } from '../assistants/override.ts'
import type { AssistantCreate, AssistantPatch } from '../wires/langgraph/assistant-changes.ts'
import type { Api, Identified } from './api.ts'
import { agentNamed, findAgent } from './find.ts'
import { Problem } from './problem.ts'

type Deps = Pick<Api, 'agents' | 'random' | 'resources'>

/** A stored assistant, or the configured agent that has its id. */
export type KeptAssistant =
  | { readonly stored: StoredAssistant }
  | { readonly configured: AgentDefinition }

/** Makes an assistant. @throws Problem */
export async function createAssistant(
  api: Deps,
  caller: Identified,
  asked: AssistantCreate,
): Promise<KeptAssistant> {
  const { tenantId, actor } = caller
  const assistantId = asked.assistant_id?.toLowerCase() ?? api.random.uuid()
  const content = contentOf(api, {
    agent: asked.graph_id,
    name: asked.name ?? 'Untitled',
    description: asked.description ?? null,
    metadata: asked.metadata ?? {},
    config: asked.config ?? {},
    context: asked.context ?? {},
  })
  const configured = api.agents.get(agentNamed(api, assistantId))
  const code = configured
    ? 'exists'
    : await api.resources.assistants.create({ ...content, tenantId, assistantId, actor })
  if (code === 'full') throw full(`${limits.assistantsMax} assistants`)
  if (code === 'exists' && asked.if_exists !== 'do_nothing')
    throw new Problem('assistant_exists', {
      detail: `There is an assistant ${assistantId} already.`,
      field: 'assistant_id',
    })
  return configured ? { configured } : { stored: await storedNamed(api, caller, assistantId) }
}

const triesMax = 5

/** Writes another version, as LangGraph's server does, whatever is sent: its fields, beside those of the version that runs use. @throws Problem */
export async function changeAssistant(
  api: Deps,
  caller: Identified,
  change: { readonly name: string; readonly sent: AssistantPatch },
): Promise<StoredAssistant> {
  const { sent } = change
  for (let tries = 0; tries < triesMax; tries += 1) {
    const stored = await storedNamed(api, caller, change.name)
    const content = contentOf(api, {
      agent: sent.graph_id ?? stored.agent,
      name: sent.name ?? stored.name,
      description: sent.description === undefined ? stored.description : sent.description,
      metadata: { ...stored.metadata, ...sent.metadata },
      config: sent.config ?? stored.config,
      context: sent.context ?? stored.context,
    })
    const { assistantId, versions } = stored
    const put = { ...content, assistantId, tenantId: caller.tenantId, actor: caller.actor }
    const code = await api.resources.assistants.change(put, versions)
    if (code === 'full') throw full(`${limits.assistantVersionsMax} versions of the assistant`)
    if (code === 'ok') return storedNamed(api, caller, assistantId)
  }
  throw new Error(`the assistant ${change.name} changes faster than it can be changed`)
}

/** Lets runs use another version. @throws Problem */
export async function chooseVersion(
  api: Deps,
  caller: Identified,
  choice: { readonly name: string; readonly version: number },
): Promise<StoredAssistant> {
  const { assistantId, versions } = await storedNamed(api, caller, choice.name)
  const { tenantId, actor } = caller
  const { version } = choice
  if (!(await api.resources.assistants.choose(tenantId, assistantId, { version, actor })))
    throw new Problem('invalid_request', {
      detail: `version: takes 1 to ${versions}, the versions there are`,
      field: 'version',
    })
  return storedNamed(api, caller, assistantId)
}

/** Deletes an assistant with its versions. Runs keep the definitions they were made with. @throws Problem */
export async function deleteAssistant(api: Deps, caller: Identified, name: string): Promise<void> {
  const { assistantId } = await storedNamed(api, caller, name)
  await api.resources.assistants.delete(caller.tenantId, assistantId, caller.actor)
}

/** @throws Problem `assistant_configured`, `unknown_agent` */
async function storedNamed(
  api: Deps,
  { tenantId }: Identified,
  name: string,
): Promise<StoredAssistant> {
  if (api.agents.has(agentNamed(api, name)))
    throw new Problem('assistant_configured', {
      detail: `"${name}" is an agent of the configuration. Change it there, or make an assistant of it.`,
      field: 'assistant_id',
    })
  const stored = await api.resources.assistants.assistant(tenantId, name)
  if (stored) return stored
  findAgent(api, name)
  throw new Error('unreachable: there is no such agent')
}

/** What is written, once it is known to fit its agent. */
function contentOf(api: Deps, content: AssistantContent): AssistantContent {
  const agent = findAgent(api, content.agent, 'graph_id')
  const mistake = checkOverride(agent, content)
  if (mistake)
    throw new Problem('invalid_request', {
      detail: `${mistake.field}: ${mistake.message}`,
      field: mistake.field,
    })
  const { metadata, config, context } = content
  const bytes = Buffer.byteLength(JSON.stringify({ metadata, config, context }))
  if (bytes > limits.assistantBytesMax)
    throw new Problem('invalid_request', {
      detail: `context: metadata, config and context take at most ${limits.assistantBytesMax} bytes of JSON together`,
      field: 'context',
    })
  return { ...content, agent: agent.name }
}

const full = (what: string): Problem =>
  new Problem('quota_reached', {
    detail: `There are ${what}, and there may be no other. Delete some.`,
  })
