/** A child process swaps directories for links while files are read and written: nothing may ever get out. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DirectoryWorkspaces } from '../src/workspace/directory-workspaces.ts'
import { temporaryDirectory } from './hosting.ts'

const flipper = fileURLToPath(new URL('fixtures/flip.mjs', import.meta.url))
const rounds = 700
/** For so long more rounds are played where one side has not won yet. */
const patienceMs = 30_000

async function flip(directory: string, target: string): Promise<void> {
  const child = spawn(process.execPath, [flipper, directory, target], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    if (child.exitCode !== null) throw new Error('the flipper died, there was no race')
    const exit = once(child, 'exit')
    child.kill('SIGKILL')
    await exit
  })
  await once(child.stdout, 'data')
}

describe.runIf(process.platform === 'linux')('a race for a directory', () => {
  it.each(['middle', 'thread'])('swapped at the %s is never won', async (which) => {
    const base = await temporaryDirectory()
    const root = join(base, 'root')
    const outside = join(base, 'outside')
    const home = join(root, 'tenant', 'thread')
    await mkdir(join(outside, 'b'), { recursive: true })
    await mkdir(join(home, 'a/b'), { recursive: true })
    for (const directory of [outside, join(outside, 'b')]) {
      await writeFile(join(directory, 'file.txt'), 'secret')
    }
    const workspace = new DirectoryWorkspaces(root, 'fd').of({
      tenantId: 'tenant',
      threadId: 'thread',
    })
    await workspace.writeFile('a/b/file.txt', 'mine')
    await flip(which === 'middle' ? join(home, 'a') : home, outside)

    const path = 'a/b/file.txt'
    const texts = new Set<string>()
    const counts = { ok: 0, refused: 0 }
    const isRaced = (): boolean => counts.ok > 0 && counts.refused > 0 && texts.size > 0
    const deadline = performance.now() + patienceMs
    const goesOn = (): boolean => !isRaced() && performance.now() < deadline
    for (let round = 0; round < rounds || goesOn(); round++) {
      const [read, written, listed] = await Promise.all([
        workspace.readFile(path),
        round % 3 === 0
          ? workspace.writeFile(path, 'mine')
          : workspace.replace(path, 'mine', 'mine'),
        workspace.ls('a/b'),
      ])
      for (const result of [read, written, listed]) counts[result.ok ? 'ok' : 'refused']++
      if (read.ok) texts.add(read.value)
    }
    // Both must have happened, or there was no race at all.
    expect(counts.ok).toBeGreaterThan(0)
    expect(counts.refused).toBeGreaterThan(0)
    expect([...texts]).toEqual(['mine'])
    expect((await readdir(outside)).sort()).toEqual(['b', 'file.txt'])
    expect(await readdir(join(outside, 'b'))).toEqual(['file.txt'])
    expect(await readFile(join(outside, 'file.txt'), 'utf8')).toBe('secret')
    expect(await readFile(join(outside, 'b/file.txt'), 'utf8')).toBe('secret')
  })
})
