/** The command line of one sandbox: what a command sees, and what it may use. */
import { existsSync, lstatSync } from 'node:fs'
import type { ReadOnlyMount, SandboxLimits } from '../sandbox.ts'
import { programPath } from './programs.ts'

/** The numbers of the descriptors that bwrap is given. `alive`: its other end is the worker's, and is closed when that dies. */
export const descriptors = { seccomp: 3, status: 4, args: 5, alive: 6 } as const

/**
 * Stands before every command: it begins only if the worker lives. bwrap ties itself to its parent by then, but a parent that
 * died before is a death that nobody tells it of, and what it starts would go on for ever.
 */
export const ifAlive = (mark: string): readonly string[] => [
  '/bin/bash',
  '-p',
  '-c',
  `read -t 0 -u ${descriptors.alive} && exit 70; exec ${descriptors.alive}<&-; exec "$@"`,
  // By what would be its name, all that start it are found: see `marked.ts`.
  mark,
]

/** Where the files of a thread are, and who a command believes to be. */
const inside = { workspace: '/workspace', uid: 1000 } as const

/** What one command line is made of. */
export interface SandboxShape {
  /** What finds its processes. */
  readonly mark: string
  /** The directory of the files. */
  readonly tree: string
  readonly mounts: readonly ReadOnlyMount[]
  /** Directories of this machine below `/usr` that are empty in the sandbox. */
  readonly hidden: readonly string[]
  readonly limits: SandboxLimits
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly script: string
  readonly hasSeccomp: boolean
  /** What enters the control group that bounds memory and processes; null: there is none. */
  readonly enter: readonly string[] | null
  /** Further options of bwrap: what a network needs. */
  readonly more: readonly string[]
  /** What stands before the limited command. */
  readonly before: readonly string[]
}

/** What is run, and the options that bwrap reads from a descriptor: the environment is in no list of processes. */
export function bwrapCommand(
  shape: SandboxShape,
  uid: number | null,
): { readonly command: readonly string[]; readonly options: readonly string[] } {
  const bwrap = [
    programPath('bwrap') ?? 'bwrap',
    '--args',
    String(descriptors.args),
    '--',
    ...insideCommand(shape),
  ]
  // A user of its own for each slot: limits of processes count per user, and are none for root.
  const asSlot =
    uid === null
      ? []
      : [
          programPath('setpriv') ?? 'setpriv',
          `--reuid=${uid}`,
          `--regid=${uid}`,
          '--clear-groups',
          '--no-new-privs',
        ]
  const command = [...(shape.enter ?? []), ...asSlot, ...bwrap]
  return { command, options: bwrapOptions(shape) }
}

/** Limits are set inside: there the kernel counts the processes of this sandbox, not those of its user elsewhere. */
function insideCommand({ mark, limits, script, enter, before }: SandboxShape): string[] {
  const cpu = Math.ceil(limits.cpuMs / 1000)
  return [
    ...ifAlive(mark),
    ...before,
    'prlimit',
    `--nproc=${limits.processes}`,
    `--nofile=${limits.openFiles}`,
    '--core=0',
    `--fsize=${limits.fileBytes}`,
    `--cpu=${cpu}:${cpu + 1}`,
    ...(enter ? [] : [`--as=${limits.memoryBytes}`]),
    '/bin/bash',
    '-c',
    script,
  ]
}

function bwrapOptions(shape: SandboxShape): string[] {
  const { tree, mounts, hidden, limits, env, cwd, hasSeccomp, more } = shape
  const size = String(limits.tmpBytes)
  return [
    ['--unshare-all', '--unshare-user', '--uid', String(inside.uid), '--gid', String(inside.uid)],
    ['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'sandbox'],
    ['--ro-bind', '/usr', '/usr', ...roots(), ...etc()],
    hidden.flatMap((path) => ['--perms', '0555', '--size', '4096', '--tmpfs', path]),
    ['--proc', '/proc', '--dev', '/dev'],
    ['--perms', '1777', '--size', size, '--tmpfs', '/dev/shm'],
    ['--perms', '1777', '--size', size, '--tmpfs', '/tmp'],
    ['--bind', tree, inside.workspace],
    mounts.flatMap(({ at, directory }) => ['--ro-bind', directory, at]),
    more,
    // What bwrap made to mount on has no size: nothing is written there.
    ['--remount-ro', '/dev', '--remount-ro', '/'],
    hidden.flatMap((path) => ['--remount-ro', path]),
    ['--clearenv', ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])],
    ['--chdir', cwd === '.' ? inside.workspace : `${inside.workspace}/${cwd}`],
    ['--json-status-fd', String(descriptors.status)],
    hasSeccomp ? ['--seccomp', String(descriptors.seccomp)] : [],
  ].flat()
}

/** Programs and libraries are in `/usr`, or, on older systems, in directories of their own. */
const roots = (): string[] =>
  ['bin', 'sbin', 'lib', 'lib32', 'lib64'].flatMap((name) => {
    const stat = lstatSync(`/${name}`, { throwIfNoEntry: false })
    if (!stat) return []
    return stat.isSymbolicLink()
      ? ['--symlink', `usr/${name}`, `/${name}`]
      : ['--ro-bind', `/${name}`, `/${name}`]
  })

/** Of `/etc` what programs are found by, and whom TLS trusts: nothing that names this machine or its users. */
const etc = (): string[] =>
  ['/etc/alternatives', '/etc/ld.so.cache', '/etc/ssl/certs']
    .filter((path) => existsSync(path))
    .flatMap((path) => ['--ro-bind', path, path])

/** The variables of X4. */
export const baseEnv: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/tmp',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
}
