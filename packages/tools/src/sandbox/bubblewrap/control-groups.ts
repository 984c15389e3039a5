/**
 * Control groups: memory and processes of all of a command together, where this worker may make groups. Both versions:
 * `/sys/fs/cgroup` of systemd's machines (2), and a mount for each controller (1).
 *
 * G1 A group is made for each slot and used by one command at a time; the command enters it before it can fork.
 * G2 The groups of a worker that died are removed by its caretaker.
 * G3 Where a group cannot be made there is none: limits are then those of each process, and the probe says so.
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { SandboxLimits } from '../sandbox.ts'

const root = '/sys/fs/cgroup'

/** Where groups can be made. */
export interface ControlGroups {
  /** The group of a slot. */
  group(name: string): Promise<ControlGroup>
}

/** What a command used of its group. Null: this kernel does not say. */
export interface GroupUsage {
  readonly cpuMs: number | null
  readonly maxRssBytes: number | null
  /** Did the kernel end a process of it for its memory? */
  readonly isOutOfMemory: boolean
}

/** The group of one slot. */
export interface ControlGroup {
  /** Sets the limits for the next command. */
  prepare(limits: SandboxLimits): Promise<void>
  /** What starts a command in it. */
  readonly before: readonly string[]
  /** After the command: what it used since `prepare`. */
  usage(): Promise<GroupUsage>
  close(): Promise<void>
}

/** Finds out by making one whether this worker may have groups. Null: it may not. */
export async function findControlGroups(): Promise<ControlGroups | null> {
  for (const make of [unified, perController]) {
    const groups = await make().catch(() => null)
    const tried = await groups
      ?.group('probe')
      .then((group) => group.close())
      .then(
        () => true,
        () => false,
      )
    if (groups && tried === true) return groups
  }
  return null
}

/** Writes itself into the groups, and becomes the command. Variables of the shell's own, such as `PWD`, are not handed on. */
const enter = (procs: readonly string[]): readonly string[] => [
  '/bin/bash',
  '-c',
  'while [ "$1" != -- ]; do echo 0 > "$1" || exit 70; shift; done; shift; exec -c "$@"',
  'bash',
  ...procs,
  '--',
]

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
    group: async (name) => {
      const path = await makeGroup(own, name)
      const read = (file: string): Promise<string> =>
        readFile(join(path, file), 'utf8').catch(() => '')
      const oomKills = async (): Promise<number> =>
        numberAfter(await read('memory.events'), 'oom_kill')
      const cpu = async (): Promise<number> => numberAfter(await read('cpu.stat'), 'usage_usec')
      let before = { kills: 0, cpu: 0 }
      return {
        before: enter([join(path, 'cgroup.procs')]),
        prepare: async ({ memoryBytes, processes }) => {
          await writeFile(join(path, 'memory.max'), String(memoryBytes))
          await writeFile(join(path, 'memory.swap.max'), '0').catch(() => undefined)
          await writeFile(join(path, 'memory.oom.group'), '1').catch(() => undefined)
          await writeFile(join(path, 'pids.max'), String(processes + ownProcesses))
          await writeFile(join(path, 'memory.peak'), 'reset').catch(() => undefined)
          before = { kills: await oomKills(), cpu: await cpu() }
        },
        usage: async () => ({
          cpuMs: Math.round(((await cpu()) - before.cpu) / 1000),
          maxRssBytes: wholeOrNull(await read('memory.peak')),
          isOutOfMemory: (await oomKills()) > before.kills,
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
    group: async (name) => {
      const paths = [await makeGroup(memory, name), await makeGroup(pids, name)] as const
      const [ofMemory, ofPids] = paths
      const read = (file: string): Promise<string> =>
        readFile(join(ofMemory, file), 'utf8').catch(() => '')
      const oomKills = async (): Promise<number> =>
        numberAfter(await read('memory.oom_control'), 'oom_kill')
      let before = 0
      return {
        before: enter(paths.map((path) => join(path, 'cgroup.procs'))),
        prepare: async ({ memoryBytes, processes }) => {
          await writeFile(join(ofMemory, 'memory.limit_in_bytes'), String(memoryBytes))
          await writeFile(join(ofPids, 'pids.max'), String(processes + ownProcesses))
          await writeFile(join(ofMemory, 'memory.max_usage_in_bytes'), '0').catch(() => undefined)
          before = await oomKills()
        },
        usage: async () => ({
          cpuMs: null,
          maxRssBytes: wholeOrNull(await read('memory.max_usage_in_bytes')),
          isOutOfMemory: (await oomKills()) > before,
        }),
        close: async () => void (await Promise.all(paths.map((path) => rmdir(path)))),
      }
    },
  }
}

/** bwrap and the first process of the namespace. */
const ownProcesses = 4

const prefixOf = (worker: number): string => `signalbox-${worker}-`

/** Removes the groups that a process made which was in the same group as this one. Nothing may be in them any more. */
export async function removeGroupsOf(worker: number): Promise<void> {
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
      if (place !== null && name.startsWith(prefixOf(worker)))
        await rmdir(join(place, name)).catch(() => undefined)
  }
}

async function makeGroup(parent: string, name: string): Promise<string> {
  const path = join(parent, `${prefixOf(process.pid)}${name}`)
  await mkdir(path, { recursive: true })
  return path
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
