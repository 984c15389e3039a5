/**
 * The files of a directory workspace as one set, while a sibling call changes them. Would catch: a file that went away in between and ends a
 * command that only looked at it, and one that could not be removed and is said to be.
 */
import { mkdirSync, rmSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { play } from '@signalbox/testing/contract'
import { expect, it, onTestFinished } from 'vitest'
import { contractLimits } from '@signalbox/testing/contract'
import { VirtualSandboxes } from '../src/sandbox/virtual/virtual-sandboxes.ts'
import { directorySet } from '../src/workspace/directory-set.ts'
import { defaultWalk, type OpenDirectory, openRoot } from '../src/workspace/open-directory.ts'
import { callTool, hostFor, outputOf, temporaryDirectory, textOf } from './hosting.ts'

/** A directory, and its set. `use` is called before a name in it is used. */
async function given(use: (path: string) => void = () => undefined) {
  const root = await temporaryDirectory()
  await mkdir(join(root, 'dir'))
  for (const path of ['a', 'b', 'dir/c']) await writeFile(join(root, path), `content of ${path}`)
  const watched = (directory: OpenDirectory): OpenDirectory => ({
    ...directory,
    at: (name) => {
      use(join(root, name))
      return directory.at(name)
    },
    enter: async (name) => {
      use(join(root, name))
      return watched(await directory.enter(name))
    },
  })
  const open = async (names: readonly string[], create: boolean) => {
    let at = root
    for (const name of names) {
      at = join(at, name)
      if (create) await mkdir(at, { recursive: true })
    }
    return watched(await openRoot(at, defaultWalk))
  }
  return { root, open, set: directorySet({ open }) }
}

it.each(['a', 'dir/c', 'none/d', 'b/e'])(
  '%s, which is not there any more, reads as gone',
  async (path) => {
    const { root, set } = await given()
    await rm(join(root, 'a'))
    await rm(join(root, 'dir'), { recursive: true })
    expect(await set.read(path)).toBe(null)
  },
)

it.each(['a', 'dir'])(
  'a list is made of what is left, where %s goes away meanwhile',
  async (gone) => {
    const { set } = await given((path) => {
      if (path.endsWith(`/${gone}`)) rmSync(path, { recursive: true, force: true })
    })
    const left = ['a', 'b', 'dir/c'].filter((path) => !path.startsWith(gone))
    expect((await set.list()).map(({ path }) => path)).toEqual(left)
  },
)

it('a command goes on without a file that a sibling call removed', async () => {
  const sandboxes = new VirtualSandboxes(contractLimits)
  onTestFinished(() => sandboxes.close())
  const { root, set } = await given()
  const list = async () => {
    const listed = await set.list()
    await rm(join(root, 'a'))
    return listed
  }
  const files = { ...set, list, reads: [] }
  const { ended, stdout } = await play(sandboxes, 'cat a; cat b', { files })
  expect(ended).toMatchObject({ ended: 'exited', exitCode: 0 })
  expect(stdout).toBe('content of b')
})

it('a file that cannot be removed is not said to be', async () => {
  const { root, open } = await given()
  const broken = Object.assign(new Error(`EMFILE: too many open files, open '${root}'`), {
    code: 'EMFILE',
  })
  const set = directorySet({
    open: async (names, create) => {
      if (!create) throw broken
      return open(names, create)
    },
  })
  const removal = { path: 'a', bytes: null, executable: false }
  expect(await set.take([removal])).toMatchObject({
    code: 'io',
    message: 'a: The file system refused: EMFILE.',
  })
  expect(await readFile(join(root, 'a'), 'utf8')).toBe('content of a')
})

it('a file in the way of what a command left is told, without paths of this machine', async () => {
  const workspaceRoot = await temporaryDirectory()
  const host = hostFor({ workspaceRoot, sandbox: { use: 'virtual' } })
  const command = 'mkdir -p d; echo made > d/file; echo first > c; sleep 2'
  const called = callTool(host, 'bash', { args: { command } })
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const home = join(workspaceRoot, 'tenant-1', 'thread-1')
  mkdirSync(home, { recursive: true })
  await writeFile(join(home, 'd'), 'a file of a sibling')
  const output = outputOf(await called)
  expect(output.isError).toBe(true)
  expect(textOf(output)).toContain('d/file: A part of the path is not a directory, or is a link.')
  expect(textOf(output)).not.toContain('No file was kept')
})
