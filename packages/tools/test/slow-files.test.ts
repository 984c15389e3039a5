/**
 * A register that answers late, or not for a while, and the time that a tool has. Would catch: an outage of the register that a call is told
 * of as a tool that was too slow, or whose outcome nobody knows.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '@signalbox/engine'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { defineTool } from '../src/index.ts'
import { OwnTime } from '../src/own-time.ts'
import { callTool, errorOf, hostFor, outputOf, textOf } from './hosting.ts'
import { snapshotStore } from './snapshot-store.ts'

/** Files of a register that is away for so long, whatever it is asked. */
const slow = (awayMs: number) => {
  const store = snapshotStore()
  const event = store.keep('e', [{ path: 'a', bytes: Buffer.from('text'), executable: false }])
  const { tree, read } = store.files([event])
  return {
    tree: async () => {
      await sleep(awayMs)
      return tree()
    },
    read: async (key: string) => {
      await sleep(awayMs)
      return read(key)
    },
  }
}

const timeoutMs = 500

it.each([
  ['ls', { path: '.' }],
  ['read_file', { path: 'a' }],
  ['str_replace', { path: 'a', oldText: 'text', newText: 'words' }],
  ['write_file', { path: 'b', content: 'x' }],
])('%s waits for its files longer than it may take', async (name, args) => {
  const host = hostFor({ snapshots: true })
  const outcome = await callTool(host, name, { args, timeoutMs, files: slow(2 * timeoutMs) })
  expect(outputOf(outcome).isError).toBe(false)
})

const worker = defineTool({
  name: 'work',
  description: 'Reads a file, and works for a while.',
  input: z.object({ ms: z.number() }),
  timeoutMs,
  run: async ({ ms }, { workspace }) => {
    const read = await workspace.readFile('a')
    await sleep(ms)
    return read.ok ? read.value : read.code
  },
})

it('what a tool does itself is timed, before and after it has waited for a file', async () => {
  const host = hostFor({ snapshots: true, tools: [worker] })
  const work = (ms: number) => callTool(host, 'work', { args: { ms }, files: slow(2 * timeoutMs) })
  expect(textOf(outputOf(await work(timeoutMs / 4)))).toContain('text')
  expect(errorOf(await work(2 * timeoutMs)).code).toBe('tool_timeout')
})

it('the time of a call stands still exactly as long as it waits', async () => {
  let now = 0
  const sleepers: { readonly at: number; readonly wake: () => void }[] = []
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    sleep: (ms) => new Promise((wake) => sleepers.push({ at: now + ms, wake })),
  }
  /** Up to a moment, in steps of ten milliseconds. */
  const until = async (ms: number): Promise<void> => {
    for (; now < ms; now += 10) {
      for (const { at, wake } of sleepers) if (at <= now) wake()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const time = new OwnTime(clock)
  let isOver = false
  void time.passes(200, new AbortController().signal).then(() => (isOver = true))
  // Two waits, one right behind the other, which both outlast all of it.
  void time.without(clock.sleep(400)).then(() => time.without(clock.sleep(400)))
  await until(950)
  expect(isOver).toBe(false)
  await until(1_050)
  expect(isOver).toBe(true)
})
