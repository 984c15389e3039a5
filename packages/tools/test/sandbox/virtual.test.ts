/** The adapter `virtual`: the contract, and what is special about it. */
import { readdirSync, readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import {
  contractLimits,
  givenFiles,
  play,
  processesWith,
  sandboxContract,
} from '@signalbox/testing/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { VirtualSandboxes } from '../../src/sandbox/virtual/virtual-sandboxes.ts'
import { isAlive, until } from '../hosting.ts'
import { endOf, heard, killsOfStarts, killStarts, startWorker } from './killed-workers.ts'

/** The status that Linux gives of a process; empty where there is none. */
function said(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

const childrenOf = (parent: number): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter(
      (pid) =>
        Number.isInteger(pid) && new RegExp(`^PPid:\\s+${parent}$`, 'm').test(said(pid, 'status')),
    )

/** A process that has ended is heard of a little later. */
const heardOf = () => new Promise((resolve) => setTimeout(resolve, 200))

const isVirtual = (pid: number): boolean => said(pid, 'cmdline').includes('warden-main')

const make = async (): Promise<VirtualSandboxes> => new VirtualSandboxes(contractLimits)

sandboxContract('virtual', make)

const opened = async (): Promise<VirtualSandboxes> => {
  const sandboxes = await make()
  onTestFinished(() => sandboxes.close())
  return sandboxes
}

const manyFiles = (count: number) =>
  givenFiles(
    Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`dir${n % 10}/file${n}`, `content ${n}\n`]),
    ),
  )

describe('virtual', () => {
  it('reads at most two blobs for one cat among 1,000 files, and none for ls and find', async () => {
    const sandboxes = await opened()
    const files = manyFiles(1000)
    expect((await play(sandboxes, 'cat dir3/file3', { files })).stdout).toBe('content 3\n')
    expect(files.reads).toEqual(['dir3/file3'])
    const listed = await play(sandboxes, 'ls -lR | wc -l; find . -type f | wc -l', { files })
    expect(listed.stdout.trim().split(/\s+/).at(-1)).toBe('1000')
    expect(files.reads).toEqual(['dir3/file3'])
    expect((await play(sandboxes, 'grep -rl "content 77$" .', { files })).stdout).toContain(
      'file77',
    )
  })

  it('X1 nested loops of awk and jq are ended like any other', async () => {
    const sandboxes = await opened()
    for (const script of [
      "awk 'BEGIN { while (1) for (i = 0; i < 100; i++) x = x + i }'",
      "jq -n 'def f: f; f'",
    ]) {
      const { ended } = await play(sandboxes, script, { timeoutMs: 700 })
      expect(['timeout', 'exited']).toContain(ended.ended)
      expect(ended.usage.wallMs).toBeLessThan(5000)
    }
  })

  it('X5 a script that uses up the memory of its thread is ended, and the process goes on', async () => {
    const sandboxes = new VirtualSandboxes({ memoryBytes: 40 * 1024 * 1024 })
    onTestFinished(() => sandboxes.close())
    const script = 'a=(); while :; do i=$((i + 1)); a+=("$(seq $i 200000)"); done'
    const { ended, files } = await play(sandboxes, `echo x > made; ${script}`, {
      limits: { wallMs: 100_000 },
      timeoutMs: 100_000,
    })
    expect(ended.ended).toBe('memory')
    expect(files).toEqual({})
    expect((await play(sandboxes, 'echo still here')).stdout).toBe('still here\n')
  })

  it('X5 one whose process aborts, as V8 does where a table outgrows its memory, ends alone', async () => {
    const sandboxes = await opened()
    const files = givenFiles({ probe: 'x' })
    const script = 'echo x > made; cat probe > /dev/null; sleep 20'
    const playing = play(sandboxes, script, { files })
    await until(() => files.reads.length > 0)
    for (const child of childrenOf(process.pid).filter(isVirtual)) process.kill(child, 'SIGABRT')
    const { ended, files: kept } = await playing
    expect([ended.ended, kept]).toEqual(['memory', {}])
    await heardOf()
    expect((await play(sandboxes, 'echo still here')).stdout).toBe('still here\n')
  })

  it('§7.7 a worker killed with -9 leaves no process after 1 s, also under a script that spins', async () => {
    const script = 'cat probe; while :; do :; done'
    const worker = startWorker(['', script, 'virtual'])
    await heard(worker, 'begun')
    const children = childrenOf(worker.pid ?? 0)
    // The one that runs the script, and the one that waits for the next.
    expect(children).toHaveLength(2)
    const killedAt = performance.now()
    worker.kill('SIGKILL')
    await until(() => !children.some(isAlive))
    expect(performance.now() - killedAt).toBeLessThan(1000)
  })

  it(`X3 of ${killsOfStarts} workers killed with -9 while they start a script none leaves a process`, async () => {
    const left = await killStarts((n) => {
      // The size of its heap, which nobody else has, is what finds it.
      const heap = String(300 + n)
      const args = ['', 'cat probe; while :; do :; done', 'virtual', heap]
      return { args, left: () => processesWith(`warden-main.ts\0${heap}\0`) }
    }, 400)
    expect(left).toEqual([])
  })

  it('one that waits for its script and is ended meanwhile is replaced', async () => {
    const sandboxes = await opened()
    await play(sandboxes, ':')
    const [waiting = 0] = childrenOf(process.pid).filter(isVirtual)
    process.kill(waiting, 'SIGKILL')
    await until(() => !isAlive(waiting))
    await heardOf()
    expect((await play(sandboxes, 'echo here')).stdout).toBe('here\n')
  })

  it('a worker with nothing else to do ends when its sandboxes are closed, and not before', async () => {
    expect(await endOf(startWorker(['', 'cat probe', 'virtual']))).toBe(0)
  })

  it('X3 what a terminal or a service sends to all processes does not end a script: the worker decides', async () => {
    const sandboxes = await opened()
    const files = givenFiles({ probe: 'x' })
    const playing = play(sandboxes, 'cat probe > /dev/null; sleep 1; echo over', { files })
    await until(() => files.reads.length > 0)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      for (const child of childrenOf(process.pid).filter(isVirtual)) process.kill(child, signal)
    expect((await playing).stdout).toBe('over\n')
  })

  it('refuses a network', async () => {
    const rules = { hosts: [], methods: null, inject: [] }
    await expect(play(await opened(), ':', { network: { kind: 'allow', rules } })).rejects.toThrow(
      'no network',
    )
  })

  it('has no program that leaves it', async () => {
    const script = 'for p in curl wget python3 node js-exec ssh nc; do command -v $p; done; exit 0'
    expect((await play(await opened(), script)).stdout).toBe('')
  })
})
