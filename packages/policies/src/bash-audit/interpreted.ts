/** The program that a shell or another interpreter is given to run, as its words say it. */
import { isPlain, type Word } from '../shell/script.ts'

/** A text, a file, or what comes in. */
type Interpreted = GivenProgram | { readonly kind: 'input' }

/** A word that is a program, or names the file of one. */
interface GivenProgram {
  readonly kind: 'text' | 'file'
  readonly word: Word
}

/** The task of a shell. An option that is not plain is taken for an operand. */
export function shellProgram(words: readonly Word[]): Interpreted {
  let isText = false
  let at = 1
  for (; at < words.length; at += 1) {
    const word = words[at]
    if (word === undefined || !isPlain(word) || !/^[-+]./.test(word.text)) break
    if (word.text === '--') {
      at += 1
      break
    }
    if (word.text.startsWith('--')) {
      if (/^--(?:init-file|rcfile)$/.test(word.text)) at += 1
      continue
    }
    if (/^-[a-zA-Z]*c/.test(word.text)) isText = true
    else if (/^-[a-zA-Z]*s/.test(word.text)) return { kind: 'input' }
    if (/[oO]$/.test(word.text)) at += 1
  }
  const word = words[at]
  if (word === undefined || word.text === '-' || isInput(word.text)) return { kind: 'input' }
  return { kind: isText ? 'text' : 'file', word }
}

/** The file by which a program names its own input. */
export const isInput = (text: string): boolean =>
  /^\/(?:dev\/(?:stdin|fd\/0)|proc\/[^/]+\/fd\/0)$/.test(text.replaceAll(/\/(?:\.?\/)+/g, '/'))

const textOptions: ReadonlyMap<string, RegExp> = new Map([
  ['python', /^-[a-zA-Z]*c$/],
  ['pypy', /^-[a-zA-Z]*c$/],
  ['node', /^(?:-[a-z]*[ep]|--eval|--print)$/],
  ['nodejs', /^(?:-[a-z]*[ep]|--eval|--print)$/],
  ['php', /^-[rBRE]$/],
])
const otherText = /^-[a-zA-Z]*[eE]$/

/** The words that are programs of an interpreter that is no shell: texts behind its options, or the file that is run. */
export function programWords(name: string, words: readonly Word[]): readonly GivenProgram[] {
  const option = textOptions.get(name.replace(/[0-9.]+$/, '')) ?? otherText
  const found: GivenProgram[] = []
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at]
    if (word === undefined) break
    const next = words[at + 1]
    if (option.test(word.text) && next !== undefined) {
      found.push({ kind: 'text', word: next })
      at += 1
    } else if (!word.text.startsWith('-')) {
      if (found.length === 0) found.push({ kind: 'file', word })
      break
    } else if (/^-m$/.test(word.text)) break
  }
  return found
}
