/**
 * Dangers that passports leave to their lists of commands: the audit has no list of what is allowed.
 *
 * O1 Places are judged where an option says for sure that a program writes there.
 */
import { isProtected, isVital } from '../passport/command/dangerous.ts'
import type { Executable } from '../passport/command/doings.ts'
import { isInterpreter, isShell } from '../passport/command/interpreters.ts'
import { knowsOutputs, outputsOf } from '../passport/command/output-options.ts'
import { after, type Word } from '../shell/script.ts'
import { below, isRelative } from './places.ts'
import type { BashRule } from './rules.ts'

type Used = Pick<Executable, 'name' | 'words'>

/** The rule by which a program is refused; null: by none of these. `place`: where outside of the workspace it works; null: within. */
export function otherDangerIn(executable: Used, place: string | null): BashRule | null {
  if (endsMachine(executable)) return 'machine'
  if (handsToShell(executable)) return 'downloaded_program'
  if (place === null && removesVital(executable)) return 'vital_removal'
  const written = writtenPlaces(executable).map((word) =>
    place !== null && isRelative(word) ? below(place, word) : word,
  )
  return written.some((word) => isProtected(word) || isRoot(word)) ? 'protected_place' : null
}

const enders =
  /^(?:gdisk|sgdisk|cfdisk|cgdisk|blkdiscard|mkdosfs|mkntfs|kexec|lvremove|vgremove|pvremove)$/
/** Programs that end a machine, or what it keeps, by one of their orders. */
const orders: ReadonlyMap<string, RegExp> = new Map([
  [
    'systemctl',
    /^(?:poweroff|reboot|soft-reboot|halt|kexec|rescue|emergency|suspend|hibernate|hybrid-sleep)$/,
  ],
  ['loginctl', /^(?:poweroff|reboot|halt|suspend|hibernate)$/],
  ['init', /^[0156sS]$/],
  ['telinit', /^[0156sS]$/],
  ['cryptsetup', /^(?:luksFormat|luksErase|erase|reencrypt)$/],
  ['nvme', /^(?:format|sanitize)$/],
  ['zpool', /^(?:destroy|labelclear)$/],
  ['mdadm', /^--zero-superblock$/],
  ['hdparm', /^--security-erase(?:-enhanced)?$/],
  ['diskutil', /^(?:erase(?:Disk|Volume)|zeroDisk|secureErase)$/],
])

const endsMachine = ({ name, words }: Used): boolean =>
  enders.test(name) || words.slice(1).some(({ text }) => orders.get(name)?.test(text) === true)

const isRoot = ({ text }: Word): boolean => /^\/[/.]*$/.test(text)

/** Does a program that is no `rm` take away what must stay? */
function removesVital({ name, words }: Used): boolean {
  const operands = words.slice(1).filter(({ text }) => !text.startsWith('-'))
  if (name === 'mv') return operands.slice(0, -1).some(isVital)
  const isDeleting = name === 'rsync' && words.some(({ text }) => /^--del(?:ete|$)/.test(text))
  return isDeleting && operands.slice(-1).some(isVital)
}

const editing = /^(?:patch|ed|ex|sponge|chattr|setfacl)$/

const runsTexts = (program: string): boolean => {
  const name = program.trim().split(/[\s,]/, 1).join('').replace(/^.*\//, '')
  return isShell(name) || isInterpreter(name)
}

/** Is a shell given what comes in over a network? */
function handsToShell({ name, words }: Used): boolean {
  const texts = words.slice(1).map(({ text }) => text)
  if (name === 'socat')
    return texts.some((text) => {
      const [, program] = /^(?:EXEC|SYSTEM|SHELL)(?::["']?(.*)|$)/is.exec(text) ?? []
      return /^SHELL/i.test(text) || (program !== undefined && runsTexts(program))
    })
  if (!/^(?:nc|ncat|netcat|nc\.traditional)$/.test(name)) return false
  return texts.some((text, at) => {
    const [, glued] = /^--(?:sh-)?exec(?:=(.*))?$/s.exec(text) ?? []
    const isOption = /^-[a-zA-Z]*[ec]$|^--(?:sh-)?exec$/.test(text)
    return runsTexts(glued ?? (isOption ? (texts[at + 1] ?? '') : ''))
  })
}

/** Places that options of a program say it writes to. */
function writtenPlaces({ name, words }: Used): readonly Word[] {
  if (name === 'tar') return isExtracting(words) ? valuesOf(words, ['-C', '--directory']) : []
  if (editing.test(name)) return words.slice(1).filter(({ text }) => !text.startsWith('-'))
  if (name === 'unzip') return valuesOf(words, ['-d'])
  return knowsOutputs(name) ? outputsOf(name, words) : []
}

const isExtracting = (words: readonly Word[]): boolean =>
  words.some(
    ({ text }, at) =>
      /^(?:--extract|--get)$|^-[a-zA-Z]*x/.test(text) || (at === 1 && /^[a-zA-Z]*x/.test(text)),
  )

function valuesOf(words: readonly Word[], [short, long]: readonly string[]): readonly Word[] {
  return words.flatMap((word, at): readonly Word[] => {
    const { text } = word
    const next = words[at + 1]
    if (at === 0) return []
    if (text === short || text === long) return next === undefined ? [] : [next]
    if (long !== undefined && text.startsWith(`${long}=`)) return [after(word, long.length + 1)]
    if (short === undefined || text.startsWith('--') || !text.startsWith('-')) return []
    // Glued to its value, or at the end of other letters.
    if (text.startsWith(short)) return [after(word, short.length)]
    return text.endsWith(short.slice(1)) && next !== undefined ? [next] : []
  })
}
