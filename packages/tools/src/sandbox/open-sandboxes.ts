/** The adapter that a configuration names. */
import { tmpdir } from 'node:os'
import { BubblewrapSandboxes } from './bubblewrap/bubblewrap-sandboxes.ts'
import { sandboxLimitsOf, type SandboxConfig } from './config.ts'
import type { Sandboxes } from './sandbox.ts'
import { VirtualSandboxes } from './virtual/virtual-sandboxes.ts'

/** Commands that run at once where nobody says how many. */
const concurrencyDefault = 16

/** Nothing is started before the first call or probe. */
export function openSandboxes(config: SandboxConfig, concurrency = concurrencyDefault): Sandboxes {
  if (config.use === 'virtual') return new VirtualSandboxes(sandboxLimitsOf(config))
  return new BubblewrapSandboxes({ directory: config.directory ?? tmpdir(), concurrency })
}
