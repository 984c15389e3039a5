import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { type PostmasterFile, readPostmasterFile } from './postmaster-file.ts'
import { isPostmasterOf, lookUpProcess } from './process-facts.ts'

/** The live postmaster of the cluster, or null. Called under the owner's lock: clears a pid file that misleads. */
export async function findOrphan(cluster: string): Promise<PostmasterFile | null> {
  const file = await readPostmasterFile(cluster)
  if (file === null) return null
  if (await isPostmasterOf(file.pid, cluster)) return file
  // The pid went to another process, as happens whenever a container starts anew, and Postgres would refuse to start
  // next to it. Its second guard, the shared memory of the directory, stays in force.
  if ((await lookUpProcess(file.pid)) !== null) {
    await rm(join(cluster, 'postmaster.pid'), { force: true })
  }
  return null
}
