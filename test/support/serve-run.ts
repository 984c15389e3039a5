/** The other side of `once-per-run.ts`: a process that makes something for a test run. */
import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { marks } from './once-per-run.ts'

/** Makes it in the folder that the arguments name, and calls what `make` returned when the run is over. */
export async function serveRun(
  make: (folder: string) => Promise<() => Promise<void>>,
): Promise<void> {
  const [folder = '', runPid = ''] = process.argv.slice(2)
  let end: (() => Promise<void>) | null = null
  try {
    // Run by root, Postgres is another user, who must be able to enter.
    await chmod(folder, 0o755)
    end = await make(folder)
    await writeFile(join(folder, marks.ready), '')
  } catch (error) {
    console.error(error)
    await writeFile(join(folder, marks.failed), '')
  }
  while (isAlive(Number(runPid))) await setTimeout(500)
  await end?.()
  await rm(folder, { recursive: true, force: true })
  process.exit(0)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
