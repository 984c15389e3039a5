/** A worker that executes commands tries its sandbox before it takes any: what is configured and cannot be had ends the start. */
import { openSandboxes, SandboxConfig, sandboxQueue } from '@signalbox/tools'
import { sandboxOf } from '../config/sandbox-of.ts'
import type { Config } from '../config/schema.ts'
import { StartError } from './start-error.ts'

/** @throws StartError `sandbox_unavailable` with what the probe found, and what to type */
export async function requireSandbox(
  config: Config,
  queues: readonly { readonly queue: string }[],
): Promise<void> {
  const wanted = sandboxOf(config)
  if (!wanted || !queues.some(({ queue }) => queue === sandboxQueue)) return
  const sandboxes = openSandboxes(SandboxConfig.parse(wanted))
  try {
    const { usable, findings } = await sandboxes.probe()
    if (usable) return
    const words = findings.flatMap(({ message, fix }) => [message, fix ?? []]).flat()
    throw new StartError('sandbox_unavailable', words.join('. '))
  } finally {
    await sandboxes.close()
  }
}
