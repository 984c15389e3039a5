/** How much a command has put on the disk: whatever its names, its depth, its modes, and whether it has a name at all. */
import { spawn } from 'node:child_process'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sizeOf } from '../../src/sandbox/bubblewrap/disk-watch.ts'
import { temporaryDirectory } from '../hosting.ts'

const megabyte = Buffer.alloc(1_000_000, 'x')

describe.skipIf(process.platform !== 'linux')('what a command has put on the disk', () => {
  it('is what its files take, and how many there are', async () => {
    const directory = await temporaryDirectory()
    await mkdir(join(directory, 'a/b'), { recursive: true })
    await writeFile(join(directory, 'one'), megabyte)
    await writeFile(join(directory, 'a/b/two'), megabyte)
    const { entries, bytes, depth } = await sizeOf(directory, null)
    expect([entries, depth]).toEqual([4, 3])
    expect(bytes).toBeGreaterThanOrEqual(2_000_000)
    expect(bytes).toBeLessThan(2_100_000)
  })

  it('counts below names that are no text, and in directories that may not be read', async () => {
    const directory = await temporaryDirectory()
    const strange = Buffer.concat([Buffer.from(`${directory}/`), Buffer.from([0xff, 0xfe])])
    await mkdir(strange)
    await writeFile(Buffer.concat([strange, Buffer.from('/one')]), megabyte)
    await mkdir(join(directory, 'closed'))
    await writeFile(join(directory, 'closed/two'), megabyte)
    await chmod(join(directory, 'closed'), 0o300)
    const { entries, bytes } = await sizeOf(directory, null)
    expect(entries).toBe(4)
    expect(bytes).toBeGreaterThanOrEqual(2_000_000)
  })

  it('does not follow links', async () => {
    const directory = await temporaryDirectory()
    const other = await temporaryDirectory()
    await writeFile(join(other, 'one'), megabyte)
    await symlink(other, join(directory, 'there'))
    await symlink(join(other, 'one'), join(directory, 'file'))
    expect(await sizeOf(directory, null)).toEqual({ entries: 2, bytes: 0, depth: 1 })
  })

  it('is too much where it is deeper than can be looked at', async () => {
    const directory = await temporaryDirectory()
    await mkdir(join(directory, ...Array.from({ length: 300 }, () => 'd')), { recursive: true })
    const { depth } = await sizeOf(directory, null)
    expect(depth).toBe(257)
  })

  it('counts files that have no name any more, each once, as long as they are open', async () => {
    const directory = await temporaryDirectory()
    const script = 'exec 3>f 4>&3; rm f; head -c 1000000 /dev/zero >&3; echo ready; exec sleep 60'
    const child = spawn('bash', ['-c', script], { cwd: directory })
    onTestFinished(() => void child.kill('SIGKILL'))
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()))
    // The open files of a process cannot be looked at while it becomes another program.
    const look = () => sizeOf(directory, child.pid ?? 0)
    await expect.poll(async () => (await look()).bytes).toBeGreaterThanOrEqual(1_000_000)
    const { entries, bytes } = await look()
    expect(entries).toBe(0)
    expect(bytes).toBeGreaterThanOrEqual(1_000_000)
    expect(bytes).toBeLessThan(1_100_000)
    child.kill('SIGKILL')
    await new Promise<void>((resolve) => child.once('close', () => resolve()))
    expect((await sizeOf(directory, process.pid)).bytes).toBe(0)
  })
})
