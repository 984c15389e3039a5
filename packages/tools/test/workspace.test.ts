import {
  link,
  mkdir,
  readFile,
  readdir,
  rename,
  stat,
  symlink,
  writeFile,
  chmod,
} from 'node:fs/promises'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DirectoryWorkspaces } from '../src/workspace/directory-workspaces.ts'
import { fileBytesMax } from '../src/workspace/file-access.ts'
import type { Walk } from '../src/workspace/open-directory.ts'
import { directoryName } from '../src/workspace/path.ts'
import type { Workspace } from '../src/workspace/workspace.ts'
import { temporaryDirectory } from './hosting.ts'

interface Place {
  readonly workspace: Workspace
  /** The thread's directory. */
  readonly home: string
  /** A directory next to the root, with a file that nobody may see or change. */
  readonly outside: string
}

async function place(walk: Walk): Promise<Place> {
  const base = await temporaryDirectory()
  const root = join(base, 'root')
  const outside = join(base, 'outside')
  const home = join(root, 'tenant', 'thread')
  await mkdir(outside)
  await mkdir(home, { recursive: true })
  await writeFile(join(outside, 'secret.txt'), 'secret')
  const workspace = new DirectoryWorkspaces(root, walk).of({
    tenantId: 'tenant',
    threadId: 'thread',
  })
  return { workspace, home, outside }
}

const walks: readonly Walk[] = process.platform === 'linux' ? ['fd', 'path'] : ['path']

describe.each(walks)('a workspace, walked by %s', (walk) => {
  it('follows no link to a file: reading is refused, writing replaces the link', async () => {
    const { workspace, home, outside } = await place(walk)
    await symlink(join(outside, 'secret.txt'), join(home, 'link'))
    expect(await workspace.readFile('link')).toMatchObject({ ok: false, code: 'link' })
    expect(await workspace.replace('link', 'secret', 'x')).toMatchObject({
      ok: false,
      code: 'link',
    })
    expect(await workspace.ls('.')).toMatchObject({
      value: { entries: [{ name: 'link', kind: 'link', bytes: 0 }] },
    })
    expect(await workspace.writeFile('link', 'mine')).toMatchObject({ ok: true })
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret')
    expect(await workspace.readFile('link')).toEqual({ ok: true, value: 'mine' })
  })

  it('follows no link to a directory, wherever it stands and wherever it leads', async () => {
    const { workspace, home, outside } = await place(walk)
    await mkdir(join(home, 'real/inner'), { recursive: true })
    await symlink(outside, join(home, 'out'))
    await symlink('/', join(home, 'slash'))
    await symlink(outside, join(home, 'real/out'))
    await symlink(join(home, 'real'), join(home, 'inside'))
    await symlink('loop', join(home, 'loop'))
    const paths = [
      'out/secret.txt',
      'slash/etc/hostname',
      'real/out/secret.txt',
      'inside/x',
      'loop/x',
    ]
    for (const path of paths) {
      expect(await workspace.readFile(path)).toMatchObject({ ok: false })
      expect(await workspace.writeFile(path, 'x')).toMatchObject({ ok: false })
      expect(await workspace.ls(path.split('/').slice(0, -1).join('/'))).toMatchObject({
        ok: false,
      })
    }
    expect(await workspace.writeFile('out/new/deep.txt', 'x')).toMatchObject({ ok: false })
    expect(await readdir(outside)).toEqual(['secret.txt'])
  })

  it('follows no link in the place of the thread or the tenant', async () => {
    const { workspace, home, outside } = await place(walk)
    await rename(home, `${home}-away`)
    await symlink(outside, home)
    expect(await workspace.readFile('secret.txt')).toMatchObject({ ok: false })
    expect(await workspace.writeFile('x', 'x')).toMatchObject({ ok: false })
    expect(await workspace.ls('.')).toMatchObject({ ok: false })
    expect(await readdir(outside)).toEqual(['secret.txt'])
  })

  it('neither reads nor writes through a second name of a file', async () => {
    const { workspace, home, outside } = await place(walk)
    await link(join(outside, 'secret.txt'), join(home, 'hard'))
    expect(await workspace.readFile('hard')).toMatchObject({ ok: false, code: 'link' })
    expect(await workspace.writeFile('hard', 'mine')).toMatchObject({ ok: true })
    expect(await readFile(join(outside, 'secret.txt'), 'utf8')).toBe('secret')
    expect(await workspace.readFile('hard')).toEqual({ ok: true, value: 'mine' })
  })

  it('does not hang on a pipe, nor read devices or directories', async () => {
    const { workspace, home } = await place(walk)
    execFileSync('mkfifo', [join(home, 'pipe')])
    await mkdir(join(home, 'dir'))
    expect(await workspace.readFile('pipe')).toMatchObject({ ok: false, code: 'not_a_file' })
    expect(await workspace.readFile('dir')).toMatchObject({ ok: false, code: 'not_a_file' })
    expect(await workspace.readFile('.')).toMatchObject({ ok: false, code: 'not_a_file' })
    expect(await workspace.writeFile('dir', 'x')).toMatchObject({ ok: false, code: 'not_a_file' })
    expect(await workspace.ls('pipe')).toMatchObject({ ok: false, code: 'not_a_directory' })
  })

  it('says what is wrong without naming paths of this machine', async () => {
    const { workspace, home } = await place(walk)
    await writeFile(join(home, 'binary'), Buffer.from([0xff, 0xfe, 0x00]))
    await writeFile(join(home, 'twice'), 'ab ab')
    await writeFile(join(home, 'big'), Buffer.alloc(fileBytesMax + 1, 'x'))
    const results = [
      [await workspace.readFile('none/there'), 'not_found'],
      [await workspace.readFile('binary/below'), 'not_a_directory'],
      [await workspace.readFile('binary'), 'not_text'],
      [await workspace.readFile('big'), 'too_large'],
      [await workspace.writeFile('huge', 'x'.repeat(fileBytesMax + 1)), 'too_large'],
      [await workspace.replace('twice', 'ab', 'x'), 'ambiguous'],
      [await workspace.replace('twice', 'zz', 'x'), 'no_match'],
      [await workspace.replace('twice', '', 'x'), 'no_match'],
    ] as const
    for (const [result, code] of results) {
      expect(result).toMatchObject({ ok: false, code })
      expect(JSON.stringify(result)).not.toContain(home)
    }
  })

  it('replaces a file as a whole: same mode, no trace of the temporary file', async () => {
    const { workspace, home } = await place(walk)
    await writeFile(join(home, 'run.sh'), 'old')
    await chmod(join(home, 'run.sh'), 0o750)
    await workspace.writeFile('run.sh', 'new')
    expect((await stat(join(home, 'run.sh'))).mode & 0o777).toBe(0o750)
    expect(await readdir(home)).toEqual(['run.sh'])
  })
})

describe('directories of threads', () => {
  it('keep plain ids and never meet', () => {
    const uuid = '019c2f5e-7d3a-7b1c-9e2f-0123456789ab'
    expect(directoryName(uuid)).toBe(uuid)
    const ids = [
      'a',
      'A',
      '.',
      '..',
      '',
      '/',
      'a/b',
      'a%2fb',
      'con',
      'CON',
      'ä',
      'a\u0000',
      '~',
      '%',
      'x'.repeat(100),
      'x'.repeat(101),
      'x'.repeat(102),
    ]
    const names = ids.map(directoryName)
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(ids.length)
    for (const name of names) expect(name).toMatch(/^[a-z0-9_%~-]{1,120}$/)
  })
})
