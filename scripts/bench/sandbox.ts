/**
 * `node scripts/bench/sandbox.ts [--rounds n]`: what a command costs in each adapter, beside the bare start of bwrap in the same
 * minute; and from a cancel to the end of everything. Milliseconds, as JSON. As root or as an ordinary user.
 */
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type FileSet, openSandboxes, SandboxConfig, type Sandboxes } from '@signalbox/tools'

const asked = process.argv.indexOf('--rounds')
const rounds = asked === -1 ? 40 : Number(process.argv[asked + 1])
const mebibyte = 1024 * 1024

interface Spread {
  readonly p50: number
  readonly p99: number
  readonly most: number
}

function spreadOf(samples: readonly number[]): Spread {
  const sorted = samples.toSorted((a, b) => a - b)
  const at = (share: number): number =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0) * 10) /
    10
  return { p50: at(0.5), p99: at(0.99), most: at(1) }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

async function measured(work: (n: number) => Promise<unknown>, count = rounds): Promise<Spread> {
  const samples: number[] = []
  for (let n = 0; n < count; n += 1) samples.push(await timed(() => work(n)))
  return spreadOf(samples)
}

/** 1,000 files, 10 MiB in all; `reads` counts what was read of them. */
function tree(): FileSet & { reads: number } {
  const bytes = Buffer.alloc((10 * mebibyte) / 1000, 'x')
  const list = Array.from({ length: 1000 }, (_, n) => ({
    path: `dir${n % 20}/file${n}`,
    bytes: bytes.length,
    executable: false,
    state: 'x',
  })).toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const files = {
    reads: 0,
    list: async () => list,
    read: async () => {
      files.reads += 1
      return bytes
    },
    take: async () => null,
  }
  return files
}

const empty: FileSet = { list: async () => [], read: async () => null, take: async () => null }
const never = new AbortController().signal

async function run(
  sandboxes: Sandboxes,
  script: string,
  {
    files = empty,
    signal = never,
  }: { readonly files?: FileSet; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const { limits } = SandboxConfig.parse({})
  const sandbox = await sandboxes.open({
    tenantId: 'bench',
    threadId: 'bench',
    runId: 'bench',
    callId: 'bench',
    files,
    mounts: [],
    limits: { ...limits, cpuMs: limits.cpuMs ?? limits.wallMs },
    network: { kind: 'none' },
    env: {},
  })
  try {
    const ended = await sandbox.exec({ script, timeoutMs: 60_000 }, signal, () => undefined)
    if (ended.ended !== 'exited' && ended.ended !== 'cancelled')
      throw new Error(`${ended.ended}: ${ended.reason ?? ''}`)
    await sandbox.changes()
  } finally {
    await sandbox.close()
  }
}

const bare = [
  [
    '--unshare-all',
    '--die-with-parent',
    '--ro-bind',
    '/usr',
    '/usr',
    '--symlink',
    'usr/bin',
    '/bin',
  ],
  ['--symlink', 'usr/lib', '/lib', '--symlink', 'usr/lib64', '/lib64', '--proc', '/proc'],
  ['--dev', '/dev', '--tmpfs', '/tmp', '/bin/bash', '-c', 'true'],
].flat()

async function bubblewrap(directory: string) {
  const sandboxes = openSandboxes(SandboxConfig.parse({ use: 'bubblewrap', directory }), 4)
  try {
    await run(sandboxes, 'true')
    const start = await measured(() => promisify(execFile)('bwrap', bare))
    const emptyTree = await measured(() => run(sandboxes, 'true'))
    const files = tree()
    const first = await timed(() => run(sandboxes, 'cat dir3/file3', { files }))
    const later = await measured(() => run(sandboxes, 'cat dir3/file3', { files }))
    const cancels: number[] = []
    for (let n = 0; n < rounds; n += 1) {
      const controller = new AbortController()
      let at = 0
      setTimeout(
        () => {
          at = performance.now()
          controller.abort()
        },
        60 + (n % 5) * 20,
      )
      const script = 'for i in 1 2 3 4 5; do setsid nohup sleep 300 & done; trap "" TERM; sleep 300'
      await run(sandboxes, script, { signal: controller.signal })
      cancels.push(performance.now() - at)
    }
    return { start, emptyTree, first: Math.round(first), later, cancelToGone: spreadOf(cancels) }
  } finally {
    await sandboxes.close()
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 700))

async function virtual() {
  const sandboxes = openSandboxes(SandboxConfig.parse({}))
  try {
    const cold = await timed(() => run(sandboxes, 'true'))
    const files = tree()
    const samples: number[] = []
    for (let n = 0; n < Math.min(rounds, 20); n += 1) {
      // The next thread warms up meanwhile, as it does between the turns of a run.
      await pause()
      samples.push(await timed(() => run(sandboxes, 'cat dir3/file3', { files })))
    }
    return {
      cold: Math.round(cold),
      catAmong1000: spreadOf(samples),
      readsOfOne: files.reads / samples.length,
    }
  } finally {
    await sandboxes.close()
  }
}

const directory = await mkdtemp(join(tmpdir(), 'signalbox-bench-'))
await chmod(directory, 0o755)
try {
  const hasBwrap = await promisify(execFile)('bwrap', ['--version']).then(
    () => true,
    () => false,
  )
  const report = {
    user: process.getuid?.() === 0 ? 'root' : 'ordinary',
    rounds,
    bubblewrap: hasBwrap ? await bubblewrap(directory) : 'bwrap is not installed',
    virtual: await virtual(),
  }
  console.log(JSON.stringify(report, null, 2))
} finally {
  await rm(directory, { recursive: true, force: true })
}
