/**
 * The values that builtins set variables to, where the script itself says the text that they read: `read`, `mapfile`, `printf -v`.
 *
 * V1 With an option that changes how an input is taken apart, nothing is told.
 */
import type { Executable, Variable } from '../passport/command/doings.ts'
import { plainWord } from '../shell/grammar.ts'
import { isPlain } from '../shell/script.ts'
import { formatted, inputText, type Where } from './known-words.ts'

/** More lines than these are as unseen as what nobody says. */
const linesMax = 16

/** The names that a builtin sets, and the names that are known where it stands. */
interface Setting {
  readonly names: readonly string[]
  readonly where: Where
}

/** The variables with their values; null where nobody can tell these. */
export function toldBy(
  builtin: Pick<Executable, 'name' | 'words' | 'command'>,
  setting: Setting,
): readonly Variable[] | null {
  switch (builtin.name) {
    case 'printf':
      return toldByPrintf(builtin, setting)
    case 'read':
      return toldByRead(builtin, setting)
    case 'mapfile':
    case 'readarray':
      return toldByMapfile(builtin, setting)
    default:
      return null
  }
}

const known = (name: string, text: string): Variable => ({
  name,
  value: text,
  text,
  exported: false,
  word: null,
})

function toldByPrintf(
  { words }: Pick<Executable, 'words'>,
  { names }: Setting,
): readonly Variable[] | null {
  const given = words.slice(3)
  const [name] = names
  if (name === undefined || !given.every((word) => isPlain(word))) return null
  const text = formatted(given.map((word) => word.text))
  return text === null ? null : [known(name, text)]
}

function linesOf({ command }: Pick<Executable, 'command'>, where: Where): readonly string[] | null {
  const text = inputText(command, where)
  const lines = text?.replace(/\n$/, '').split('\n') ?? []
  return text === null || lines.length > linesMax ? null : lines
}

/** A loop may read any of the lines. */
function toldByRead(
  { words, command }: Pick<Executable, 'words' | 'command'>,
  { names, where }: Setting,
): readonly Variable[] | null {
  const options = words.slice(1).filter(({ text }) => text.startsWith('-'))
  const isPlainly = options.every(({ text }) => /^-[ers]+$/.test(text))
  const isOwn = where.known.values.has('IFS') || command.assignments.length > 0
  const lines = isPlainly && !(isOwn && names.length > 1) ? linesOf({ command }, where) : null
  if (lines === null) return null
  const isRaw = options.some(({ text }) => text.includes('r'))
  return lines.flatMap((line) => {
    let rest = (isRaw ? line : line.replaceAll(/\\(.)/g, '$1')).trim()
    return names.map((name, at) => {
      const [word = ''] = at === names.length - 1 ? [rest] : rest.split(/\s+/, 1)
      rest = rest.slice(word.length).trimStart()
      return known(name, word)
    })
  })
}

function toldByMapfile(
  { words, command }: Pick<Executable, 'words' | 'command'>,
  { names, where }: Setting,
): readonly Variable[] | null {
  const lines = words.some(({ text }) => /^-[a-zA-Z]*[dsOn]/.test(text))
    ? null
    : linesOf({ command }, where)
  const [name] = names
  if (lines === null || name === undefined) return null
  const word = { ...plainWord(''), elements: lines.map(plainWord) }
  return [{ name, value: null, text: null, exported: false, word }]
}
