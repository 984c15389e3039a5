/**
 * The texts that a word with expansions, braces or wildcards may become, as far as it could be an option.
 *
 * U1 Text that nobody sees stands in a shape as one character, `unseen`; what is seen, and what a program prints of which the
 *    beginning is known, stands in it as text. A word that may become several words has a shape for each.
 */
import type { Variable } from './doings.ts'
import { couldGiveOption } from './free-text.ts'
import { withoutBraces } from './places.ts'
import { expansionEnd, expansionStart, type Word } from '../../shell/script.ts'

const depthMax = 4
const shapesMax = 64

/** Stands for any text. */
export const unseen = '\u0003'

/** Variables that the shell itself sets to what a text has said or read. */
const ofShell = /^(?:_|REPLY|OPTARG|BASH.*|DIRSTACK|MAPFILE|COPROC|FUNCNAME|HISTCMD)$/

/** Every shape of a word. */
export function shapesOf(word: Word, variables: readonly Variable[]): readonly string[] {
  const texts = resolved(word, { variables, splits: word.splits, depth: 0 })
  const expanded = word.braces ? texts.map(withoutBraces) : [texts]
  if (expanded.includes(null)) return [unseen]
  const all = expanded.flatMap((each) => each ?? [])
  if (all.length > shapesMax) return [unseen]
  const isPattern = word.globs || word.braces || word.splits
  const shapes = isPattern ? all.map((text) => text.replaceAll(/[*?[]/g, unseen)) : all
  if (!word.splits) return shapes
  // The second word of a text that nobody sees could be anything.
  if (word.expands && all.some((text) => text.includes(unseen))) return [unseen]
  return shapes.flatMap((text) => text.split(/\s+/))
}

interface Place {
  readonly variables: readonly Variable[]
  readonly splits: boolean
  readonly depth: number
}

function resolved(word: Word, place: Place): readonly string[] {
  const [literal = '', ...pieces] = word.exact.split(expansionStart)
  let texts: readonly string[] = [literal]
  let substitutions = 0
  for (const piece of pieces) {
    const end = piece.indexOf(expansionEnd)
    const name = piece.slice(0, end)
    const script = name === '()' ? word.substitutions[substitutions] : undefined
    if (name === '()') substitutions += 1
    const values =
      script === undefined
        ? valuesOf(name, place)
        : [couldGiveOption(script, place.splits) ? unseen : 'x']
    texts = values.flatMap((value) => texts.map((text) => text + value + piece.slice(end + 1)))
    if (texts.length > shapesMax) return [unseen]
  }
  return texts
}

function valuesOf(name: string, { variables, splits, depth }: Place): readonly string[] {
  if (/^[$?#!]$/.test(name)) return ['0']
  if (/^(?:OLD)?PWD$/.test(name)) return [splits ? unseen : '/x']
  if (!/^[A-Za-z_]\w*$/.test(name) || ofShell.test(name) || depth > depthMax) return [unseen]
  const set = variables.filter((each) => each.name === name)
  // Not set here: the environment's, which calls cannot choose, or empty.
  const texts = set.flatMap(({ text, word }) => {
    // The values of a loop may be names of files.
    if (text !== null) return [word?.globs === true ? text.replaceAll(/[*?[]/g, unseen) : text]
    return word === null ? [unseen] : resolved(word, { variables, splits, depth: depth + 1 })
  })
  return [...new Set(['', ...(set.length === 0 ? ['1'] : texts)])].slice(0, shapesMax + 1)
}
