/** The network of the sandbox as it stands in a configuration, before one is opened. */
import { fail } from './fail.ts'
import { sandboxOf } from './sandbox-of.ts'
import type { Config } from './schema.ts'

/** Headers whose values are to come from variables that are not set. @throws ConfigError */
export function checkNetwork(
  config: Pick<Config, 'agents' | 'tools' | 'sandbox'>,
  env: NodeJS.ProcessEnv,
): void {
  const network = sandboxOf(config)?.network ?? 'none'
  if (network === 'none') return
  for (const [host, { env: name }] of Object.entries(network.inject ?? {}))
    if ((env[name] ?? '') === '')
      fail(
        'config_invalid',
        `sandbox.network.inject.${host}.env`,
        `the variable ${name} is not set`,
      )
}
