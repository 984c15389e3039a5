/** Which sandbox the demo can show on this machine. A configuration names one, and nothing falls back: here it is asked for before. */
import { openSandboxes, type SandboxAdapter, SandboxConfig } from '@signalbox/tools'
import { z } from 'zod'

/** What the tool `bash` executes in, and where its files are while it does. */
export const DemoSandbox = z.object({
  use: z.enum(['virtual', 'bubblewrap']),
  directory: z.string(),
})
export type DemoSandbox = z.infer<typeof DemoSandbox>

/** `bubblewrap` where commands can be executed in it, else `virtual`, which works everywhere. */
export async function usableSandbox(): Promise<SandboxAdapter> {
  const sandboxes = openSandboxes(SandboxConfig.parse({ use: 'bubblewrap' }))
  try {
    return (await sandboxes.probe()).usable ? 'bubblewrap' : 'virtual'
  } finally {
    await sandboxes.close()
  }
}
