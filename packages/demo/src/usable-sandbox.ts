/** Which sandbox the demo can show on this machine. A configuration names one, and nothing falls back: here it is asked for before. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSandboxes, type SandboxAdapter, SandboxConfig } from '@signalbox/tools'
import { z } from 'zod'

/** The sandbox that the tool `bash` executes in, and the directory of its files while it does. */
export const DemoSandbox = z.object({
  use: z.enum(['virtual', 'bubblewrap']),
  directory: z.string(),
})
export type DemoSandbox = z.infer<typeof DemoSandbox>

/** `bubblewrap` where commands can be executed in it, else `virtual`, which works everywhere. */
export async function usableSandbox(): Promise<SandboxAdapter> {
  const directory = await mkdtemp(join(tmpdir(), 'signalbox-demo-sandbox-'))
  // Commands are users of their own where this one is root: they must be able to pass.
  await chmod(directory, 0o711)
  const sandboxes = openSandboxes(SandboxConfig.parse({ use: 'bubblewrap', directory }))
  try {
    return (await sandboxes.probe()).usable ? 'bubblewrap' : 'virtual'
  } finally {
    await sandboxes.close()
    await rm(directory, { recursive: true, force: true })
  }
}
