/** Why bubblewrap does not work on a machine, in words, and what to type. */
import { existsSync, readFileSync } from 'node:fs'
import type { Probe, ProbeFinding } from '../sandbox.ts'
import { programPath } from './programs.ts'

/** The facts of a machine on which the words depend. `restricts`, `allowsUsers`: switches of the kernel, null where there is none. */
export interface HostFacts {
  readonly platform: string
  readonly arch: string
  readonly isRoot: boolean
  readonly isContainer: boolean
  /** Programs of `needed` that are not found. */
  readonly missing: readonly string[]
  /** `kernel.apparmor_restrict_unprivileged_userns`: 1 refuses user namespaces to programs without a profile. */
  readonly apparmorRestricts: boolean
  /** `kernel.unprivileged_userns_clone` 0 or `user.max_user_namespaces` 0: the name of the one that refuses. */
  readonly switchedOff: string | null
}

/** Programs that the adapter starts, and the packages of Debian that have them. */
const needed: Readonly<Record<string, string>> = {
  bwrap: 'bubblewrap',
  setpriv: 'util-linux',
  mkfifo: 'coreutils',
  bash: 'bash',
}

/** Looks at this machine. */
export function hostFacts(): HostFacts {
  const isOff = (name: string): boolean => switchOf(name) === '0'
  const off = ['kernel.unprivileged_userns_clone', 'user.max_user_namespaces'].find(isOff)
  return {
    platform: process.platform,
    arch: process.arch,
    isRoot: process.getuid?.() === 0,
    isContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
    missing: Object.keys(needed).filter((program) => programPath(program) === null),
    apparmorRestricts: switchOf('kernel.apparmor_restrict_unprivileged_userns') === '1',
    switchedOff: off ?? null,
  }
}

function switchOf(name: string): string | null {
  try {
    return readFileSync(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8').trim()
  } catch {
    return null
  }
}

/** The programs that are missing, before anything is tried; null if none is. */
export function missingFor(facts: HostFacts): ProbeFinding | null {
  const { platform, missing } = facts
  if (platform !== 'linux')
    return failed(`it needs Linux, and this is ${platform}`, 'Set sandbox.use to "virtual".')
  if (missing.length === 0) return null
  const packages = [...new Set(missing.map((program) => needed[program] ?? program))]
  return failed(
    `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} not installed`,
    `apt-get install ${packages.join(' ')}`,
  )
}

/** The words of bwrap when it was tried, and their meaning on this machine. */
export function explain(said: string, facts: HostFacts): ProbeFinding {
  const line = said.trim().split('\n').at(-1) ?? ''
  const message = line === '' ? 'bwrap did not start' : line.slice(0, 300)
  return failed(message, remedy(said, facts))
}

function remedy(said: string, facts: HostFacts): string {
  if (facts.switchedOff !== null)
    return `User namespaces are switched off: sysctl -w ${facts.switchedOff}=${facts.switchedOff.startsWith('user') ? '15000' : '1'}`
  // bwrap has its namespaces by then, in a container as well.
  if (/Can't find source path/i.test(said))
    return 'Users of slots cannot reach the directory: name one in sandbox.directory that all users may pass through.'
  // In a container it is the container that refuses, whatever the machine around it allows.
  if (facts.isContainer) {
    return /mount.*proc|\/proc/i.test(said)
      ? 'The container masks /proc: give its service security_opt systempaths=unconfined, as worker-sandbox of docker-compose.yml has it.'
      : 'The container refuses namespaces: give its service security_opt seccomp=unconfined and systempaths=unconfined, as worker-sandbox of docker-compose.yml has them.'
  }
  if (facts.apparmorRestricts || /RTM_NEWADDR|uid map/i.test(said))
    return 'AppArmor restricts user namespaces: apt-get install apparmor-profiles, then ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/ and apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict'
  if (/namespace/i.test(said))
    return 'Namespaces are refused: a hardened unit of systemd needs RestrictNamespaces=no, and no SystemCallFilter without @mount.'
  return 'Run it by hand, and see what it says: bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev true'
}

/** The answer of a probe that ran a command. */
export function works(
  facts: HostFacts,
  { version, hasGroups }: { readonly version: string; readonly hasGroups: boolean },
): Probe {
  const findings: ProbeFinding[] = [
    { status: 'ok', message: `bubblewrap ${version} runs commands`, fix: null },
  ]
  if (facts.arch !== 'x64' && facts.arch !== 'arm64')
    findings.push(warned(`no filter of system calls on ${facts.arch}`, 'Take x64 or arm64.'))
  if (!hasGroups)
    findings.push(
      warned(
        'memory is bounded for each process, not for all of a command together',
        'Delegate a control group: Delegate=memory pids and DelegateSubgroup=signalbox in the unit of the worker. Or bound the memory of its container.',
      ),
    )
  if (!facts.isRoot)
    findings.push(
      warned(
        'commands run as the user of this worker, apart by namespaces alone',
        'Run the worker as root, in a container of its own: then each command gets a user.',
      ),
    )
  return { usable: true, findings }
}

const failed = (message: string, fix: string): ProbeFinding => ({
  status: 'fail',
  message: `bubblewrap: ${message}`,
  fix,
})

const warned = (message: string, fix: string): ProbeFinding => ({
  status: 'warn',
  message: `bubblewrap: ${message}`,
  fix,
})
