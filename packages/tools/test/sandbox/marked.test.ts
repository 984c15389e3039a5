/** The end of processes that nobody holds any more. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { contractLimits, marked, play, processesWith } from '@signalbox/testing/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BubblewrapSandboxes } from '../../src/sandbox/bubblewrap/bubblewrap-sandboxes.ts'
import { endMarked, isMark, markOfSlot, newMark } from '../../src/sandbox/bubblewrap/marked.ts'
import { Slots } from '../../src/sandbox/bubblewrap/slots.ts'
import { isAlive, temporaryDirectory, until } from '../hosting.ts'
import { asRoot, bwrapMissing, skipBwrap } from './bwrap-here.ts'

const isLinux = process.platform === 'linux'

/** A process that waits, with a word in its command line. */
function waiting(word: string): number {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', word], {
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child.pid ?? 0
}

describe.skipIf(!isLinux)('processes with a mark', () => {
  it('K2 are ended, all of them, and nobody else', async () => {
    const mark = newMark()
    const [one, two] = [waiting(markOfSlot(mark, 1)), waiting(markOfSlot(mark, 1))]
    const others = [markOfSlot(mark, 12), `x${markOfSlot(mark, 1)}`, newMark()].map(waiting)
    await until(() =>
      [one, two, ...others].every((pid) => processesWith('signalbox-sandbox-').includes(pid)),
    )
    await endMarked(markOfSlot(mark, 1))
    expect([one, two].map(isAlive)).toEqual([false, false])
    expect(others.map(isAlive)).toEqual([true, true, true])
    await endMarked(mark)
    expect(others.map(isAlive)).toEqual([false, true, true])
  })

  it.each(['', 'bash', 'signalbox-sandbox-', newMark().slice(0, -1), `${newMark()}.1`])(
    'K2 by %j nobody is looked for',
    async (text) => {
      expect(isMark(text)).toBe(false)
      await expect(endMarked(text)).rejects.toThrow(TypeError)
    },
  )
})

/** It writes to its status before it lets the namespace begin, and nobody reads it: as after the death of its worker. */
async function endBeforeItsNamespace(mark: string): Promise<void> {
  const options = ['--unshare-all', '--die-with-parent', '--ro-bind', '/', '/']
  const status = ['--json-status-fd', '3']
  const child = spawn('bwrap', [...options, ...status, '--', '/bin/true', mark], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const [, , , stream] = child.stdio
  if (stream instanceof Socket) stream.destroy()
  await once(child, 'exit')
}

describe.skipIf(skipBwrap)(`what bwrap leaves${bwrapMissing}`, () => {
  it.each(asRoot)(
    'S3 a slot is taken over when nothing of its dead owner is alive (as %s)',
    async () => {
      const base = await temporaryDirectory()
      await chmod(base, 0o755)
      const left = join(base, 'signalbox-sandboxes', '60600')
      await mkdir(left, { recursive: true, mode: 0o711 })
      const mark = newMark()
      await writeFile(join(left, 'owner'), `1 0 ${mark}`)
      const pids = [waiting(markOfSlot(mark, 1)), waiting(markOfSlot(mark, 2))]
      await until(() => pids.every((pid) => processesWith(mark).includes(pid)))
      const slots = new Slots({ base, count: 1, users: 'each' })
      const slot = await slots.take('')
      expect([slot.uid, ...pids.map(isAlive)]).toEqual([60_600, false, false])
      slots.give(slot)
      await slots.close()
    },
  )

  it('X3 one that ends before it lets its namespace begin leaves a process that waits for ever, and it is found', async () => {
    // Some of them end with it: those that had heard by then whose death is theirs.
    let found = 0
    for (let n = 0; n < 40 && found === 0; n += 1) {
      const mark = newMark()
      await endBeforeItsNamespace(mark)
      found = await endMarked(mark)
      expect(processesWith(mark)).toEqual([])
    }
    expect(found).toBeGreaterThan(0)
  })

  it('X1 a bwrap that somebody else ends is lost, its call settles, and nothing of it is alive', async () => {
    const directory = await temporaryDirectory()
    await chmod(directory, 0o755)
    const sandboxes = new BubblewrapSandboxes({ directory, concurrency: 1 })
    onTestFinished(() => sandboxes.close())
    for (const afterMs of [0, 0, 1, 2, 4, 8, 30]) {
      const mark = marked()
      const playing = play(sandboxes, `echo x > made; setsid sleep ${mark} & sleep ${mark}`, {
        limits: { ...contractLimits, wallMs: 10_000 },
      })
      const isSettled = playing.then(() => true)
      const ofBwrap = (): readonly number[] =>
        processesWith(`bwrap\0--args`).filter((pid) => processesWith(mark).includes(pid))
      await until(() => ofBwrap().length > 0)
      await new Promise((resolve) => setTimeout(resolve, afterMs))
      const [first = 0] = ofBwrap()
      process.kill(first, 'SIGKILL')
      expect(
        await Promise.race([isSettled, new Promise((resolve) => setTimeout(resolve, 3000, false))]),
      ).toBe(true)
      expect(processesWith(mark)).toEqual([])
      const { ended, files: kept } = await playing
      expect([ended.ended, kept]).toEqual(['lost', {}])
    }
  })
})
