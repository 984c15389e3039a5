import {
  AgentDefinition,
  type BashAuditSpec,
  type DetectorConfig,
  issueWords,
  type ToolSpec,
} from '@signalbox/core'
import { readResultTool, withLeftOut } from '@signalbox/engine'
import { selectTools } from '@signalbox/tools'
import type { AgentConfig } from './agent-schema.ts'
import { agentTools, selectAgentTool } from './agent-tools.ts'
import { checkContext } from './check-context.ts'
import { checkGuarded, checkSomethingGuards } from './check-guardrails.ts'
import { fieldPath } from './config-error.ts'
import { fail } from './fail.ts'
import { ownTools } from './own-tools.ts'
import { bashAuditOf } from './governance/bash-audit.ts'
import { detectorsOf } from './governance/detectors.ts'
import type { AgentGovernance, Governance } from './governance/load-governance.ts'
import { suggestion } from './nearest.ts'
import type { Config } from './schema.ts'
import { windowsOf } from './windows-of.ts'

/** What agents are resolved against. */
export interface Offer {
  readonly specs: readonly ToolSpec[]
  /** Says what is wrong with the detectors of an agent, null if nothing. */
  readonly validateDetectors: (configs: readonly DetectorConfig[] | undefined) => string | null
  /** What `loadGovernance` made of the same configuration. */
  readonly governance: Governance
}

/**
 * The agents as runs pin them: selectors replaced by the tools they mean, names checked.
 *
 * @throws ConfigError `config_unknown_tool`, `config_unknown_agent`, `config_unknown_mcp_server`, `config_unknown_detector`,
 * `config_invalid`
 */
export function resolveAgents(config: Config, offer: Offer): ReadonlyMap<string, AgentDefinition> {
  const started = agentTools(config)
  const agents = Object.entries(config.agents).map(([name, agent]) => {
    const field = `agents.${name}`
    const detectors = detectorsOf(agent.safety.detectors)
    const wrong = offer.validateDetectors(detectors)
    if (wrong !== null) fail('config_unknown_detector', `${field}.safety.detectors`, wrong)
    checkScripts(field, agent, Object.keys(config.scripts))
    const known = [...offer.specs, ...ownTools(agent), ...started.values()].map((spec) => spec.name)
    checkContext(field, agent, known)
    checkTitle(field, agent)
    checkMemory(field, agent)
    const tools = resolveTools(field, agent, { config, specs: offer.specs, agentTools: started })
    checkSomethingGuards(`${field}.guardrails`, agent.guardrails)
    const definition = {
      ...agent,
      ...windowsOf(agent),
      name,
      tools,
      safety: { ...agent.safety, detectors },
      guardrails: guardrailsOf(
        agent,
        offer.governance.agents.get(name),
        bashAuditOf(config, agent),
      ),
      ...decidedSince(agent),
    }
    const parsed = AgentDefinition.safeParse(definition, { error: issueWords })
    if (parsed.success) return [name, parsed.data] as const
    const [issue] = parsed.error.issues
    const at = fieldPath([field, ...(issue?.path ?? [])])
    return fail('config_invalid', at, issue?.message ?? 'cannot be used')
  })
  return new Map(agents)
}

/** What new runs decide otherwise than definitions of older builds, which name none of it. */
const decidedSince = ({ approvals }: AgentConfig) => ({
  approvals: { ...approvals, rememberedBits: 128, gateNamed: true },
  continueCutCalls: true,
  digests: 'hmac-sha256',
})

/** The audit of scripts has its own switch. */
function guardrailsOf(
  { guardrails }: AgentConfig,
  governance: AgentGovernance | undefined,
  audit: BashAuditSpec | null,
) {
  const audits = audit === null ? [] : [audit]
  if (guardrails.enabled === false) return audits.length === 0 ? {} : { policies: audits }
  if (!governance) throw new Error('the governance is of another configuration')
  const { approvalTools, failClosed, maxGuardrailRetries } = guardrails
  const policies = governance.policies.map(({ spec }) => spec)
  const clash = governance.policies.find(({ spec }) => spec.id === audit?.id)
  if (clash)
    fail(
      'config_invalid',
      `${clash.field}.id`,
      `"${clash.spec.id}" is the id of the audit of scripts; take another, or set sandbox.audit to "off"`,
    )
  const { stream } = governance
  const known = { approvalTools, failClosed, maxGuardrailRetries, stream }
  return { ...known, policies: [...policies, ...audits], recordsFailures: true }
}

