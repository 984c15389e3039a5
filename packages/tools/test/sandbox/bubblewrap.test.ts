/** The adapter `bubblewrap`: the contract, as this user; as root it is played as an ordinary user as well. */
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  contractLimits,
  givenFiles,
  play,
  sandboxContract,
  sandboxProgramsContract,
} from '@signalbox/testing/contract'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { BubblewrapSandboxes } from '../../src/sandbox/bubblewrap/bubblewrap-sandboxes.ts'
import { Slots } from '../../src/sandbox/bubblewrap/slots.ts'
import { asRoot, bwrapMissing, skipBwrap } from './bwrap-here.ts'

/** Where a project might be in `/usr`, on this machine. */
const shownTo = ['/usr/src', '/usr/local/src', '/usr/local/etc'].find((each) => existsSync(each))

describe.skipIf(skipBwrap)(`bubblewrap${bwrapMissing}`, () => {
  let directory = ''
  beforeAll(async () => {
    directory = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-bwrap-')))
    await chmod(directory, 0o755)
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  const make = async (): Promise<BubblewrapSandboxes> =>
    new BubblewrapSandboxes({ directory, concurrency: 4 })
  sandboxContract('bubblewrap', make)
  sandboxProgramsContract('bubblewrap', make)

  // As an ordinary user all slots have one user, as if the worker were it: limits and namespaces are all that keeps them apart.
  if (process.getuid?.() === 0) {
    const asNobody = async (): Promise<BubblewrapSandboxes> =>
      new BubblewrapSandboxes({ directory, concurrency: 4, users: 65_534 })
    sandboxContract('bubblewrap as nobody', asNobody)
    sandboxProgramsContract('bubblewrap as nobody', asNobody)
  }

  const opened = async (): Promise<BubblewrapSandboxes> => {
    const sandboxes = await make()
    onTestFinished(() => sandboxes.close())
    return sandboxes
  }

  it('a large tree is written out once, and brought up to date for the next call of its thread', async () => {
    const sandboxes = await opened()
    const contents = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`dir${n % 10}/file${n}`, `content ${n}\n`]),
    )
    const first = givenFiles(contents)
    await play(sandboxes, 'echo changed > dir1/file1', { files: first })
    expect(first.reads).toHaveLength(200)
    const second = givenFiles({ ...contents, 'dir1/file1': 'changed\n' })
    const played = await play(sandboxes, 'cat dir1/file1 dir2/file2; ls -R | grep -c file', {
      files: second,
    })
    expect(played.stdout).toBe('changed\ncontent 2\n200\n')
    expect(second.reads).toEqual(['dir1/file1'])
    expect(played.files).toEqual({})
    const other = givenFiles({ mine: 'x' })
    const strange = await play(sandboxes, 'ls -A', { files: other, tenantId: 'other' })
    expect(strange.stdout).toBe('mine\n')
  })

  it('after a command that was stopped, the next one finds the files of the register', async () => {
    const sandboxes = await opened()
    const contents = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`file${n}`, `content ${n}\n`]),
    )
    const stopped = await play(sandboxes, 'echo bad > file7; rm file8; sleep 20', {
      files: givenFiles(contents),
      timeoutMs: 300,
    })
    expect(stopped.ended.ended).toBe('timeout')
    const { stdout } = await play(sandboxes, 'cat file7 file8', { files: givenFiles(contents) })
    expect(stdout).toBe('content 7\ncontent 8\n')
  })

  it('a write through a mapping is seen', async () => {
    const files = givenFiles({
      f: 'aaaa',
      ...Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`x${n}`, 'x'])),
    })
    const script = String.raw`python3 -c "
import mmap
with open('f','r+b') as f:
    m = mmap.mmap(f.fileno(), 4); m[0:4] = b'bbbb'; m.close()
"`
    const { files: changed, ended } = await play(await opened(), script, { files })
    // Where there is no Python, nothing happens.
    expect(changed).toEqual(ended.exitCode === 127 ? {} : { f: 'bbbb' })
  })

  it('one tenant’s fork bomb does not fail another’s call', async () => {
    const sandboxes = await opened()
    const bomb = play(sandboxes, ':(){ :|:& };:; sleep 20', {
      tenantId: 'bomber',
      timeoutMs: 3000,
      limits: { processes: 100 },
    })
    await new Promise((resolve) => setTimeout(resolve, 500))
    const other = await play(sandboxes, 'for i in 1 2 3; do ls / | wc -l; done', {
      tenantId: 'other',
    })
    expect(other.ended).toMatchObject({ ended: 'exited', exitCode: 0 })
    expect((await bomb).ended.ended).toBe('timeout')
  })

  it.each([
    ['', ''],
    [', below a name that is no text', String.raw`mkdir $'\xff'; cd $'\xff'; `],
  ])(
    'X5 a directory that is filled without end%s is noticed, and removed',
    async (_where, into) => {
      const sandboxes = await opened()
      const script = `${into}for i in $(seq 1 80000); do : > $i; done; sleep 20`
      const { ended, files } = await play(sandboxes, script)
      expect(ended).toMatchObject({ ended: 'output', reason: expect.stringContaining('directory') })
      expect(files).toEqual({})
      expect((await play(sandboxes, 'ls | wc -l')).stdout.trim()).toBe('0')
    },
  )

  it.each(shownTo === undefined ? [] : asRoot)(
    'X4 a project in /usr is not shown (as %s)',
    async () => {
      const place = await mkdtemp(join(shownTo ?? '', 'canary-'))
      onTestFinished(() => rm(place, { recursive: true, force: true }))
      await writeFile(join(place, '.env'), 'canary')
      const { stdout } = await play(
        await opened(),
        `cat ${place}/.env; ls -A ${shownTo}; ls /usr/bin/env`,
      )
      expect(stdout).toBe('/usr/bin/env\n')
    },
  )

  it.each(asRoot)('S1 of workers that find the same user left, one takes it (as %s)', async () => {
    const base = await realpath(await mkdtemp(join(directory, 'claims-')))
    for (const uid of ['60600', '60601']) {
      const left = join(base, 'signalbox-sandboxes', uid)
      await mkdir(join(left, 'files'), { recursive: true })
      await writeFile(join(left, 'owner'), '1 0')
    }
    await chmod(join(base, 'signalbox-sandboxes'), 0o711)
    const workers = Array.from({ length: 6 }, () => new Slots({ base, count: 1, users: 'each' }))
    const taken = await Promise.all(workers.map((slots) => slots.take('')))
    expect(new Set(taken.map(({ uid }) => uid)).size).toBe(workers.length)
    for (const { directory: own } of taken)
      expect(await readFile(join(own, 'owner'), 'utf8')).toMatch(new RegExp(`^${process.pid} `))
    workers.forEach((slots, n) => taken[n] && slots.give(taken[n]))
    await Promise.all(workers.map((slots) => slots.close()))
  })

  it('X3 a second command is refused', async () => {
    const sandboxes = await opened()
    const sandbox = await sandboxes.open({
      tenantId: 't',
      threadId: 't',
      runId: 'r',
      callId: 'c',
      files: givenFiles({}),
      mounts: [],
      limits: contractLimits,
      network: { kind: 'none' },
      env: {},
    })
    const never = new AbortController().signal
    const run = () => sandbox.exec({ script: 'true', timeoutMs: 5000 }, never, () => undefined)
    expect(await run()).toMatchObject({ ended: 'exited' })
    expect(await run()).toMatchObject({ ended: 'lost', reason: 'a sandbox runs one command' })
    await sandbox.close()
    await sandbox.close()
  })
})
