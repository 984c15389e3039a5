/** The sandbox that agents need. */
import { bashToolName, type SandboxConfig } from '@signalbox/tools'
import type { z } from 'zod'
import { fail } from './fail.ts'
import type { Config } from './schema.ts'

type Parts = Pick<Config, 'agents' | 'tools' | 'sandbox'>

/**
 * The configured one; the default one if an agent names `bash` and no tool of that name is defined; else none.
 *
 * @throws ConfigError for a sandbox beside a tool of the name of its own
 */
export function sandboxOf({
  agents,
  tools,
  sandbox,
}: Parts): z.input<typeof SandboxConfig> | undefined {
  const defined = tools.findIndex(({ spec }) => spec.name === bashToolName)
  if (sandbox && defined !== -1)
    fail(
      'config_invalid',
      `tools[${defined}]`,
      `"${bashToolName}" is the name of the tool of the sandbox; give this one another, or leave sandbox out`,
    )
  if (sandbox || defined !== -1) return sandbox
  const isWanted = Object.values(agents).some((agent) => agent.tools.includes(bashToolName))
  return isWanted ? {} : undefined
}
