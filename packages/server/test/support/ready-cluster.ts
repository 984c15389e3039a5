/**
 * A cluster that was made and migrated before, for tests that are not about making one: `initdb` and the migrations take
 * longer than most of these tests. Whoever is first in a test run makes the original; everybody gets a copy of his own.
 *
 * A server that is started over a copy does what it does at its second start. What the first does is tested by
 * `embedded*.test.ts`, `lifecycle.test.ts`, `project.test.ts` and the demo.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { isMainThread } from 'node:worker_threads'

/**
 * Puts a copy where `startEmbeddedPostgres` would make its cluster: `dataDir` is what that is given, which need not exist.
 * Nothing happens if there is a cluster already.
 */
export async function placeReadyCluster(dataDir: string): Promise<void> {
  if (existsSync(join(dataDir, 'cluster'))) return
  const original = await findOriginal()
  await mkdir(dataDir, { recursive: true })
  await chmod(dataDir, 0o711)
  // It keeps the owner: Postgres is another user if the tests are run by root.
  const parts = ['cluster', 'password'].map((name) => join(original, 'postgres', name))
  await promisify(execFile)('cp', ['-Rp', ...parts, dataDir])
}

/** Folder of the original, once it is complete. */
async function findOriginal(): Promise<string> {
  // Test files run in children, or in threads, of the process that runs the tests.
  const runPid = isMainThread ? process.ppid : process.pid
  const folder = join(tmpdir(), `signalbox-test-cluster-${runPid}`)
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  )
  if (isFirst) makeOriginal(folder, runPid)
  for (let tries = 0; tries < 3000; tries += 1) {
    if (existsSync(join(folder, 'ready'))) return folder
    if (existsSync(join(folder, 'failed'))) break
    await setTimeout(50)
  }
  const why = await readFile(join(folder, 'failed'), 'utf8').catch(() => 'it takes too long')
  throw new Error(`no cluster could be made for the tests: ${why}`)
}

function makeOriginal(folder: string, runPid: number): void {
  const script = fileURLToPath(new URL('ready-cluster-process.ts', import.meta.url))
  const child = spawn(process.execPath, ['--no-warnings', script, folder, String(runPid)], {
    detached: true,
    stdio: 'ignore',
  })
  child.unref()
}
