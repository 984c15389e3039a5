/** The command line of one sandbox: what a command sees, and what it may use. */
import { existsSync, lstatSync, statSync } from 'node:fs'
import type { ReadOnlyMount, SandboxLimits } from '../sandbox.ts'
import { descriptors } from './descriptors.ts'
import { inheritedDescriptors } from './inherited.ts'
import { programPath } from './programs.ts'

/** Where the files of a thread are, and who a command believes to be. */
const inside = { workspace: '/workspace', uid: 1000 } as const

/** The parts of one command line. */
export interface SandboxShape {
  /** The mark by which its processes are found. */
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
  /** How many control groups bound its memory and processes: it is given a descriptor for each. */
  readonly groups: number
  /** Further options of bwrap: what a network needs. */
  readonly more: readonly string[]
  /** The words before the limited command. */
  readonly before: readonly string[]
}

/**
 * The command that is run, and the options that bwrap reads from a descriptor: the environment is in no list of processes. `uid`: who runs
 * it, null for whoever the worker is.
 */
export function bwrapCommand(
  shape: SandboxShape,
  uid: number | null,
): { readonly command: readonly string[]; readonly options: readonly string[] } {
  const bwrap = programPath('bwrap') ?? 'bwrap'
  const args = ['--args', String(descriptors.args), '--', ...insideCommand(shape)]
  // Where bwrap takes the rights of its owner, it does not get them back for the user of a slot.
  const isSetuid = uid !== null && ((statSync(bwrap, noThrow)?.mode ?? 0) & 0o4000) !== 0
  const without = isSetuid ? [programPath('setpriv') ?? 'setpriv', '--no-new-privs'] : []
  return { command: [...without, bwrap, ...args], options: bwrapOptions(shape) }
}

const noThrow = { throwIfNoEntry: false } as const

/**
 * A shell does in the sandbox what has to be done before the command, so that no further program has to start for it. The word
 * behind its program would be its name: by it all processes are found that start a command, see `marked.ts`.
 */
function insideCommand(shape: SandboxShape): string[] {
  const { mark, script, before, groups } = shape
  const command = ['/bin/bash', '-c', script]
  const shell = (steps: readonly string[]): string[] => [
    '/bin/bash',
    '-p',
    '-c',
    [...steps, 'exec "$@"'].join('; '),
    mark,
  ]
  const first = [ifAlive, ...entering(groups)]
  const limited = limiting(shape)
  // The relay of connections has no limits but those of the groups.
  return before.length === 0
    ? [...shell([...first, limited]), ...command]
    : [...shell(first), ...before, ...shell([limited]), ...command]
}

/**
 * A command begins only if the worker lives. bwrap ties itself to its parent by then, but a parent that died before is a death
 * that nobody tells it of, and what it starts would go on for ever.
 */
export const ifAlive = `read -t 0 -u ${descriptors.alive} && exit 70`

/** Enters the groups by descriptors, and closes what the command is not meant to have. bwrap closes its own copies. */
function entering(groups: number): readonly string[] {
  const numbers = Array.from({ length: groups }, (_, n) => descriptors.groups + n)
  const closed = new Set([descriptors.alive, ...numbers, ...inheritedDescriptors()])
  return [
    ...numbers.map((number) => `echo 0 >&${number} || exit 70`),
    `exec ${[...closed].map((number) => `${number}>&-`).join(' ')}`,
  ]
}

/**
 * Limits are set inside: there the kernel counts the processes of this sandbox, not those of its user elsewhere. The shell
 * knows sizes of 1,024 bytes.
 */
function limiting({ limits, groups }: SandboxShape): string {
  const cpu = Math.ceil(limits.cpuMs / 1000)
  const each = [
    `-u ${limits.processes} -n ${limits.openFiles} -c 0 -f ${kibibytes(limits.fileBytes)}`,
    // The soft one first: the hard one may not be below it.
    `-St ${cpu}`,
    `-Ht ${cpu + 1}`,
    ...(groups > 0 ? [] : [`-v ${kibibytes(limits.memoryBytes)}`]),
  ]
  return `${each.map((one) => `ulimit ${one}`).join(' && ')} || exit 1`
}

const kibibytes = (bytes: number): number => Math.ceil(bytes / 1024)

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
    // A directory that bwrap made to mount on has no size: nothing is written there.
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