function checkScripts(
  field: string,
  { model, fallbackModels }: AgentConfig,
  scripts: readonly string[],
): void {
  const models = [
    { field: `${field}.model`, ...model },
    ...fallbackModels.map((each, n) => ({ field: `${field}.fallbackModels[${n}]`, ...each })),
  ]
  for (const { field: at, provider, model: name } of models) {
    if (provider !== 'scripted' || scripts.includes(name)) continue
    const message = `there is no script "${name}" in scripts.${suggestion(name, scripts)}`
    fail('config_invalid', `${at}.model`, message)
  }
}

/** A title is asked of a model that the agent has: its key, price and circuit are known. */
function checkTitle(field: string, { model, fallbackModels, title }: AgentConfig): void {
  const name = typeof title === 'object' ? title.model : undefined
  const known = [model, ...fallbackModels].map((each) => each.model)
  if (name === undefined || known.includes(name)) return
  const message = `"${name}" is none of the models of the agent; it takes the name of \`model\` or of one of \`fallbackModels\`.${suggestion(name, known)}`
  fail('config_invalid', `${field}.title.model`, message)
}

/** The same of the model that learns; and what everybody is shown is learned from nobody. */
function checkMemory(field: string, { model, fallbackModels, memory }: AgentConfig): void {
  if (!memory) return
  const { model: name, learn, scope } = memory
  const known = [model, ...fallbackModels].map((each) => each.model)
  if (name !== undefined && !known.includes(name)) {
    const message = `"${name}" is none of the models of the agent; it takes the name of \`model\` or of one of \`fallbackModels\`.${suggestion(name, known)}`
    fail('config_invalid', `${field}.memory.model`, message)
  }
  if (learn && scope === 'agent') {
    const message =
      'a memory of the scope "agent" is shown to everybody, so it is written by operators alone; leave `learn` out, or take another scope'
    fail('config_invalid', `${field}.memory.learn`, message)
  }
}

function resolveTools(
  field: string,
  agent: AgentConfig,
  offer: {
    readonly config: Config
    readonly specs: readonly ToolSpec[]
    readonly agentTools: ReadonlyMap<string, ToolSpec>
  },
): readonly ToolSpec[] {
  const runs = new Map<string, ToolSpec>()
  const selectors: string[] = []
  agent.tools.forEach((selector, index) => {
    const at = `${field}.tools[${index}]`
    const run = selectAgentTool(selector, at, offer)
    if (run) runs.set(run.name, run)
    else {
      checkSelector(selector, at, offer)
      selectors.push(selector)
    }
  })
  const canReadOn = offer.specs.some(({ name }) => name === readResultTool)
  // Who has results at all can read on in the long ones.
  const more = canReadOn && agent.tools.length > 0 ? [readResultTool] : []
  const selection = selectTools(offer.specs, [...selectors, ...more])
  if (!selection.ok) return fail('config_unknown_tool', `${field}.tools`, selection.message)
  const own = ownTools(agent)
  checkGuarded(field, agent, [...offer.specs, ...own, ...offer.agentTools.values()])
  // Results that were left out of a conversation can be read again.
  const specs = agent.context ? selection.specs.map(withLeftOut) : selection.specs
  return [...specs, ...own, ...runs.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

function checkSelector(
  selector: string,
  at: string,
  { config, specs }: { readonly config: Config; readonly specs: readonly ToolSpec[] },
): void {
  const servers = Object.keys(config.mcpServers)
  const server = selector.startsWith('mcp:') ? selector.slice(4) : null
  if (server !== null && !servers.includes(server))
    fail(
      'config_unknown_mcp_server',
      at,
      `no MCP server "${server}" is configured in mcpServers.${suggestion(server, servers)}`,
    )
  const selection = selectTools(specs, [selector])
  if (!selection.ok) fail('config_unknown_tool', at, selection.message)
}
