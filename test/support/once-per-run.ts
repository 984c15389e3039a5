/**
 * Servers and data that all test files of a run share. The file that needs one first starts a process that makes it; the
 * others wait. The process ends, and takes away its folder, when the process that runs the tests is gone.
 */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** Names of the files that the process leaves in its folder. */
export const marks = { ready: 'ready', failed: 'failed', log: 'process.log' }

const waitMsMax = 180_000
const lookMs = 50

/**
 * Folder of what `script` makes, once it is there. The script calls `serveRun` of `serve-run.ts`.
 *
 * @throws if it could not be made, with what the process printed
 */
export async function oncePerRun(name: string, script: URL): Promise<string> {
  // Set by vitest.config.ts for everything below it. A runner of ours is one process.
  const runPid = process.env['SIGNALBOX_TEST_RUN'] ?? String(process.pid)
  const folder = join(tmpdir(), `signalbox-test-${name}-${runPid}`)
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  )
  if (isFirst) startProcess(script, folder, runPid)
  for (const began = Date.now(); Date.now() - began < waitMsMax; await setTimeout(lookMs)) {
    if (existsSync(join(folder, marks.ready))) return folder
    if (existsSync(join(folder, marks.failed))) break
  }
  const said = await readFile(join(folder, marks.log), 'utf8').catch(() => 'no log')
  throw new Error(`${name}, which all tests share, could not be made: ${said}`)
}

function startProcess(script: URL, folder: string, runPid: string): void {
  // A file, not our own stderr: what the child holds open would keep the test worker from ending.
  const log = openSync(join(folder, marks.log), 'w')
  const args = ['--no-warnings', fileURLToPath(script), folder, runPid]
  spawn(process.execPath, args, { detached: true, stdio: ['ignore', log, log] }).unref()
  closeSync(log)
}
