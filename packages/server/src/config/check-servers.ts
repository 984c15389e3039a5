/** MCP servers as they stand in a configuration, before one is started. */
import { expandConfig } from '@signalbox/tools'
import { fail } from './fail.ts'
import type { Config } from './schema.ts'

/** MCP servers whose texts name variables that are not set, or lead to no address. @throws ConfigError */
export function checkServers({ mcpServers }: Config, env: NodeJS.ProcessEnv): void {
  for (const [name, server] of Object.entries(mcpServers)) {
    const expanded = expandConfig(server, env)
    if (!expanded.ok) fail('config_invalid', `mcpServers.${name}`, expanded.message)
  }
}
