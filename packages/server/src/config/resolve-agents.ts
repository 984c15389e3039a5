import { AgentDefinition, type DetectorConfig, type ToolSpec } from '@signalbox/core'
import { selectTools } from '@signalbox/tools'
import { ConfigError, type ConfigErrorCode } from './config-error.ts'
import { suggestion } from './nearest.ts'
import type { AgentConfig, Config } from './schema.ts'

/** What agents are resolved against. */
export interface Offer {
  readonly specs: readonly ToolSpec[]
  /** Says what is wrong with the detectors of an agent, null if nothing. */
  readonly validateDetectors: (configs: readonly DetectorConfig[] | undefined) => string | null
}

/**
 * The agents as runs pin them: selectors replaced by the tools they mean, names checked.
 *
 * @throws ConfigError `config_unknown_tool`, `config_unknown_mcp_server`, `config_unknown_detector`, `config_invalid`
 */
export function resolveAgents(config: Config, offer: Offer): ReadonlyMap<string, AgentDefinition> {
  const agents = Object.entries(config.agents).map(([name, agent]) => {
    const field = `agents.${name}`
    const wrong = offer.validateDetectors(agent.safety.detectors)
    if (wrong !== null) fail('config_unknown_detector', `${field}.safety.detectors`, wrong)
    if (agent.loop.hardLimit < agent.loop.warnThreshold)
      fail('config_invalid', `${field}.loop`, 'hardLimit must not be below warnThreshold')
    checkScript(field, agent, Object.keys(config.scripts))
    const tools = resolveTools(field, agent, { config, specs: offer.specs })
    return [
      name,
      AgentDefinition.parse({ ...agent, name, tools, guardrails: guard(agent) }),
    ] as const
  })
  return new Map(agents)
}

function checkScript(field: string, { model }: AgentConfig, scripts: readonly string[]): void {
  if (model.provider !== 'scripted' || scripts.includes(model.model)) return
  const message = `there is no script "${model.model}" in scripts.${suggestion(model.model, scripts)}`
  fail('config_invalid', `${field}.model.model`, message)
}

const guard = ({ guardrails }: AgentConfig): AgentDefinition['guardrails'] => ({
  allowedTools: guardrails.provider?.allowedTools ?? null,
  deniedTools: guardrails.provider?.deniedTools ?? [],
  approvalTools: guardrails.approvalTools,
})

function resolveTools(
  field: string,
  agent: AgentConfig,
  offer: { readonly config: Config; readonly specs: readonly ToolSpec[] },
): readonly ToolSpec[] {
  const servers = Object.keys(offer.config.mcpServers)
  agent.tools.forEach((selector, index) => {
    const at = `${field}.tools[${index}]`
    const server = selector.startsWith('mcp:') ? selector.slice(4) : null
    if (server !== null && !servers.includes(server))
      fail(
        'config_unknown_mcp_server',
        at,
        `no MCP server "${server}" is configured in mcpServers.${suggestion(server, servers)}`,
      )
    const selection = selectTools(offer.specs, [selector])
    if (!selection.ok) fail('config_unknown_tool', at, selection.message)
  })
  const selection = selectTools(offer.specs, agent.tools)
  if (!selection.ok) return fail('config_unknown_tool', `${field}.tools`, selection.message)
  checkGuarded(`${field}.guardrails`, agent, offer.specs)
  return selection.specs
}

/** A guardrail that names a tool nobody offers guards nothing: most likely a slip, and a dangerous one. */
function checkGuarded(field: string, agent: AgentConfig, specs: readonly ToolSpec[]): void {
  const known = specs.map((spec) => spec.name)
  const { provider, approvalTools } = agent.guardrails
  const lists = {
    'provider.allowedTools': provider?.allowedTools ?? [],
    'provider.deniedTools': provider?.deniedTools ?? [],
    approvalTools,
  }
  for (const [list, names] of Object.entries(lists))
    names.forEach((name, index) => {
      if (known.includes(name)) return
      const message = `there is no tool "${name}".${suggestion(name, known)}`
      fail('config_unknown_tool', `${field}.${list}[${index}]`, message)
    })
}

function fail(code: ConfigErrorCode, field: string, message: string): never {
  throw new ConfigError(code, `${field}: ${message}`, { field })
}
