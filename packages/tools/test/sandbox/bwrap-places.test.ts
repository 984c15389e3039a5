/**
 * Places of bubblewrap, where something goes wrong before a command begins. Would catch: a call that waits for a place which nobody gives
 * back, and a cancel that waits for the register.
 */
import { chmod } from 'node:fs/promises'
import { givenFiles, play } from '@signalbox/testing/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BubblewrapSandboxes } from '../../src/sandbox/bubblewrap/bubblewrap-sandboxes.ts'
import { Slots } from '../../src/sandbox/bubblewrap/slots.ts'
import { temporaryDirectory } from '../hosting.ts'
import { bwrapMissing, skipBwrap } from './bwrap-here.ts'

describe.skipIf(skipBwrap)(`places of bubblewrap${bwrapMissing}`, { timeout: 10_000 }, () => {
  it('a place that could not be made is made for the next one that waits for it', async () => {
    const slots = new Slots({ base: await temporaryDirectory(), count: 1, users: 'own' })
    onTestFinished(() => slots.close())
    const { PATH } = process.env
    // No pipe can be made.
    process.env['PATH'] = ''
    onTestFinished(() => void (process.env['PATH'] = PATH))
    const [first, second] = [slots.take('a'), slots.take('b')]
    const third = slots.take('c')
    await expect(first).rejects.toThrow('mkfifo')
    await expect(second).rejects.toThrow('mkfifo')
    process.env['PATH'] = PATH
    await third.then(
      (slot) => slots.give(slot),
      () => undefined,
    )
    const slot = await slots.take('d')
    expect(slot.directory).toContain('slot-')
    slots.give(slot)
  })

  it.each(['list', 'read'] as const)(
    'a cancel while the register does not answer (%s) ends the call, and gives its place back',
    async (what) => {
      const directory = await temporaryDirectory()
      await chmod(directory, 0o755)
      const sandboxes = new BubblewrapSandboxes({ directory, concurrency: 1 })
      onTestFinished(() => sandboxes.close())
      const cancel = new AbortController()
      const asked = Promise.withResolvers<void>()
      const away = (): Promise<never> => {
        asked.resolve()
        return new Promise(() => undefined)
      }
      const files = { ...givenFiles({ a: 'text', b: 'text' }), [what]: away }
      const played = play(sandboxes, 'cat a', { files, signal: cancel.signal })
      await asked.promise
      cancel.abort()
      expect((await played).ended.ended).toBe('cancelled')
      const next = await play(sandboxes, 'cat a', { files: givenFiles({ a: 'next' }) })
      expect(next.stdout).toBe('next')
    },
  )
})
