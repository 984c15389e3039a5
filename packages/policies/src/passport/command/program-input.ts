/**
 * Does an interpreter that is no shell read its program from its input?
 *
 * I1 With an input that somebody else fills, it is refused unless a program is given for sure: a text behind an option for
 *    texts, or a file behind options that are all known. An option that is not known is taken for one with a value.
 */
import type { PassportEdition } from '@signalbox/core'
import type { Executable } from './doings.ts'
import { isPlain, type Word } from '../../shell/script.ts'

interface Family {
  readonly name: RegExp
  /** Letters of options that give the program, that take a value, and whose value stands in the same word. */
  readonly texts: string
  readonly valued: string
  readonly glued?: string
  /** Letters that let the input be read as a program behind the one that is given. */
  readonly asks?: string
  readonly long: { readonly texts: RegExp; readonly flags: RegExp }
}

const none = /^$/
const families: readonly Family[] = [
  {
    name: /^(?:python|pypy)/,
    texts: 'cm',
    valued: 'WX',
    asks: 'i',
    long: { texts: none, flags: /^--(?:version|help|help-all)$/ },
  },
  {
    name: /^node(?:js)?/,
    texts: 'ep',
    valued: 'rC',
    asks: 'i',
    long: {
      texts: /^--(?:eval|print|test|run)$/,
      flags:
        /^--(?:no-[a-z-]+|check|enable-source-maps|experimental-(?:eventsource|permission|sqlite|strip-types|test-coverage|test-module-mocks|transform-types|vm-modules|wasm-modules|websocket)|inspect|inspect-brk|permission|use-system-ca|expose-gc|preserve-symlinks|throw-deprecation|trace-[a-z]+|version|help|watch)$/,
    },
  },
  {
    name: /^perl/,
    texts: 'eE',
    valued: 'I',
    glued: '0CDFMimxdV',
    long: { texts: none, flags: none },
  },
  {
    name: /^ruby/,
    texts: 'e',
    valued: 'rIC',
    glued: '0EFKTWix',
    long: { texts: none, flags: /^--(?:version|help|verbose)$/ },
  },
  { name: /^php/, texts: 'rfBRFE', valued: 'cdtz', asks: 'a', long: { texts: none, flags: none } },
]
const other: Family = {
  name: none,
  texts: 'e',
  valued: 'lr',
  asks: 'i',
  long: { texts: none, flags: none },
}

/** Would an interpreter that is no shell read its program from its input? */
export function readsItsInput(
  { name, words, command }: Executable,
  edition: PassportEdition,
): boolean {
  const rest = words.slice(1)
  if (rest.length === 0 || command.redirects.some(({ op }) => op === '<<<')) return true
  if (rest.some(({ text }) => text === '-' || /^\/dev\/(?:stdin|fd\/)/.test(text))) return true
  if (edition === 1) return command.fed && rest.every(({ text }) => text.startsWith('-'))
  if (rest.some(({ text }) => isInput(text))) return true
  const isFed = command.fed || command.redirects.some(({ op }) => op.startsWith('<'))
  const family = families.find((each) => each.name.test(name)) ?? other
  return isFed && !hasProgram(family, rest)
}

/** `//dev/./stdin` and the like, and the same from the root as a relative path. */
const isInput = (text: string): boolean =>
  /(?:^|\/|=)(?:dev\/(?:stdin|fd)|proc\/[^/]*\/fd)(?:\/|$)/.test(
    text.replaceAll(/\/(?:\.?\/)+/g, '/'),
  )

/** Modules and commands that read a program from their input. */
const consoles = new Set(
  'asyncio bpython code IPython idlelib pdb ptpython repl cProfile profile trace runpy'.split(' '),
)

function hasProgram(family: Family, rest: readonly Word[]): boolean {
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at]
    if (word === undefined || !isPlain(word)) return false
    const { text } = word
    if (text === '--') return rest[at + 1] !== undefined
    if (!text.startsWith('-')) return !consoles.has(text)
    const found = text.startsWith('--') ? readsLong(family, text) : readsLetters(family, text)
    if (found === 'program')
      return !consoles.has(rest[at + 1]?.text ?? '') && !consoles.has(text.slice(2))
    if (found === 'asks') return false
    if (found === 'value') at += 1
  }
  return false
}

type Option = 'program' | 'value' | 'flag' | 'asks'

function readsLong({ long }: Family, text: string): Option {
  const [name = ''] = text.split('=', 1)
  if (long.texts.test(name)) return 'program'
  return name.length < text.length || long.flags.test(name) ? 'flag' : 'value'
}

function readsLetters({ texts, valued, glued = '', asks = '' }: Family, text: string): Option {
  for (const [at, letter] of text.slice(1).split('').entries()) {
    if (asks.includes(letter)) return 'asks'
    if (texts.includes(letter)) return 'program'
    if (valued.includes(letter)) return at === text.length - 2 ? 'value' : 'flag'
    if (glued.includes(letter)) return 'flag'
  }
  return 'flag'
}
