/**
 * The commands, variables and redirects that no passport allows, not even one that allows every command: operations that destroy the
 * machine, hand it over or change what it runs. A net under the lists, not a fence: a program that is allowed may find other ways.
 */
import type { PassportEdition } from '@signalbox/core'
import { canonicalPath } from '../files/canonical-path.ts'
import { protectedFromWriting, secretPattern } from '../files/sensitive.ts'
import { matchesPathWildcard, matchesWildcard } from '../wildcard.ts'
import type { Doings, Executable } from './doings.ts'
import { isPlain, type Redirect, type Word } from '../../shell/script.ts'

/** A kind of danger, by which the audit of `bash` names its rules. */
export type DangerRule =
  | 'preload'
  | 'socket'
  | 'secrets'
  | 'protected_place'
  | 'machine'
  | 'device'
  | 'vital_mode'
  | 'vital_removal'
  | 'unseen_removal'
  | 'decoded_program'

/** A danger: its rule, and in words the action that is dangerous. */
export interface Danger {
  readonly rule: DangerRule
  readonly what: string
}

const danger = (rule: DangerRule, what: string): Danger => ({ rule, what })

/** The danger in this, in words; null if there is none. */
export function dangerIn(
  { executables, redirects, variables }: Doings,
  edition: PassportEdition,
): Danger | null {
  for (const { name } of variables) {
    const found = dangerInVariable(name)
    if (found !== null) return found
  }
  for (const redirect of redirects) {
    const found = dangerInRedirect(redirect)
    if (found !== null) return found
  }
  for (const executable of executables) {
    const found =
      dangerInDd(executable) ??
      dangerInUse(executable) ??
      dangerInDecoding(executable) ??
      dangerInWords(executable.words, edition)
    if (found !== null) return found
  }
  return null
}

/** Variables by which every program that starts loads code. */
export const dangerInVariable = (name: string): Danger | null =>
  /^(?:LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_[A-Z_]+)$/.test(name)
    ? danger('preload', `setting ${name}`)
    : null

/** A function that pipes into itself: `name(){ name|name& };name`. It does not parse, so it is looked for in the text. */
export function isForkBomb(text: string): boolean {
  const dense = text.replaceAll(/\s+/g, '')
  for (let at = dense.indexOf('(){'); at >= 0; at = dense.indexOf('(){', at + 1)) {
    const name = /[^;&|(){}]{1,32}$/.exec(dense.slice(Math.max(0, at - 32), at))?.[0]
    if (name !== undefined && dense.startsWith(`${name}|${name}`, at + 3)) return true
  }
  return false
}

/** The danger in the file that a redirection reads, or writes to. */
export function dangerInRedirect({ op, target }: Redirect): Danger | null {
  const network = dangerOfSocket(target.text)
  if (network !== null) return network
  if (op.startsWith('<<') || (op === '<' && !isSecret(target))) return null
  if (op === '<') return readsSecrets
  return isProtected(target) ? writesProtected : null
}

/** The files by which a shell opens connections, anywhere in a text. */
export const dangerOfSocket = (text: string): Danger | null =>
  /\/dev\/(?:tcp|udp)\//.test(text)
    ? danger('socket', 'opening a network connection from the shell')
    : null

const readsSecrets = danger('secrets', 'reading secrets')
const writesProtected = danger('protected_place', 'writing into a protected place')
/** The removal of what must stay. */
export const vitalRemoval = danger('vital_removal', 'removing what the machine or a user needs')

/** A path as the shell would hand it over, with the home as `/home/~`: good enough to compare places. */
function placeOf(word: Word): string {
  const text = word.text.replace(/^(?:~[^/]*|\$HOME)(?=\/|$)/, '/home/~').replaceAll('%', '_')
  const read = canonicalPath(text.replaceAll('\\', '/'), null)
  return read.ok ? read.path : text
}

const isSecret = (word: Word): boolean =>
  /^\/(?:etc|proc)\//.test(secretPattern(placeOf(word)) ?? '')

