/**
 * What agents are governed by, resolved once at start: texts are read, modules imported, patterns compiled. What runs pin
 * of it is data; functions are found again by name.
 */
import { loadSkillToolName, type StreamGuardSpec } from '@signalbox/core'
import { isSafetyDetector, type SafetyDetector } from '@signalbox/models'
import type { Guardrail, PolicyModule } from '@signalbox/policies'
import type { LoadedConfig } from '../load-config.ts'
import { loadDetectors } from './detectors.ts'
import { Given } from './given.ts'
import { Modules } from './modules.ts'
import { ownTools } from '../own-tools.ts'
import { hasSkills } from '../skills-schema.ts'
import { type ResolvedPolicy, resolvePolicies } from './policies.ts'
import type { SkippedPattern } from './skipped-patterns.ts'
import { resolveStreamGuards } from './stream-guards.ts'

/** What one agent is governed by. */
export interface AgentGovernance {
  readonly policies: readonly ResolvedPolicy[]
  readonly stream: readonly StreamGuardSpec[]
}

/** What the agents of a configuration are governed by, and the functions they name. */
export interface Governance {
  /** By the name of the agent. */
  readonly agents: ReadonlyMap<string, AgentGovernance>
  readonly policies: ReadonlyMap<string, PolicyModule>
  readonly guardrails: ReadonlyMap<string, Guardrail>
  /** By the word that `use` says, as they were found. */
  readonly detectors: Readonly<Record<string, unknown>>
  /** Patterns that nobody looks for, because the configuration lists them and RE2 cannot use them. */
  readonly skipped: readonly SkippedPattern[]
}

/** Reads and imports what the configuration names, relative to its folder. @throws ConfigError */
export async function loadGovernance({
  config,
  dir,
}: Pick<LoadedConfig, 'config' | 'dir'>): Promise<Governance> {
  const modules = new Modules(dir)
  const policies = new Given<PolicyModule>()
  const guardrails = new Given<Guardrail>()
  const agents = new Map<string, AgentGovernance>()
  const skipped: SkippedPattern[] = []
  let detectors: Readonly<Record<string, unknown>> = {}
  for (const [name, agent] of Object.entries(config.agents)) {
    const { guardrails: wanted, safety } = agent
    const field = `agents.${name}`
    const at = `${field}.guardrails`
    const loads = hasSkills(agent) ? [loadSkillToolName] : []
    const own = [...ownTools(agent).map((tool) => tool.name), ...loads]
    const sources = { modules, given: policies, dir, own }
    agents.set(name, {
      policies: await resolvePolicies(wanted.provider, `${at}.provider`, sources),
      stream: await resolveStreamGuards(wanted.stream, `${at}.stream`, {
        modules,
        given: guardrails,
        skipped,
      }),
    })
    const named = await loadDetectors(safety.detectors ?? [], `${field}.safety.detectors`, modules)
    detectors = { ...detectors, ...named }
  }
  return { agents, policies: policies.byName, guardrails: guardrails.byName, detectors, skipped }
}

/** The detectors that are detectors. A configuration with another one was refused before. */
export const usableDetectors = ({
  detectors,
}: Governance): Readonly<Record<string, SafetyDetector>> =>
  Object.fromEntries(
    Object.entries(detectors).flatMap(([use, found]) =>
      isSafetyDetector(found) ? [[use, found]] : [],
    ),
  )
