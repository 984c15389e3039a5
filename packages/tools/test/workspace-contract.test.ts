/** What holds of a workspace wherever its files are kept. */
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { DirectoryWorkspaces } from '../src/workspace/directory-workspaces.ts'
import { fileBytesMax } from '../src/workspace/file-access.ts'
import { SnapshotWorkspaces } from '../src/workspace/snapshot-workspaces.ts'
import type { Workspace } from '../src/workspace/workspace.ts'
import { temporaryDirectory } from './hosting.ts'
import { snapshotStore } from './snapshot-store.ts'

const owner = { tenantId: 'tenant', threadId: 'thread' }
const inDirectories = async (walk: 'fd' | 'path') =>
  new DirectoryWorkspaces(await temporaryDirectory(), walk).of(owner)

const adapters: readonly (readonly [string, () => Promise<Workspace>])[] = [
  ...(process.platform === 'linux'
    ? [['directories, walked by fd', () => inDirectories('fd')] as const]
    : []),
  ['directories, walked by path', () => inDirectories('path')],
  [
    'snapshots',
    async () => {
      const base = await temporaryDirectory()
      return new SnapshotWorkspaces({ base }).open({ files: snapshotStore().files([]) }).workspace
    },
  ],
]

describe.each(adapters)('a workspace kept in %s', (_, open) => {
  it('writes, reads, lists and replaces', async () => {
    const workspace = await open()
    expect(await workspace.ls('.')).toEqual({ ok: true, value: { entries: [], more: 0 } })
    const written = await workspace.writeFile('a/b/c.txt', 'héllo')
    expect(written).toEqual({ ok: true, value: { bytes: 6, created: true } })
    expect(await workspace.readFile('./a//b/c.txt')).toEqual({ ok: true, value: 'héllo' })
    const replaced = await workspace.replace('a/b/c.txt', 'llo', '\ny')
    expect(replaced).toEqual({ ok: true, value: { line: 1 } })
    expect(await workspace.readFile('a/b/c.txt')).toEqual({ ok: true, value: 'hé\ny' })
    const again = await workspace.writeFile('a/b/c.txt', '')
    expect(again).toEqual({ ok: true, value: { bytes: 0, created: false } })
    await workspace.writeFile('a/z', 'x')
    const entries = [
      { name: 'b', kind: 'directory', bytes: 0 },
      { name: 'z', kind: 'file', bytes: 1 },
    ]
    expect(await workspace.ls('a')).toEqual({ ok: true, value: { entries, more: 0 } })
  })

  it.each([
    '/etc/passwd',
    '//etc/passwd',
    '../outside/secret.txt',
    '../../outside/secret.txt',
    'a/../../../outside/secret.txt',
    '..',
    'a/..',
    '..\\outside',
    'C:\\windows',
    'C:secret',
    'a\u0000.txt',
    'a\n.txt',
    'a.txt:stream',
    'name.',
    'NUL',
    'com1.txt',
    '\uD800',
    'n'.repeat(300),
    'd/'.repeat(50),
    'p'.repeat(2000),
  ])('refuses the path %j everywhere', async (path) => {
    const workspace = await open()
    const refused = { ok: false, code: 'bad_path' }
    expect(await workspace.ls(path)).toMatchObject(refused)
    expect(await workspace.readFile(path)).toMatchObject(refused)
    expect(await workspace.writeFile(path, 'x')).toMatchObject(refused)
    expect(await workspace.replace(path, 'secret', 'x')).toMatchObject(refused)
  })

  it('says what is wrong in the same words', async () => {
    const workspace = await open()
    await workspace.writeFile('dir/file', 'ab ab')
    await workspace.inDirectory((directory) =>
      writeFile(join(directory, 'binary'), Buffer.from([0xff, 0xfe, 0x00])),
    )
    const results = [
      [await workspace.readFile('none'), 'not_found'],
      [await workspace.readFile('none/there'), 'not_found'],
      [await workspace.ls('none'), 'not_found'],
      [await workspace.replace('none', 'a', 'b'), 'not_found'],
      [await workspace.readFile('dir/file/below'), 'not_a_directory'],
      [await workspace.writeFile('dir/file/below', 'x'), 'not_a_directory'],
      [await workspace.ls('dir/file'), 'not_a_directory'],
      [await workspace.ls('dir/file/below'), 'not_a_directory'],
      [await workspace.readFile('dir'), 'not_a_file'],
      [await workspace.writeFile('dir', 'x'), 'not_a_file'],
      [await workspace.readFile('.'), 'not_a_file'],
      [await workspace.readFile('binary'), 'not_text'],
      [await workspace.replace('binary', 'a', 'b'), 'not_text'],
      [await workspace.writeFile('huge', 'x'.repeat(fileBytesMax + 1)), 'too_large'],
      [await workspace.replace('dir/file', 'ab', 'x'), 'ambiguous'],
      [await workspace.replace('dir/file', 'zz', 'x'), 'no_match'],
      [await workspace.replace('dir/file', '', 'x'), 'no_match'],
      [await workspace.writeFile('.signalbox-0123456789abcdef.tmp', 'x'), 'bad_path'],
    ] as const
    for (const [result, code] of results) expect(result).toMatchObject({ ok: false, code })
    expect(await workspace.readFile('dir/file')).toEqual({ ok: true, value: 'ab ab' })
  })

  it('does not lose one of many parallel replacements in a file', async () => {
    const workspace = await open()
    const words = Array.from({ length: 30 }, (_none, index) => `<${index}>`)
    await workspace.writeFile('f', words.join(' '))
    await Promise.all(words.map((word) => workspace.replace('f', word, word.toUpperCase() + '!')))
    const read = await workspace.readFile('f')
    expect(read).toEqual({ ok: true, value: words.map((word) => `${word}!`).join(' ') })
  })

  it('hands out a directory, and keeps what programs did there', async () => {
    const workspace = await open()
    await workspace.writeFile('old/goes', 'x')
    await workspace.writeFile('stays', 'same')
    const bytes = Buffer.from([0, 1, 0xff, 0xfe])
    const said = await workspace.inDirectory(async (directory) => {
      expect(await readFile(join(directory, 'stays'), 'utf8')).toBe('same')
      await rm(join(directory, 'old'), { recursive: true })
      await mkdir(join(directory, 'ü/new'), { recursive: true })
      await writeFile(join(directory, 'ü/new/bin'), bytes)
      await writeFile(join(directory, 'run.sh'), 'exit 0')
      await chmod(join(directory, 'run.sh'), 0o755)
      return 'did it'
    })
    expect(said).toEqual({ ok: true, value: 'did it' })
    expect(await workspace.readFile('old/goes')).toMatchObject({ ok: false, code: 'not_found' })
    expect(await workspace.readFile('run.sh')).toEqual({ ok: true, value: 'exit 0' })
    await workspace.writeFile('run.sh', 'exit 1')
    await workspace.inDirectory(async (directory) => {
      expect((await readdir(directory)).sort()).toEqual(['run.sh', 'stays', 'ü'])
      expect(await readFile(join(directory, 'ü/new/bin'))).toEqual(bytes)
      expect(await readFile(join(directory, 'run.sh'), 'utf8')).toBe('exit 1')
      expect((await stat(join(directory, 'run.sh'))).mode & 0o111).toBe(0o111)
      expect((await stat(join(directory, 'stays'))).mode & 0o111).toBe(0)
    })
    await expect(
      workspace.inDirectory(() => Promise.reject(new Error('the program'))),
    ).rejects.toThrow('the program')
  })
})
