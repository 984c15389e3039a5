/**
 * A cluster that was made and migrated before, for tests that need a server of their own but are not about making one:
 * `initdb` and the migrations take longer than most of these tests. A test that needs a database alone takes one of
 * `createTestDatabase`, which costs a tenth.
 *
 * A server that is started over a copy does what it does at its second start. What the first does is tested by
 * the package `embedded`, `lifecycle.test.ts`, `project.test.ts` and the demo.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { oncePerRun } from '../../../../test/support/once-per-run.ts'

/**
 * Puts a copy where `startEmbeddedPostgres` would make its cluster: `dataDir` is what that is given, which need not exist.
 * Nothing happens if there is a cluster already.
 */
export async function placeReadyCluster(dataDir: string): Promise<void> {
  if (existsSync(join(dataDir, 'cluster'))) return
  const script = new URL('ready-cluster-process.ts', import.meta.url)
  const original = await oncePerRun('cluster', script)
  await mkdir(dataDir, { recursive: true })
  await chmod(dataDir, 0o711)
  // It keeps the owner: Postgres is another user if the tests are run by root.
  const parts = ['cluster', 'password'].map((name) => join(original, 'postgres', name))
  await promisify(execFile)('cp', ['-Rp', ...parts, dataDir])
}
