/**
 * Could what a pipe or a `$(…)` gives be an option of another program? The output of a command is known to begin otherwise
 * only where its arguments are known: names of branches and commits, dates, numbers, files below a folder that is named.
 */
import { isPlain, type Command, type ShellScript, type Word } from '../../shell/script.ts'

const textOf = ({ words }: Command, at: number): string => words[at]?.text ?? ''

/** Programs that print a name or a number, with these options at most. */
const plainNames = /^(?:hostname|id|nproc|uname|whoami)$/
/** Of git, what prints names of branches, tags and commits: none of them begins with a dash or has a blank in it. */
const gitNames: ReadonlyMap<string, RegExp> = new Map([
  ['branch', /^--show-current$/],
  ['describe', /^--(?:tags|always|all|long|contains|exact-match|first-parent|abbrev=\d+)$/],
  ['merge-base', /^--(?:fork-point|octopus|independent)$/],
  ['rev-list', /^(?:-\d+|-n\d*|--(?:max-count=\d+|count|all|tags|reverse|first-parent))$/],
  ['rev-parse', /^(?:-q|--(?:abbrev-ref|short(?:=\d+)?|verify|quiet|symbolic-full-name))$/],
  ['symbolic-ref', /^(?:-q|--(?:short|quiet))$/],
  ['tag', /^(?:-l|--(?:list|merged|points-at|contains|sort=[\w:.-]+))$/],
])
const pathOptions = /^--(?:show-toplevel|git-dir|absolute-git-dir|git-common-dir)$/
const format = /^\+(?!-)(?:%[aAbBcCdDeFgGHIjklmMNpPrRsSTuUVwWxXyYZ]|[\w.:/,T-])+$/

const isOperand = (word: Word): boolean => isPlain(word) && /^[^-\s]\S*$/.test(word.text)
const isName = (word: Word): boolean => isPlain(word) && /^[\w./][\w./ -]*$/.test(word.text)

function givesNames({ words }: Command, splits: boolean): boolean {
  const name = words[0]?.text ?? ''
  const rest = words.slice(1)
  if (plainNames.test(name))
    return rest.every((word) => isPlain(word) && /^-[a-zA-Z]$/.test(word.text))
  if (name === 'pwd') return !splits && rest.every((word) => /^-[LP]$/.test(word.text))
  if (name === 'date')
    return rest.every(
      (word) => isPlain(word) && (format.test(word.text) || /^(?:-u|--utc)$/.test(word.text)),
    )
  if (name === 'git') return gitGivesNames(rest, splits)
  if (name === 'wc') return !splits
  // The name is printed behind the folder; a blank in the name of a file begins a new word where words are split.
  if (splits) return false
  if (name === 'find') {
    const end = rest.findIndex(({ text }) => /^[-(!]/.test(text))
    const starts = end < 0 ? rest : rest.slice(0, end)
    const prints = rest.some(({ text }) => /^-(?:f?printf|exec|execdir|ok|okdir|ls)$/.test(text))
    return !prints && starts.every(isName)
  }
  const lists = rest.some(({ text }) => /^-[a-zA-Z]*l|^--files-with-matches$/.test(text))
  const operands = rest.filter(({ text }) => !text.startsWith('-'))
  const isSearch = /^(?:[ef]?grep|rg)$/.test(name)
  return isSearch && lists && operands.length > 1 && operands.slice(1).every(isName)
}

function gitGivesNames(rest: readonly Word[], splits: boolean): boolean {
  const [command, ...words] = rest
  const known = gitNames.get(command?.text ?? '')
  if (command?.text === 'rev-parse' && !splits && words.length > 0)
    if (words.every(({ text }) => pathOptions.test(text))) return true
  return known !== undefined && words.every((word) => known.test(word.text) || isOperand(word))
}

/** Steps of a pipe that pass lines on as they are. */
function passesLines(command: Command): boolean {
  const name = textOf(command, 0)
  const options = command.words.slice(1).map(({ text }) => text)
  if (name === 'sort' || name === 'uniq')
    return options.every((text) => /^-[bdfhnruVz]+$/.test(text))
  if (name === 'head' || name === 'tail')
    return options.every((text) => /^(?:-n?\d*|\+?\d+|-z)$/.test(text))
  if (!/^[ef]?grep$/.test(name)) return false
  return options.every((text) => !text.startsWith('-') || /^-[vEFiwxz]+$/.test(text))
}

/** The commands whose output reaches the one at a place of the script, from the first on. */
export function feedersOf(script: ShellScript, at: number): ShellScript {
  let first = at
  while (script[first]?.fed === true && script[first - 1]?.feeds === true) first -= 1
  return script.slice(first, at)
}

/** `splits`: the output is cut into words at its blanks. */
export function couldGiveOption(script: ShellScript, splits: boolean): boolean {
  const [first, ...more] = script
  if (first === undefined) return true
  const isKnown = (each: Command): boolean =>
    each.fed ? passesLines(each) : givesNames(each, splits)
  return !givesNames(first, splits) || !more.every(isKnown)
}

/** Is what comes in cut at blanks? xargs can be told otherwise. */
export const splitsInput = (command: Command): boolean => {
  const at = command.words.findIndex(({ text }) => text === 'xargs')
  const options = command.words.slice(at + 1)
  const end = options.findIndex(({ text }) => !text.startsWith('-'))
  const own = end < 0 ? options : options.slice(0, end)
  return at < 0 || !own.some(({ text }) => /^(?:-[rtxp]*0|--null)/.test(text))
}
