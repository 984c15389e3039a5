/**
 * Makes the cluster that tests copy, and takes it away when the process that runs the tests is gone.
 *
 * Arguments: folder, process id of the test run.
 */
import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseConfig, startSignalbox } from '@signalbox/server'

const [folder = '', runPid = ''] = process.argv.slice(2)
const nothing = (): void => {}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

try {
  // Run by root, Postgres is another user, who must be able to enter.
  await chmod(folder, 0o755)
  const agents = { nobody: { model: { provider: 'scripted', model: 'nobody' } } } as const
  const scripts = { nobody: () => ({ text: '' }) }
  const signalbox = await startSignalbox({
    loaded: { config: parseConfig({ agents, scripts }), file: 'test', dir: folder },
    env: {},
    roles: ['orchestrator'],
    dataDir: folder,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  })
  await signalbox.stop()
  await writeFile(join(folder, 'ready'), '')
} catch (error) {
  await writeFile(join(folder, 'failed'), String(error))
}
while (isAlive(Number(runPid))) await setTimeout(500)
await rm(folder, { recursive: true, force: true })
process.exit(0)
