/** The findings that the audit flags: a person should see them, and the script runs. */
import { outputsOf } from '../passport/command/output-options.ts'
import type { Executable } from '../passport/command/doings.ts'
import type { Word } from '../shell/script.ts'
import type { Actions } from './actions.ts'
import { installs } from './installs.ts'
import { isFed, type OriginTable } from './origins.ts'
import type { BashFinding } from './rules.ts'
import { whenFed } from './walk-program.ts'

const commandsMax = 50
const inRights = /^(?:sudo|doas|su|runuser|pkexec)$/

/** Everything that is to be flagged. */
export function flagsIn(actions: Actions, origins: OriginTable): readonly BashFinding[] {
  const { executables, variables, redirects, commands } = actions
  const count = commands.filter(({ words }) => words.length > 0).length
  return [
    ...executables.flatMap(flagsOf),
    ...(variables.some(({ name }) => name === 'PATH') ? [flag('path')] : []),
    ...redirects.flatMap(({ op, target }) =>
      op.includes('>') && isHidden(target) ? [flag('dot_file')] : [],
    ),
    ...unreadableIn(actions, origins),
    ...(count > commandsMax ? [flag('many_commands', `${count}`)] : []),
  ]
}

const flag = (rule: BashFinding['rule'], what = ''): BashFinding => ({ rule, what })

function flagsOf(executable: Executable): readonly BashFinding[] {
  const { name, words } = executable
  return [
    ...(inRights.test(name) ? [flag('sudo', name)] : []),
    ...(name === 'chmod' && words.slice(1).some(({ text }) => isForAll(text))
      ? [flag('world_writable')]
      : []),
    ...(installs(name, words) ? [flag('install', name)] : []),
    ...(writtenBy(executable).some(isHidden) ? [flag('dot_file')] : []),
  ]
}

/** Does a mode of chmod give everybody all rights? */
function isForAll(mode: string): boolean {
  if (/^[0-7]?777$/.test(mode)) return true
  return mode.split(',').some((part) => {
    const [, who = '', rights = ''] = /^([ugoa]+)[+=]([rwxXst]+)$/.exec(part) ?? []
    const isEverybody = who.includes('a') || /^(?=.*u)(?=.*g)(?=.*o)/.test(who)
    return isEverybody && /^(?=.*r)(?=.*w)(?=.*[xX])/.test(rights)
  })
}

const toEach = new Set(['tee', 'touch', 'truncate', 'shred', 'sponge'])
const toLast = new Set(['cp', 'mv', 'ln', 'install', 'rsync'])

/** Words that name what a program writes. */
function writtenBy({ name, words }: Executable): readonly Word[] {
  const operands = words.slice(1).filter(({ text }) => !text.startsWith('-'))
  if (name === 'dd')
    return operands.flatMap((word) =>
      word.text.startsWith('of=') ? [{ ...word, text: word.text.slice(3) }] : [],
    )
  if (toEach.has(name)) return operands
  if (name === 'sed' && words.some(({ text }) => /^-[a-zA-Z]*i|^--in-place/.test(text)))
    return operands
  if (toLast.has(name)) return [...outputsOf(name, words), ...operands.slice(-1)]
  return name === 'curl' || name === 'wget' ? outputsOf(name, words) : []
}

/** Is a name of its path hidden? */
const isHidden = ({ text }: Word): boolean =>
  text.split('/').some((name) => /^\.(?!\.?$)/.test(name))

/** Parts that nobody could read, each reason once. */
function unreadableIn(actions: Actions, origins: OriginTable): readonly BashFinding[] {
  const sources = actions.programs.flatMap((source) => {
    const { unclear, input } = source
    if (unclear === null || origins.originsOf(source).size > 0) return []
    if (unclear === whenFed && (input === null || !isFed(input))) return []
    return [unclear]
  })
  return [...new Set([...actions.unclear, ...sources])].map((why) => flag('unreadable', why))
}
