import {
  AgentDefinition,
  type BashAuditSpec,
  type DetectorConfig,
  issueWords,
  loadSkillToolName,
  type ToolSpec,
} from '@signalbox/core'
import { readResultTool, withLeftOut } from '@signalbox/engine'
import { selectTools, viewImageTool } from '@signalbox/tools'
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
import type { ConfiguredSkill, ConfiguredSkills } from './skills/load-skills.ts'
import { pinSkills } from './skills/pin-skills.ts'
import { hasSkills } from './skills-schema.ts'
import { startTools, subagentsOf } from './subagents.ts'
import { windowsOf } from './windows-of.ts'

/** What agents are resolved against. */
export interface Offer {
  readonly specs: readonly ToolSpec[]
  /** Says what is wrong with the detectors of an agent, null if nothing. */
  readonly validateDetectors: (configs: readonly DetectorConfig[] | undefined) => string | null
  /** What `loadGovernance` made of the same configuration. */
  readonly governance: Governance
  /** Its skills, as `loadSkills` read them. Absent: none of its agents has any. */
  readonly skills?: ConfiguredSkills
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
    const starting = subagentsOf(field, agent, config)
    const tools = resolveTools(field, agent, {
      config,
      specs: offer.specs,
      agentTools: started,
      ...starting,
    })
    const skilled = pinSkills(field, agent, {
      skills: loadedFor(name, agent, offer),
      tools: tools.map((tool) => tool.name),
    })
    checkSomethingGuards(`${field}.guardrails`, agent.guardrails)
    const definition = {
      ...agent,
      ...windowsOf(agent),
      ...starting,
      name,
      tools,
      ...skilled,
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

function loadedFor(
  name: string,
  agent: AgentConfig,
  { skills }: Offer,
): readonly ConfiguredSkill[] {
  const loaded = skills?.agents.get(name) ?? []
  if (hasSkills(agent) && loaded.length === 0)
    throw new Error('the skills are of another configuration')
  return loaded
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
    readonly subagents?: AgentDefinition['subagents']
  },
): readonly ToolSpec[] {
  const runs = new Map<string, ToolSpec>()
  const selectors: string[] = []
  agent.tools.forEach((selector, index) => {
    const at = `${field}.tools[${index}]`
    if (selector === loadSkillToolName && !hasSkills(agent))
      fail(
        'config_unknown_tool',
        at,
        `${selector} is there where the agent has skills: name them in ${field}.skills`,
      )
    const run = selectAgentTool(selector, at, offer)
    if (run) runs.set(run.name, run)
    else {
      checkSelector(selector, at, offer)
      selectors.push(selector)
    }
  })
  const canReadOn = offer.specs.some(({ name }) => name === readResultTool)
  // Who has results at all can read on in the long ones.
  const reading = canReadOn && agent.tools.length > 0 ? [readResultTool] : []
  const loads = hasSkills(agent) ? [loadSkillToolName] : []
  const more = [...reading, ...loads, ...seeingTools(field, agent, offer)]
  const selection = selectTools(offer.specs, [...selectors, ...more])
  if (!selection.ok) return fail('config_unknown_tool', `${field}.tools`, selection.message)
  const own = ownTools(agent)
  const { config, subagents } = offer
  const starts = startTools(field, [...runs.values()], { config, specs: offer.specs, subagents })
  // A list that names tools of agents would guard nothing where one tool stands for all of them.
  const ofAgents = subagents?.tool === undefined ? offer.agentTools.values() : starts
  checkGuarded(field, agent, [...offer.specs, ...own, ...ofAgents])
  // Results that were left out of a conversation can be read again.
  const specs = agent.context ? selection.specs.map(withLeftOut) : selection.specs
  return [...specs, ...own, ...starts].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * The tool by which a model looks at files: it comes with those by which it reads them, if it is shown images. A tool that the program has under
 * this name is another one.
 */
function seeingTools(
  field: string,
  { model, tools }: AgentConfig,
  { config, specs }: { readonly config: Config; readonly specs: readonly ToolSpec[] },
): readonly string[] {
  const isOurs =
    specs.some(({ name }) => name === viewImageTool) &&
    !config.tools.some(({ spec }) => spec.name === viewImageTool)
  if (!isOurs) return []
  const asked = tools.indexOf(viewImageTool)
  if (asked >= 0 && model.vision !== true)
    fail(
      'config_invalid',
      `${field}.tools[${asked}]`,
      `"${viewImageTool}" is for a model that is shown images; set ${field}.model.vision to true`,
    )
  return model.vision === true && tools.includes('workspace') ? [viewImageTool] : []
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
