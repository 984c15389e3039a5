import { chmod, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const installed = fileURLToPath(new URL('../..', import.meta.url))

/** A folder of one's own, in which `signalbox` is installed and nothing else is. */
export async function createFolder(): Promise<{ dir: string; remove: () => Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'signalbox-cli-'))
  // Run by root, Postgres is another user, who must be able to enter.
  await chmod(dir, 0o755)
  await mkdir(join(dir, 'node_modules'))
  await symlink(installed, join(dir, 'node_modules', 'signalbox'))
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) }
}
