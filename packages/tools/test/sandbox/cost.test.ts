/**
 * The cost of a command in bubblewrap, beside a bare start of bwrap: both are played in turns, in the same minute, so that a machine
 * that has much else to do slows both. The middle of each counts.
 */
import { execFile } from 'node:child_process'
import { chmod } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { FileEvent } from '@signalbox/core'
import { givenFiles, type GivenFiles, play } from '@signalbox/testing/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BubblewrapSandboxes } from '../../src/sandbox/bubblewrap/bubblewrap-sandboxes.ts'
import { callTool, hostFor, outputOf, temporaryDirectory, textOf } from '../hosting.ts'
import { snapshotStore } from '../snapshot-store.ts'
import { bwrapMissing, skipBwrap } from './bwrap-here.ts'

const rounds = 25
const mebibyte = 1024 * 1024

/** A namespace that is of use, and nothing around it. */
const bare = [
  ['--unshare-all', '--die-with-parent', '--ro-bind', '/', '/'],
  ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '/bin/bash', '-c', 'true'],
].flat()

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

const middle = (samples: readonly number[]): number =>
  samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0

/** How many times as long a call takes as the bare start, in the middle of many turns. */
async function timesTheBareStart(call: () => Promise<unknown>): Promise<number> {
  const starts: number[] = []
  const calls: number[] = []
  for (let n = 0; n < rounds; n += 1) {
    starts.push(await timed(() => promisify(execFile)('bwrap', bare)))
    calls.push(await timed(call))
  }
  const [start, ours] = [middle(starts), middle(calls)]
  console.info(`a call ${ours.toFixed(1)} ms, bare start ${start.toFixed(1)} ms`)
  return ours / start
}

async function opened(): Promise<BubblewrapSandboxes> {
  const directory = await temporaryDirectory()
  await chmod(directory, 0o755)
  const sandboxes = new BubblewrapSandboxes({ directory, concurrency: 2 })
  onTestFinished(() => sandboxes.close())
  return sandboxes
}

/** 10 MiB in all. */
const thousandFiles = (): GivenFiles =>
  givenFiles(
    Object.fromEntries(
      Array.from({ length: 1000 }, (_, n) => [
        `dir${n % 20}/file${n}`,
        `${n}\n`.padEnd((10 * mebibyte) / 1000, 'x'),
      ]),
    ),
  )

describe.skipIf(skipBwrap)(`the cost of a command in bubblewrap${bwrapMissing}`, () => {
  it('§19 over an empty tree a call takes at most 3 times as long as a bare start', async () => {
    const sandboxes = await opened()
    await play(sandboxes, 'true')
    expect(await timesTheBareStart(() => play(sandboxes, 'true'))).toBeLessThanOrEqual(3)
  })

  it('§19 over 1,000 files of 10 MiB at most 5 times, from the second call on, which reads no file again', async () => {
    const sandboxes = await opened()
    const files = thousandFiles()
    const call = () => play(sandboxes, 'head -c 3 dir3/file3', { files })
    expect((await call()).stdout).toBe('3\nx')
    expect(files.reads).toHaveLength(1000)
    expect(await timesTheBareStart(call)).toBeLessThanOrEqual(5)
    expect(files.reads).toHaveLength(1000)
  })
})

const adapters = [
  ['virtual', 'virtual', false],
  [`bubblewrap${bwrapMissing}`, 'bubblewrap', skipBwrap],
] as const

describe.each(adapters)('blobs that bash over %s reads', (_name, use, skip) => {
  it.skipIf(skip)(
    '§19 for one cat among 1,000 files at most 2; in bubblewrap from the second call of a thread on',
    async () => {
      const store = snapshotStore()
      const drafts = Array.from({ length: 1000 }, (_, n) => ({
        path: `dir${n % 20}/file${n}`,
        bytes: Buffer.from(`content ${n}\n`),
        executable: false,
      }))
      const events: FileEvent[] = [store.keep('e0', drafts)]
      const host = hostFor({ snapshots: true, sandbox: { use } })
      const cat = async (): Promise<number> => {
        let reads = 0
        const files = store.files(events)
        const counted = {
          tree: () => files.tree(),
          read: (key: string) => {
            reads += 1
            return files.read(key)
          },
        }
        const outcome = await callTool(host, 'bash', {
          args: { command: 'cat dir7/file7' },
          files: counted,
        })
        expect(textOf(outputOf(outcome))).toBe('content 7')
        return reads
      }
      const first = await cat()
      expect(first).toBeLessThanOrEqual(use === 'virtual' ? 2 : 1000)
      expect(await cat()).toBeLessThanOrEqual(2)
    },
  )
})
