/**
 * Descriptors that this process was started with and would hand on to every program it starts. What Node opens itself it
 * keeps to itself; of others it knows nothing, and a sandbox would have them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { descriptors } from './descriptors.ts'

/** `O_CLOEXEC` in the octal flags of `/proc/<pid>/fdinfo`. */
const closedOnExec = 0o2_000_000
/** Up to here each is replaced by one that the command is meant to have. */
const given = descriptors.alive

/** Found once: what a process inherits, it has from its beginning. */
let found: readonly number[] | null = null

/** Their numbers; none, where all is as it should be. */
export function inheritedDescriptors(): readonly number[] {
  found ??= inherited()
  return found
}

/** The words that start a command without them, and without variables of the shell that closes them; nothing where there are none. */
export function closeInherited(): readonly string[] {
  const numbers = inheritedDescriptors()
  if (numbers.length === 0) return []
  const closing = numbers.map((number) => `${number}>&-`).join(' ')
  return ['/bin/bash', '-c', `exec ${closing}; exec -c "$@"`, 'bash']
}

function inherited(): readonly number[] {
  return readdirSync('/proc/self/fdinfo')
    .map(Number)
    .filter((number) => number > given && isHandedOn(number))
}

function isHandedOn(number: number): boolean {
  try {
    const [, flags = '0'] =
      /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'utf8')) ?? []
    return (Number.parseInt(flags, 8) & closedOnExec) === 0
  } catch {
    // The one by which the list itself was read.
    return false
  }
}
