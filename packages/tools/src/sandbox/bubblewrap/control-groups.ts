/**
 * Control groups: memory and processes of all of a command together, where this worker may make groups. Both versions:
 * `/sys/fs/cgroup` of systemd's machines (2), and a mount for each controller (1).
 *
 * G1 A group is made for each slot and used by one command at a time; the command enters it before it can fork.
 * G2 The groups of a worker that died are removed by its caretaker.
 * G3 Where a group cannot be made there is none: limits are then those of each process, and the probe says so.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { SandboxLimits } from '../sandbox.ts'
import { markOfWorker, newMark } from './marked.ts'

const root = '/sys/fs/cgroup'

/** Where groups can be made. */
export interface ControlGroups {
  /** The group of a slot, by its mark. */
  group(mark: string): Promise<ControlGroup>
}

/** The resources of its group that a command used. Null: this kernel does not say. */
export interface GroupUsage {
  readonly cpuMs: number | null
  readonly maxRssBytes: number | null
  /** Did the kernel end a process of it for its memory? */
  readonly isOutOfMemory: boolean
}

/** The group of one slot. */
export interface ControlGroup {
  /** Sets the limits for the next command. */
  prepare(limits: SandboxLimits): void
  /** The files that a process enters it by: it writes 0 into each, while it has one thread. */
  readonly entries: readonly string[]
  /** After the command: what it used since `prepare`. */
  usage(): GroupUsage
  close(): Promise<void>
}

/**
 * Finds out by making one, and by entering it as the user with that number, whether commands of this worker may have groups. Null:
 * they may not.
 */
export async function findControlGroups(uid: number | null): Promise<ControlGroups | null> {
  for (const make of [unified, perController]) {
    const groups = await make().catch(() => null)
    const group = await groups?.group(newMark()).catch(() => null)
    if (!groups || !group) continue
    const isEntered = await entered(group.entries, uid).catch(() => false)
    const isRemoved = await group.close().then(
      () => true,
      () => false,
    )
    if (isEntered && isRemoved) return groups
  }
  return null
}

/** Older kernels ask who enters, newer ones who has opened the file: what is given a descriptor need not be root. */
async function entered(entries: readonly string[], uid: number | null): Promise<boolean> {
  const files = entries.map((path) => openSync(path, 'w'))
  try {
    const writes = files.map((_, n) => `echo 0 >&${n + 3}`).join(' && ')
    const child = spawn('/bin/bash', ['-p', '-c', writes], {
      stdio: ['ignore', 'ignore', 'ignore', ...files],
      env: {},
      cwd: '/',
      ...(uid === null ? {} : { uid, gid: uid }),
    })
    const [code]: unknown[] = await once(child, 'exit')
    return code === 0
  } finally {
    for (const file of files) closeSync(file)
  }
}

/** The path of this process in a hierarchy: of version 2 for `null`, else of a controller. */
async function ownPath(controller: string | null): Promise<string> {
  const lines = (await readFile('/proc/self/cgroup', 'utf8')).split('\n')
  for (const line of lines) {
    const [id, names = '', ...path] = line.split(':')
    const isMine = controller === null ? id === '0' : names.split(',').includes(controller)
    if (isMine) return path.join(':')
  }
  throw new Error('this process is in no such hierarchy')
}

