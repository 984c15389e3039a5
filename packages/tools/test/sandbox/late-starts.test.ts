/** A process of `virtual` that waits for a script, and starts later than it may: on a busy machine, or one that stood still. */
import { contractLimits, play } from '@signalbox/testing/contract'
import { expect, it, onTestFinished, vi } from 'vitest'
import { VirtualSandboxes } from '../../src/sandbox/virtual/virtual-sandboxes.ts'

it('one that did not start in time gets no script: the next call has another', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const sandboxes = new VirtualSandboxes(contractLimits)
  onTestFinished(() => sandboxes.close())
  const first = play(sandboxes, 'echo first')
  await Promise.resolve()
  vi.advanceTimersByTime(31_000)
  expect((await first).ended).toMatchObject({ ended: 'lost', reason: 'it did not start' })
  vi.useRealTimers()
  const { ended, stdout } = await play(sandboxes, 'echo second')
  expect(ended).toMatchObject({ ended: 'exited', exitCode: 0 })
  expect(stdout).toBe('second\n')
})