/** Does a word name a place that nobody may write to, or could it? */
export const isProtected = (word: Word): boolean => {
  const place = placeOf(word)
  // A wildcard at the top could stand for any of the protected places.
  if (!isPlain(word) && /^\/[^/]*[*?[{$]/.test(place)) return true
  return protectedFromWriting(place) !== null || /\/\.ssh(?:\/|$)/.test(place)
}

const vitalPlaces = new Set([
  'applications',
  'bin',
  'boot',
  'dev',
  'etc',
  'home',
  'lib',
  'lib64',
  'library',
  'media',
  'mnt',
  'opt',
  'private',
  'proc',
  'root',
  'run',
  'sbin',
  'srv',
  'sys',
  'system',
  'users',
  'usr',
  'var',
  'volumes',
])
const homes = new Set(['home', 'root', 'users'])

/** Places whose removal ends a machine or a user: the root, what belongs in it, homes, and what is above us. */
export function isVital(word: Word): boolean {
  if (/^\.\.(?:\/\.\.)*(?:\/\*?)?$/.test(word.text)) return true
  const place = placeOf(word).toLowerCase()
  if (!place.startsWith('/')) return false
  const wild = (name: string): boolean => name === '*' || (!isPlain(word) && /[*?[{$]/.test(name))
  // A wildcard stands for everything there: `/usr/*` is `/usr`.
  const names = place.slice(1).split('/')
  const end = names.findIndex(wild)
  const [first = '', ...below] = end < 0 ? names : names.slice(0, end)
  if (first === '') return true
  if (!vitalPlaces.has(first)) return false
  return below.length === 0 || (below.length === 1 && (homes.has(first) || first === 'usr'))
}

const operandsOf = ({ words }: Executable): readonly Word[] =>
  words.slice(1).filter(({ text }) => !text.startsWith('-') || text === '-')

const hasOption = ({ words }: Pick<Executable, 'words'>, pattern: RegExp): boolean =>
  words.slice(1).some(({ text }) => pattern.test(text))

const recursive = /^-[a-zA-Z]*[rR]|^--recursive$/

const enders =
  /^(?:mkfs(?:\..*)?|mke2fs|mkswap|wipefs|fdisk|sfdisk|parted|shutdown|reboot|halt|poweroff)$/
/** Programs that write to each of their operands, and those that write to the last only. */
const writeAll = new Set([
  'rm',
  'rmdir',
  'unlink',
  'shred',
  'tee',
  'truncate',
  'touch',
  'mkdir',
  'chmod',
  'chown',
  'chgrp',
  'mv',
])
const writeLast = new Set(['cp', 'ln', 'install', 'rsync'])

/** The danger in a program, by its name and its operands. */
export function dangerInUse(executable: Executable): Danger | null {
  const { name } = executable
  if (enders.test(name)) return danger('machine', `running ${name}`)
  if (name === 'rm' || name === 'find') return dangerInRemoval(executable)
  if (/^(?:chmod|chown|chgrp)$/.test(name) && hasOption(executable, recursive))
    if (operandsOf(executable).some(isVital))
      return danger('vital_mode', `${name} over the whole machine`)
  return isWriting(executable) ? writesProtected : null
}

/** Does a program write in the clear what it reads encoded? */
export const isDecoding = (executable: Pick<Executable, 'name' | 'words'>): boolean =>
  /^(?:base64|base32|openssl|xxd)$/.test(executable.name) &&
  hasOption(executable, /^-(?:d|D|r|-decode)/)

const dangerInDecoding = (executable: Executable): Danger | null =>
  executable.command.feeds && isDecoding(executable)
    ? danger('decoded_program', 'piping decoded text on')
    : null

function isWriting(executable: Executable): boolean {
  const { name, words } = executable
  const operands = operandsOf(executable)
  if (writeAll.has(name)) return operands.some(isProtected)
  if (name === 'sed' && hasOption(executable, /^-[a-zA-Z]*i|^--in-place/))
    return operands.some(isProtected)
  if (!writeLast.has(name)) return false
  const directory = words.find((_, at) =>
    /^(?:-t|--target-directory)$/.test(words[at - 1]?.text ?? ''),
  )
  return [directory, operands.at(-1)].some((word) => word !== undefined && isProtected(word))
}

/** The danger in the files that dd reads and writes. */
export function dangerInDd({ name, words }: Executable): Danger | null {
  if (name !== 'dd') return null
  for (const word of words.slice(1)) {
    if (word.text.startsWith('if=')) return danger('device', 'dd from a device or file')
    if (!word.text.startsWith('of=')) continue
    if (isProtected({ ...word, text: word.text.slice(3) }))
      return danger('device', 'dd onto a device or a protected place')
  }
  return null
}

/** The places that `find` looks through. */
export function startsOfFind(words: readonly Word[]): readonly Word[] {
  const option = words.findIndex(({ text }, at) => at > 0 && text.startsWith('-'))
  return words.slice(1, option < 0 ? words.length : option)
}

function dangerInRemoval(executable: Executable): Danger | null {
  const { name, outer, words } = executable
  if (name === 'find') {
    return hasOption(executable, /^-delete$/) && startsOfFind(words).some(isVital)
      ? vitalRemoval
      : null
  }
  const operands = operandsOf(executable)
  if (operands.some(isVital)) return vitalRemoval
  if (operands.some(isProtected))
    return danger('protected_place', 'removing from a protected place')
  if (!hasOption(executable, recursive)) return null
  const found = outer?.executable.name === 'find' ? outer.executable : null
  if (found !== null) return found.words.slice(1).some(isVital) ? vitalRemoval : null
  if (executable.hasMore)
    return danger('unseen_removal', 'removing directories that cannot be seen here')
  const unseen = operands.some(
    (word) => !isPlain(word) && /^[${]/.test(word.text) && !word.text.startsWith('$HOME/'),
  )
  return unseen ? danger('unseen_removal', 'removing directories that an expansion names') : null
}

const secretFiles = [
  '/etc/shadow',
  '/etc/gshadow',
  '/proc/1/environ',
  '/proc/self/environ',
] as const

/** A wildcard of a shell stays within one name. What goes up far enough begins at the root. */
function couldBe(pattern: string, file: string): boolean {
  const fromRoot = pattern.replace(/^(?:\.{1,2}\/)*\.\.\//, '/')
  return matchesPathWildcard(fromRoot, file) || matchesPathWildcard(fromRoot, file.slice(1))
}

function dangerInWords(words: readonly Word[], edition: PassportEdition): Danger | null {
  for (const word of words) {
    const found =
      dangerOfSocket(word.text) ?? dangerOfSecrets(word, edition) ?? dangerOfRemoval(word.text)
    if (found !== null) return found
  }
  return null
}

/** A word that names a file of secrets of the machine, or could. */
export function dangerOfSecrets(word: Word, edition: PassportEdition): Danger | null {
  const matches = edition === 1 ? matchesWildcard : couldBe
  const text = word.text.replaceAll(/\/(?:\.?\/)+/g, '/').replaceAll('{', '')
  if (/\/etc\/g?shadow|\/proc\/[^/\s]{1,20}\/environ/.test(text)) return readsSecrets
  const pattern = text.replaceAll(/\[[^[\]]*\]/g, '?')
  return word.globs && secretFiles.some((file) => matches(pattern, file)) ? readsSecrets : null
}

/** A text that removes everything, if some program runs it: `python -c "os.system('rm -rf /')"`. */
export const dangerOfRemoval = (text: string): Danger | null =>
  removesEverything(text) ? vitalRemoval : null

function removesEverything(text: string): boolean {
  if (!/\s/.test(text)) return false
  const words = text.split(/[^A-Za-z0-9_~/.*$-]+/)
  return words.some((word, at) => {
    if (word !== 'rm' && !word.endsWith('/rm')) return false
    const rest = words.slice(at + 1)
    const target = rest.find((each) => !each.startsWith('-'))
    return (
      rest[0]?.startsWith('-') === true &&
      /^(?:\/|\/\*|~\/?|~\/\*|\$HOME\/?|\/home|\/root|\/etc|\/usr)$/.test(target ?? '')
    )
  })
}
