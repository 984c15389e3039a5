/**
 * Agents as tools: `agent:<name>` among the tools of an agent lets its model start runs of that agent, or of itself. How deep
 * and how many is limited by the decider, so that nobody starts runs without end.
 */
import type { ToolSpec } from '@signalbox/core'
import type { AgentConfig } from './agent-schema.ts'
import { fail } from './fail.ts'
import { digestOf } from './governance/digest.ts'
import { suggestion } from './nearest.ts'
import type { Config } from './schema.ts'

const selectorPrefix = 'agent:'
const toolPrefix = 'agent__'
/** What providers take as the name of a tool. */
const nameCharsMax = 64

/** The agent that a selector names; null for a selector of another kind. */
const agentOf = (selector: string): string | null =>
  selector.startsWith(selectorPrefix) ? selector.slice(selectorPrefix.length) : null

/** The name of the tool whose calls are runs of an agent. */
const toolNameOf = (agent: string): string =>
  `${toolPrefix}${agent.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, nameCharsMax)

/** The tools that selectors of any agent mean, by the agent whose runs do the work. */
export function agentTools({ agents }: Config): ReadonlyMap<string, ToolSpec> {
  const named = new Set(Object.values(agents).flatMap(({ tools }) => tools.map(agentOf)))
  return new Map(
    Object.entries(agents).flatMap(([name, agent]) =>
      named.has(name) ? [[name, toolOf(name, agent)] as const] : [],
    ),
  )
}

/** What a selector means; null if it is not about agents. @throws ConfigError */
export function selectAgentTool(
  selector: string,
  field: string,
  offer: {
    readonly config: Config
    readonly specs: readonly ToolSpec[]
    readonly agentTools: ReadonlyMap<string, ToolSpec>
  },
): ToolSpec | null {
  const agent = agentOf(selector)
  if (agent === null) return null
  const agents = Object.keys(offer.config.agents)
  const tool = offer.agentTools.get(agent)
  if (!tool) {
    const message = `there is no agent "${agent}".${suggestion(agent, agents)}`
    return fail('config_unknown_agent', field, message)
  }
  const { name } = tool
  if (offer.specs.some((spec) => spec.name === name))
    fail('config_invalid', field, `there is a tool of the name "${name}" already; rename either`)
  const twin = agents.find((each) => each !== agent && toolNameOf(each) === name)
  if (twin !== undefined) {
    const message = `"${agent}" and "${twin}" would both be the tool "${name}"; rename either`
    fail('config_invalid', field, message)
  }
  return tool
}

function toolOf(agent: string, { description, limits }: AgentConfig): ToolSpec {
  const promise = {
    name: toolNameOf(agent),
    description:
      description ??
      `Starts a run of the agent "${agent}", which works on the prompt on its own, and answers with its last words. ` +
        'It knows nothing of this conversation but the prompt.',
    inputSchema: {
      type: 'object',
      properties: { prompt: { type: 'string', description: 'What the agent is to do.' } },
      required: ['prompt'],
      additionalProperties: false,
    },
    // A call starts one run, however often it is tried.
    effect: 'idempotent' as const,
    runs: agent,
  }
  const version = digestOf(promise).slice('sha256:'.length, 'sha256:'.length + 16)
  return { ...promise, version, queue: 'tools', timeoutMs: limits.timeoutMs }
}
