/** The agents of a configuration, resolved as a server would: for that their tools must say what they are. */
import type { AgentDefinition } from '@signalbox/core'
import { type Log, withLoadSkill, withReadResult } from '@signalbox/engine'
import { validateDetectors } from '@signalbox/models'
import {
  checkNetwork,
  checkSkillSecrets,
  checkServers,
  type LoadedConfig,
  type loadGovernance,
  loadSkills,
  resolveAgents,
  sandboxOf,
} from '@signalbox/server'
import { createToolHost } from '@signalbox/tools'

/** Which tools an agent has, only its tools know: the servers of MCP are started for the list, and stopped. */
export async function findAgents(
  { config, dir }: LoadedConfig,
  governance: Awaited<ReturnType<typeof loadGovernance>>,
  how: { readonly log: Log; readonly startTimeoutMs?: number },
): Promise<ReadonlyMap<string, AgentDefinition>> {
  const { workspace, tools, mcpServers } = config
  const sandbox = sandboxOf(config)
  checkServers(config, process.env)
  checkNetwork(config, process.env)
  checkSkillSecrets(config, process.env)
  const skills = await loadSkills({ config, dir })
  const host = createToolHost({
    ...how,
    tools,
    mcpServers,
    ...(sandbox ? { sandbox } : {}),
    ...(workspace === undefined ? { snapshots: true } : { workspaceRoot: dir }),
  })
  try {
    const specs = await withLoadSkill(withReadResult(host)).specs()
    const validate = (configs: Parameters<typeof validateDetectors>[0]) =>
      validateDetectors(configs, governance.detectors)
    return resolveAgents(config, { specs, validateDetectors: validate, governance, skills })
  } finally {
    await host.close()
  }
}
