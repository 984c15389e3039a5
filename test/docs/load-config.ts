/** Loads a configuration of a page as a server does when it starts, as far as that goes without starting anything. */
import { validateDetectors } from '@signalbox/models'
import { withLoadSkill } from '@signalbox/engine'
import {
  loadGovernance,
  loadSkills,
  parseConfig,
  resolveAgents,
  sandboxOf,
} from '@signalbox/server'
import { createToolHost } from '@signalbox/tools'

const nothing = (): void => {}
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

/**
 * Reads, compiles and imports what the configuration names, and resolves its agents. Servers of MCP are not started: only
 * they know their tools, so agents of a configuration that has some are not resolved. @throws ConfigError
 */
export async function loadAsStarted(value: unknown, dir: string): Promise<void> {
  const config = parseConfig(value)
  const governance = await loadGovernance({ config, dir })
  if (Object.keys(config.mcpServers).length > 0) return
  const sandbox = sandboxOf(config)
  const host = createToolHost({
    log,
    tools: config.tools,
    mcpServers: {},
    ...(sandbox ? { sandbox } : {}),
    ...(config.workspace ? { workspaceRoot: dir } : { snapshots: true }),
  })
  try {
    const validate = (detectors: Parameters<typeof validateDetectors>[0]) =>
      validateDetectors(detectors, governance.detectors)
    const specs = await withLoadSkill(host).specs()
    const skills = await loadSkills({ config, dir })
    resolveAgents(config, { specs, validateDetectors: validate, governance, skills })
  } finally {
    await host.close()
  }
}
