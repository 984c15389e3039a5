/** The agents of a process, their tools, and what governs them: everything that a mistake in the configuration can spoil. */
import { isAbsolute, resolve } from 'node:path'
import type { AgentDefinition, ToolSpec } from '@signalbox/core'
import {
  type EngineDeps,
  type Log,
  type ToolHost,
  withLoadSkill,
  withMemoryTools,
  withReadResult,
} from '@signalbox/engine'
import { type SafetyDetector, validateDetectors } from '@signalbox/models'
import { createToolHost, sandboxQueue } from '@signalbox/tools'
import { checkNetwork } from '../config/check-network.ts'
import { checkServers } from '../config/check-servers.ts'
import type { Env } from '../config/environment.ts'
import { usableDetectors } from '../config/governance/load-governance.ts'
import { inFile } from '../config/in-file.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { shownFile } from '../config/place.ts'
import { resolveAgents } from '../config/resolve-agents.ts'
import { sandboxOf } from '../config/sandbox-of.ts'
import { loadSkills } from '../config/skills/load-skills.ts'
import { checkSkillSecrets } from '../config/skills/pin-skills.ts'
import type { Closers } from './closers.ts'
import { govern, type Governed } from './govern.ts'

/** What agents need of a process, and the agents. */
export interface OpenAgents {
  readonly agents: ReadonlyMap<string, AgentDefinition>
  readonly specs: readonly ToolSpec[]
  readonly tools: ToolHost
  readonly detectors: Readonly<Record<string, SafetyDetector>>
  readonly governed: Omit<Governed, 'governance'> & Required<Pick<EngineDeps, 'skills'>>
}

/** Opens the tools and resolves the agents. @throws ConfigError that names the file of the configuration */
export const openAgents = (
  loaded: LoadedConfig,
  world: { readonly env: Env; readonly log: Log },
  closers: Closers,
): Promise<OpenAgents> =>
  inFile(shownFile(loaded.file, process.cwd()), () => open(loaded, world, closers))

async function open(
  loaded: LoadedConfig,
  world: { readonly env: Env; readonly log: Log },
  closers: Closers,
): Promise<OpenAgents> {
  const { governance, ...governed } = await govern(loaded, world, closers)
  const skills = await loadSkills(loaded)
  const tools = withMemoryTools(withLoadSkill(withReadResult(openTools(loaded, world, closers))))
  const specs = await tools.specs()
  const agents = resolveAgents(loaded.config, {
    specs,
    governance,
    skills,
    validateDetectors: (configs) => validateDetectors(configs, governance.detectors),
  })
  const detectors = usableDetectors(governance)
  return { agents, specs, tools, detectors, governed: { ...governed, skills: skills.bundles } }
}

/** The directory in which the files of threads are; null: they are in the register. */
export function workspaceRoot({
  config,
  dir,
}: Pick<LoadedConfig, 'config' | 'dir'>): string | null {
  const root = config.workspace?.root
  return root === undefined ? null : isAbsolute(root) ? root : resolve(dir, root)
}

function openTools(
  { config, dir }: LoadedConfig,
  { env, log }: { readonly env: Env; readonly log: Log },
  closers: Closers,
): ToolHost {
  checkServers(config, env)
  checkNetwork(config, env)
  checkSkillSecrets(config, env)
  const root = workspaceRoot({ config, dir })
  const sandbox = sandboxOf(config)
  const commandsMax = config.queues[sandboxQueue]?.concurrency
  const tools = createToolHost({
    log,
    env,
    tools: config.tools,
    mcpServers: config.mcpServers,
    ...(sandbox ? { sandbox } : {}),
    ...(commandsMax === undefined ? {} : { commandsMax }),
    ...(root === null ? { snapshots: true } : { workspaceRoot: root }),
  })
  closers.add('tools', () => tools.close())
  return tools
}