async function unified(): Promise<ControlGroups> {
  // A group that hands controllers on has no processes itself (cgroup-v2, "No Internal Process Constraint"). So the worker
  // stands in a group of its own below the one that was delegated: `Delegate=memory pids`, `DelegateSubgroup=signalbox`.
  const worker = join(root, await ownPath(null))
  if (basename(worker) !== 'signalbox') throw new Error('no group was delegated')
  const own = dirname(worker)
  await writeFile(join(own, 'cgroup.subtree_control'), '+memory +pids')
  return {
    group: async (mark) => {
      const path = await makeGroup(own, mark)
      const file = (part: string): string => join(path, part)
      const oomKills = (): number => numberAfter(read(file('memory.events')), 'oom_kill')
      const cpu = (): number => numberAfter(read(file('cpu.stat')), 'usage_usec')
      let before = { kills: 0, cpu: 0 }
      return {
        entries: [file('cgroup.procs')],
        prepare: ({ memoryBytes, processes }) => {
          writeFileSync(file('memory.max'), String(memoryBytes))
          tryToWrite(file('memory.swap.max'), '0')
          tryToWrite(file('memory.oom.group'), '1')
          writeFileSync(file('pids.max'), String(processes))
          tryToWrite(file('memory.peak'), 'reset')
          before = { kills: oomKills(), cpu: cpu() }
        },
        usage: () => ({
          cpuMs: Math.round((cpu() - before.cpu) / 1000),
          maxRssBytes: wholeOrNull(read(file('memory.peak'))),
          isOutOfMemory: oomKills() > before.kills,
        }),
        close: () => rmdir(path),
      }
    },
  }
}

async function perController(): Promise<ControlGroups> {
  const memory = join(root, 'memory', await ownPath('memory'))
  const pids = join(root, 'pids', await ownPath('pids'))
  if (!existsSync(memory) || !existsSync(pids)) throw new Error('the controllers are not mounted')
  return {
    group: async (mark) => {
      const paths = [await makeGroup(memory, mark), await makeGroup(pids, mark)] as const
      const [ofMemory, ofPids] = paths
      const oomKills = (): number =>
        numberAfter(read(join(ofMemory, 'memory.oom_control')), 'oom_kill')
      let before = 0
      return {
        // `tasks` moves one thread. To move all threads of a process, as `cgroup.procs` does, the kernel waits until none can
        // begin: 10 ms, as long as a start of bwrap.
        entries: paths.map((path) => join(path, 'tasks')),
        prepare: ({ memoryBytes, processes }) => {
          writeFileSync(join(ofMemory, 'memory.limit_in_bytes'), String(memoryBytes))
          writeFileSync(join(ofPids, 'pids.max'), String(processes))
          tryToWrite(join(ofMemory, 'memory.max_usage_in_bytes'), '0')
          before = oomKills()
        },
        usage: () => ({
          cpuMs: null,
          maxRssBytes: wholeOrNull(read(join(ofMemory, 'memory.max_usage_in_bytes'))),
          isOutOfMemory: oomKills() > before,
        }),
        close: async () => void (await Promise.all(paths.map((path) => rmdir(path)))),
      }
    },
  }
}

/** Removes the groups of a worker, by its mark, that was in the same group as this process. Nothing may be in them any more. */
export async function removeGroupsOf(worker: string): Promise<void> {
  const places = [
    async () => dirname(join(root, await ownPath(null))),
    async () => join(root, 'memory', await ownPath('memory')),
    async () => join(root, 'pids', await ownPath('pids')),
  ]
  for (const find of places) {
    // Which of them there are depends on the version.
    const place = await find().catch(() => null)
    const names = place === null ? [] : await readdir(place).catch(() => [])
    for (const name of names)
      if (place !== null && markOfWorker(name) === worker)
        await rmdir(join(place, name)).catch(() => undefined)
  }
}

/** A command finds the name in `/proc/self/cgroup`: a mark says nothing of this machine. */
async function makeGroup(parent: string, mark: string): Promise<string> {
  const path = join(parent, mark)
  await mkdir(path, { recursive: true })
  return path
}

/** The text that the kernel gives there; empty if this kernel does not know the file. These are on no disk, so nobody waits for one. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Kernels differ in whether they have the file. */
function tryToWrite(path: string, text: string): void {
  try {
    writeFileSync(path, text)
  } catch {
    // This one has not.
  }
}

/** The number behind a word at the beginning of a line; 0 if there is none. */
function numberAfter(text: string, word: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${word} `))
  return line === undefined ? 0 : Number(line.slice(word.length + 1))
}

function wholeOrNull(text: string): number | null {
  const value = Number.parseInt(text, 10)
  return Number.isSafeInteger(value) ? value : null
}
